package web_test

import "testing"

func TestProblem(t *testing.T) {
	t.Run("of reading does not speak of saving", readingIsNoSaving)
}

func readingIsNoSaving(t *testing.T) {
	s := newSite(t)
	if a := s.do("GET", "/api/v1/channels?limit=1000").want(422); a.text("detail") != "The address does not work: see errors." {
		t.Errorf("a wrong address is answered %q", a.text("detail"))
	}
	if a := s.do("POST", "/api/v1/users", fields("name", "A", "password", "x")).want(422); a.text("detail") != "Nothing was saved." {
		t.Errorf("a wrong body is answered %q", a.text("detail"))
	}
}

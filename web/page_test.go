package web_test

import "testing"

func TestPage(t *testing.T) {
	t.Run("HEAD of a page answers like GET", headOfAPageAnswersLikeGET)
}

func headOfAPageAnswersLikeGET(t *testing.T) {
	s := newSite(t)
	s.channel("Engines", string(s.author("ada")))
	for _, path := range []string{"/", "/channels/Engines", "/nothing"} {
		get, head := s.do("GET", path), s.do("HEAD", path)
		if get.status != head.status || get.header.Get("Content-Length") == "" {
			t.Errorf("%s: GET %d %v, HEAD %d", path, get.status, get.header, head.status)
		}
	}
}

package web_test

import (
	"strings"
	"testing"
	"time"

	"microblogging/domain"
)

func TestDeletionAPI(t *testing.T) {
	t.Run("a deletion is accepted once and followed to its end", deletionIsAcceptedOnceAndFollowedToItsEnd)
	t.Run("a deletion for one incarnation leaves the next alone", deletionForOneIncarnationLeavesTheNextAlone)
}

func deletionIsAcceptedOnceAndFollowedToItsEnd(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Ärger", "ada")
	blog := s.post(channel, "ada", "Hello")
	first := s.do("DELETE", "/api/v1/channels/%C3%A4rger", bearer(token)).want(202)
	location := first.header.Get("Location")
	if want := "/api/v1/channels/%C3%84rger/deletions/" + string(channel.Incarnation); location != want {
		t.Errorf("Location %q, want %q", location, want)
	}
	again := s.do("DELETE", "/api/v1/channels/ÄRGER", bearer(token)).want(202)
	if got := again.header.Get("Location"); got != location {
		t.Errorf("Location %q, the second time", got)
	}
	a := s.do("GET", location, bearer(token)).want(200)
	if got, ok := a.get("steps").([]any); !ok || len(got) != 0 {
		t.Errorf("steps before any worker: %s", a.body)
	}
	if a.text("state") != "queued" || a.text("channel") != "Ärger" || a.get("finishedOn") != nil {
		t.Errorf("queued as %s", a.body)
	}
	if strings.Contains(string(a.body), "waitingSince") {
		t.Errorf("nothing is waited for in %s", a.body)
	}
	s.waiting(channel.Ref(), time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC))
	if a = s.do("GET", location, bearer(token)).want(200); a.text("waitingSince") != "2026-03-04T05:06:07.0000000Z" {
		t.Errorf("waiting as %s", a.body)
	}
	s.waiting(channel.Ref(), time.Time{})
	for _, path := range []string{"", "/blogs", "/blogs/" + string(blog.ID)} {
		s.do("GET", "/api/v1/channels/Ärger"+path).want(410)
	}
	s.do("POST", "/api/v1/channels/Ärger/blogs", bearer(token), fields("text", "Too late")).want(410)
	s.do("PUT", blogPath(channel, blog.ID), bearer(token), header("If-Match", "*"), fields("text", "Too late")).want(410)
	s.do("DELETE", blogPath(channel, blog.ID), bearer(token)).want(410)
	s.do("PATCH", "/api/v1/channels/Ärger", bearer(token), fields("description", "Too late")).want(410)

	began := time.Date(2026, time.March, 4, 5, 6, 7, 1000, time.UTC)
	s.trace(channel.Ref(), domain.StepRecord{Step: domain.StepReceive, Worker: 1, Delivery: 4, Began: began,
		Ended: began.Add(time.Second), Result: domain.StepDone, Count: 1})
	s.trace(channel.Ref(), domain.StepRecord{Step: domain.StepSweep, Worker: 1, Delivery: 4, Began: began.Add(time.Second), Rows: 3, Count: 1})
	a = s.do("GET", location, bearer(token)).want(200)
	for _, part := range []string{
		`{"step":"receive","worker":1,"delivery":4,"beganOn":"2026-03-04T05:06:07.000001`,
		`"endedOn":null,"rows":3,"result":"","count":1}]`,
	} {
		if !strings.Contains(string(a.body), part) {
			t.Errorf("the steps lack %s: %s", part, a.body)
		}
	}

	s.cascade(channel.Ref())
	finish := func(d *domain.Deletion) bool {
		d.State, d.Step, d.RowsDeleted, d.FinishedOn = domain.DeletionDone, domain.StepRelease, 3, domain.Now()
		return true
	}
	if err := s.store.UpdateDeletion(t.Context(), channel.Ref(), finish); err != nil {
		t.Fatal(err)
	}
	a = s.do("GET", location, bearer(token)).want(200)
	if a.text("state") != "done" || a.get("rowsDeleted") != 3.0 || a.text("finishedOn") == "" {
		t.Errorf("finished as %s", a.body)
	}
	s.do("GET", "/api/v1/channels/Ärger").want(404)
	s.do("DELETE", "/api/v1/channels/Ärger", bearer(token)).want(404)
}

func deletionForOneIncarnationLeavesTheNextAlone(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	old := s.do("POST", "/api/v1/channels", bearer(token), fields("name", "Engines")).want(201).header.Get("ETag")
	location := s.do("DELETE", "/api/v1/channels/Engines", bearer(token), header("If-Match", old)).want(202).header.Get("Location")
	s.cascade(domain.ChannelRef{Key: "engines", Incarnation: domain.Incarnation(location[len(location)-26:])})
	fresh := s.do("POST", "/api/v1/channels", bearer(token), fields("name", "Engines")).want(201).header.Get("ETag")

	// The answer is 412 for the owner of the new incarnation and for others.
	for _, who := range []change{bearer(token), bearer(s.signUp("bob"))} {
		for _, stale := range []string{old, "W/" + fresh, `"nothing"`, `"a" , "b"`} {
			s.unwritten(func() answer {
				return s.do("DELETE", "/api/v1/channels/Engines", who, header("If-Match", stale))
			}).want(412)
		}
	}
	s.do("GET", "/api/v1/channels/Engines").want(200)
	s.do("DELETE", "/api/v1/channels/Engines", bearer(token), header("If-Match", old+", "+fresh)).want(202)
}

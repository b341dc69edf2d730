package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
)

func TestDeletion(t *testing.T) {
	t.Run("a deletion is accepted once and followed to its end", deletionIsAcceptedOnceAndFollowedToItsEnd)
	t.Run("the API lists them too", apiListsDeletions)
}

func deletionIsAcceptedOnceAndFollowedToItsEnd(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Ärger", "ada")
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
	ok(t, s.store.UpdateDeletion(t.Context(), channel.Ref(), finish))
	a = s.do("GET", location, bearer(token)).want(200)
	if a.text("state") != "done" || a.get("rowsDeleted") != 3.0 || a.text("finishedOn") == "" {
		t.Errorf("finished as %s", a.body)
	}
	s.do("GET", "/api/v1/channels/Ärger").want(404)
	s.do("DELETE", "/api/v1/channels/Ärger", bearer(token)).want(404)
}

func apiListsDeletions(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	first, second := s.channel("Engines", "ada"), s.channel("Wheels", "ada")
	s.askDeletion(first)
	s.askDeletion(second)
	s.advance(first.Ref(), domain.DeletionDone, domain.StepRelease, 7)
	if got := s.listed("/api/v1/deletions?limit=1", "channel", bearer(token)); fmt.Sprint(got) != "[Wheels Engines]" {
		t.Errorf("listed %q", got)
	}
	a := s.do("GET", "/api/v1/deletions", bearer(token)).want(200)
	items, _ := a.get("items").([]any)
	if len(items) != 2 {
		t.Fatalf("listed %s", a.body)
	}
	done, _ := items[1].(map[string]any)
	if done["incarnation"] != string(first.Incarnation) || done["state"] != "done" || done["rowsDeleted"] != 7.0 {
		t.Errorf("listed %v", done)
	}
}

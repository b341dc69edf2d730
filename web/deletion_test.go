package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/web"
)

func TestDeletion(t *testing.T) {
	t.Run("a deletion is accepted once and followed to its end", deletionIsAcceptedOnceAndFollowedToItsEnd)
	t.Run("what is deleted can be undone in time, by its owner alone", deletionIsUndone)
	t.Run("the pages say what its readers see, and undo it, on another device too", pagesUndo)
}

func newForgivingSite(t *testing.T) *site {
	return newSiteWith(t, web.Options{Version: "test", Undo: 30 * time.Second})
}

func deletionIsUndone(t *testing.T) {
	s := newForgivingSite(t)
	token, other := s.signUp("ada"), s.signUp("bob")
	channel := s.channel("Engines", "ada")
	s.post(channel, "bob", "Pistons")
	location := s.do("DELETE", "/api/v1/channels/Engines", bearer(token)).want(202).header.Get("Location")
	a := s.do("GET", location, bearer(token)).want(200)
	until, err := time.Parse(time.RFC3339, a.text("undoableUntil"))
	if left := time.Until(until); a.text("state") != "pending" || err != nil || left > 30*time.Second || left < 0 {
		t.Errorf("the deletion is %s (%v)", a.body, err)
	}
	s.do("GET", "/api/v1/channels/Engines").want(410)
	s.do("POST", "/api/v1/channels", bearer(other), raw(`{"name":"Engines"}`)).want(409)
	s.do("POST", location+"/undo", bearer(other)).want(403)
	for range 2 {
		a = s.do("POST", location+"/undo", bearer(token)).want(200)
		a.holds("name", "Engines").holds("state", "active")
		is(t, "whether it is the same channel", strings.HasPrefix(a.header.Get("ETag"), `"`+string(channel.Incarnation)+"-"), true)
	}
	s.do("GET", location, bearer(token)).want(200).holds("state", "undone").holds("undoableUntil", nil)
	if got := s.listed("/api/v1/channels/Engines/blogs?limit=10", "text"); fmt.Sprint(got) != "[Pistons]" {
		t.Errorf("the posts are %q", got)
	}
	s.do("DELETE", "/api/v1/channels/Engines", bearer(token)).want(202)
	s.cascade(channel.Ref()) // a worker that does not look at the time
	s.do("POST", location+"/undo", bearer(token)).want(409)
}

func pagesUndo(t *testing.T) {
	s := newForgivingSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Engines", "ada")
	post := s.post(channel, "ada", "Pistons")
	path := "/channels/Engines/deletions/" + string(channel.Incarnation)
	b.open("/channels/Engines/delete").says("You can undo it for 30 seconds", "1 post by 1 person").
		form("Delete channel and posts").press().at(path).says("You can undo it on any device.", "“This channel was deleted”, and none of its posts.")
	for _, hidden := range []string{"/channels/Engines", postPage(channel, post)} {
		s.browser().open(hidden).want(410).says("This channel was deleted").saysNot("Pistons", "being deleted")
	}
	b.open("/account/deletions").says("Hidden, and about to be deleted").form("Undo").press().
		at("/channels/Engines").says("The channel is back", "Pistons")
	b.open(path).says("“Engines” is back").saysNot("about to be deleted")
	b.open("/channels/Engines/delete").form("Delete channel and posts").press().at(path)
	s.cascade(channel.Ref())
	form := url.Values{"action": {"undo"}, "channel": {"Engines"}, "incarnation": {string(channel.Incarnation)}}
	b.send("POST", path, posted(form)).want(409).says("It is too late to undo this")
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
	again.headed("Location", location)
	a := s.do("GET", location, bearer(token)).want(200)
	if got, ok := a.get("steps").([]any); !ok || len(got) != 0 {
		t.Errorf("steps before any worker: %s", a.body)
	}
	a.holds("state", "queued").holds("channel", "Ärger").holds("finishedOn", nil)
	a.lacks("waitingSince")
	s.waiting(channel.Ref(), time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC))
	if a = s.do("GET", location, bearer(token)).want(200); a.text("waitingSince") != "2026-03-04T05:06:07.0000000Z" {
		t.Errorf("waiting as %s", a.body)
	}
	s.waiting(channel.Ref(), time.Time{})
	began := time.Date(2026, time.March, 4, 5, 6, 7, 1000, time.UTC)
	s.trace(channel.Ref(), domain.StepRecord{Step: domain.StepReceive, Worker: 1, Delivery: 4, Began: began,
		Ended: began.Add(time.Second), Result: domain.StepDone})
	s.trace(channel.Ref(), domain.StepRecord{Step: domain.StepSweep, Worker: 1, Delivery: 4, Began: began.Add(time.Second), Rows: 3})
	a = s.do("GET", location, bearer(token)).want(200)
	a.has(
		`{"step":"receive","worker":1,"delivery":4,"beganOn":"2026-03-04T05:06:07.000001`,
		`"endedOn":null,"rows":3,"result":""}]`,
	)

	s.cascade(channel.Ref())
	s.advance(channel.Ref(), domain.DeletionDone, domain.StepRelease, 3)
	a = s.do("GET", location, bearer(token)).want(200)
	if a.text("state") != "done" || a.get("rowsDeleted") != 3.0 || a.text("finishedOn") == "" {
		t.Errorf("finished as %s", a.body)
	}
	s.do("GET", "/api/v1/channels/Ärger").want(404)
	s.do("DELETE", "/api/v1/channels/Ärger", bearer(token)).want(404)
}

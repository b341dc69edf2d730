package web_test

import (
	"fmt"
	"testing"

	"microblogging/domain"
)

func TestDeletionList(t *testing.T) {
	t.Run("a user whose channel is gone finds its deletion", userWhoseChannelIsGoneFindsItsDeletion)
	t.Run("it is paged", deletionListIsPaged)
	t.Run("the API lists them too", apiListsDeletions)
}

func userWhoseChannelIsGoneFindsItsDeletion(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	b.open("/account").follow("Your deletions").says("No deletions yet")
	channel := s.channel("Ärger", "ada")
	b.open("/channels/%C3%84rger/delete").form("Delete this channel and all its posts").press()
	b.open("/account/deletions").says("Ärger", "Waiting for a worker")
	s.cascade(channel.Ref())
	s.advance(channel.Ref(), domain.DeletionDone, domain.StepRelease, 1234)
	b.open("/account").follow("Your deletions").says("Deleted · 1,234 rows removed").follow("Ärger").
		want(200).heading("Deletion of “Ärger”").says("It took", "1,234")
}

func deletionListIsPaged(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	for n := range 21 {
		s.askDeletion(s.channel(fmt.Sprintf("c%02d", n), "ada"))
	}
	b.open("/account/deletions").says("c20", "c01").saysNot("c00").follow("Older deletions →").says("c00").saysNot("c01").
		follow("← Back to the start").says("c20")
	b.open("/account/deletions?after=x").want(422).follow("The first page").want(200)
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

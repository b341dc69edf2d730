package web_test

import (
	"testing"
	"time"

	"microblogging/domain"
)

func TestDeletionPage(t *testing.T) {
	t.Run("an owner deletes a channel and watches the progress", ownerDeletesAChannelAndWatchesTheProgress)
	t.Run("a form for one incarnation leaves the next alone", formForOneIncarnationLeavesTheNextAlone)
}

func ownerDeletesAChannelAndWatchesTheProgress(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	channel := s.channel("Ärger", "ada")
	s.post(channel, "ada", "Hello")
	progress := "/channels/%C3%84rger/deletions/" + string(channel.Incarnation)
	form := b.open("/channels/%C3%84rger").follow("Delete channel…").heading("Delete “Ärger”?").
		form("Delete this channel and all its posts")
	form.press().at(progress).says("Waiting for a worker")
	form.press().at(progress) // a double click
	b.open("/channels/%C3%84rger").want(410)

	s.advance(channel.Ref(), domain.DeletionRunning, domain.StepSweep, 1234)
	b.open(progress).says("Step 3 of 5", "1,234")
	s.waiting(channel.Ref(), time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC))
	b.open(progress).says("Waiting for the storage since 4 March 2026, 05:06 UTC", "1,234")
	s.waiting(channel.Ref(), time.Time{})
	b.open(progress).says("Step 3 of 5")
	s.advance(channel.Ref(), domain.DeletionPoisoned, domain.StepSweep, 1234)
	b.open(progress).says("Stopped", "microblogging requeue --channel Ärger")

	s.cascade(channel.Ref())
	s.advance(channel.Ref(), domain.DeletionDone, domain.StepRelease, 1235)
	b.open(progress).says("Deleted", "1,235").follow("Create “Ärger” again").
		form("Create channel").press().at("/channels/%C3%84rger")
	b.open(progress).want(200).says("Deleted")
}

func formForOneIncarnationLeavesTheNextAlone(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	old := s.channel("Engines", "ada")
	form := b.open("/channels/Engines/delete").form("Delete this channel and all its posts")
	s.askDeletion(old)
	s.cascade(old.Ref())
	fresh := s.channel("Engines", "ada")
	s.post(fresh, "ada", "Still here")
	before := s.writes.Load()
	form.press().want(412).says("Another channel has the name now").
		follow("The channel as it is now").want(200).says("Still here")
	if n := s.writes.Load() - before; n != 0 {
		t.Errorf("%d writes", n)
	}
}

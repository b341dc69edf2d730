package web_test

import (
	"testing"
)

func TestStaleForm(t *testing.T) {
	t.Run("a post for the old channel is refused, kept and published once in the new one", stalePostIsRefusedKeptAndPublishedOnce)
}

const (
	staleSentence = "A new channel has this name now. Your post was written for the old one and was not sent."
	readTheNew    = "Read the new channel"
)

func stalePostIsRefusedKeptAndPublishedOnce(t *testing.T) {
	s, bob, old := enginesBrowser(t, "bob")
	form := bob.open("/channels/Engines").form("Post").fill("title", "On <b>valves</b>").fill("text", "One & two\r\nthree")
	s.replace(old.Ref())
	refused := form.press
	shown := refused().unwritten().want(412).heading("Your post was not sent").says(staleSentence)
	is(t, "the page keeps", shown.wrote(), "One & two\nthree")
	next := shown.follow(readTheNew).want(200).says("Nothing here yet").saysNot("three").form("Post").fill("text", shown.wrote())
	if next.values.Get("key") == form.values.Get("key") || next.values.Get("incarnation") == form.values.Get("incarnation") {
		t.Errorf("the form of the new channel has the key and the incarnation %q of the old one", next.values)
	}
	for range 2 { // a double click
		next.press().at("/channels/Engines").says("Your post is published.")
	}
	is(t, "the new channel holds", s.listed(enginesBlogs, "text"), []string{"One & two\nthree"})
	refused().want(412)
	s.mustBeSound()
}

package web_test

import (
	"slices"
	"testing"
)

func TestStaleForm(t *testing.T) {
	t.Run("a post for the old channel is refused, kept and published once in the new one", stalePostIsRefusedKeptAndPublishedOnce)
	t.Run("a form without a text says what was asked", staleFormWithoutATextSaysWhatWasAsked)
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
	if got := shown.wrote(); got != "One & two\nthree" {
		t.Errorf("the page keeps %q", got)
	}
	next := shown.follow(readTheNew).want(200).says("Nothing here yet").saysNot("three").form("Post").fill("text", shown.wrote())
	if next.values.Get("key") == form.values.Get("key") || next.values.Get("incarnation") == form.values.Get("incarnation") {
		t.Errorf("the form of the new channel has the key and the incarnation %q of the old one", next.values)
	}
	for range 2 { // a double click
		next.press().at("/channels/Engines").says("Your post is published.")
	}
	if got := s.listed(enginesBlogs, "text"); !slices.Equal(got, []string{"One & two\nthree"}) {
		t.Errorf("the new channel holds %q", got)
	}
	refused().want(412)
	s.mustBeSound()
}

func staleFormWithoutATextSaysWhatWasAsked(t *testing.T) {
	for button, asked := range map[string]string{
		"Subscribe":        "You asked to subscribe to the old one.",
		"Unsubscribe":      "You asked to leave the old one",
		"Unsubscribe from": "You asked to leave the old one",
		"Vote":             "Your vote was for a post of the old one.",
		"Take back":        "You had voted for a post of the old one",
		"Delete this post": "The post was in the old one",
	} {
		s, bob, old := enginesBrowser(t, "bob")
		blog := s.post(old, "bob", "Mine")
		var f form
		switch button {
		case "Subscribe":
			f = bob.open("/channels/Engines").form(button)
		case "Unsubscribe":
			s.subscribe("bob", old)
			f = bob.open("/channels/Engines").form(button)
		case "Unsubscribe from":
			s.subscribe("bob", old)
			f = bob.open("/subscriptions").form("Unsubscribe from Engines")
		case "Vote", "Delete this post":
			f = bob.open(permalink(old, blog)).form(button)
		case "Take back":
			f = bob.open(permalink(old, blog)).form("Vote").press().form("Take back the vote")
		}
		s.replace(old.Ref())
		next := s.ref("Engines")
		if button == "Unsubscribe" || button == "Unsubscribe from" {
			bob.open("/channels/Engines").form("Subscribe").press().at("/channels/Engines")
		}
		f.press().unwritten().want(412).
			says("A new channel has this name now. "+asked, "Nothing was changed.").follow(readTheNew).want(200)
		subscribes, err := s.store.Subscribed(t.Context(), next, "bob")
		if want := button == "Unsubscribe" || button == "Unsubscribe from"; subscribes != want || err != nil {
			t.Errorf("%s: bob subscribes to the new channel: %v, want %v; %v", button, subscribes, want, err)
		}
		s.mustBeSound()
	}
}

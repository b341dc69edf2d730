package web_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestSubscription(t *testing.T) {
	t.Run("a visitor is subscribed by the sign-in or the sign-up that it led to, and only to what they saw", visitorIsSubscribed)
	t.Run("a subscription to a deleted channel ends without an error", subscriptionToADeletedChannelEndsWithoutAnError)
}

func subscriptionToADeletedChannelEndsWithoutAnError(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	going := s.channel("Going", "ada")
	s.post(going, "ada", "Farewell")
	form := b.open("/subscriptions").form("Unsubscribe from Going")
	s.requestDeletion(going)
	b.open("/").saysNot("Farewell", "Going")
	b.open("/subscriptions").saysNot("Going")
	form.press().at("/subscriptions")
	s.cascade(going.Ref())
	form.press().at("/subscriptions")
	b.open("/").says("What to do first:", "Subscribe to a channel.", "Write a post.", "Start a channel")
	form.fill("channel", "a/b").press().want(422)
}

func visitorIsSubscribed(t *testing.T) {
	s, _, channel := enginesBrowser(t, "ada")
	const subscribed = "You have subscribed. The channel’s posts are in your feed."
	s.browser().open("/channels/Engines").follow("Subscribe").says("Then you are subscribed to Engines").
		form("Sign in").fill("name", "ada").fill("password", password).press().at("/channels/Engines").says(subscribed)
	s.browser().open("/channels/Engines").follow("Subscribe").follow("Sign up").says("Then you are subscribed to Engines").form("Sign up").fill("name", "bob").fill("password", password).press().
		at("/channels/Engines").says(subscribed, "Subscribed (press to unsubscribe)")

	late := s.browser().open("/channels/Engines").follow("Subscribe").form("Sign in").fill("name", "bob").fill("password", password)
	s.requestDeletion(channel)
	s.cascade(channel.Ref())
	s.channel("Engines", "ada")
	late.press().at("/channels/Engines").says("You are signed in. What you began did not work").saysNot("press to unsubscribe")
	for _, then := range []string{"x", "A B C D", "RETNOUHC5MGSCD3ERSJIKTYTR2 <b>", strings.Repeat("a", 3000)} {
		s.browser().open("/sign-in?then="+url.QueryEscape(then)).want(200).saysNot("Then you").
			form("Sign in").fill("name", "bob").fill("password", password).press().at("/")
	}
}

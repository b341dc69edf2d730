package web_test

import (
	"testing"
)

func TestSubscription(t *testing.T) {
	t.Run("an owner subscribes from the start and a reader by choice", ownerSubscribesFromTheStartAndAReaderByChoice)
	t.Run("a subscription to a deleted channel ends without an error", subscriptionToADeletedChannelEndsWithoutAnError)
}

func ownerSubscribesFromTheStartAndAReaderByChoice(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signUp("ada"), s.signUp("bob")
	s.do("POST", "/api/v1/channels", bearer(ada), fields("name", "Ärger")).want(201)
	s.do("GET", subscriptions, bearer(ada)).holds("items.0.channel", "Ärger").holds("items.0.role", "owner")
	if a := s.do("GET", subscriptions, bearer(bob)).want(200); string(a.body) != `{"items":[]}`+"\n" {
		t.Errorf("a user without subscriptions has %s", a.body)
	}
	for range 2 {
		s.do("PUT", subscriptions+"/ärger", bearer(bob)).want(204)
		if a := s.do("GET", subscriptions, bearer(bob)); a.text("items.0.role") != "reader" || len(a.items("channel")) != 1 {
			t.Errorf("the reader has %s", a.body)
		}
	}
	for range 2 {
		s.do("DELETE", subscriptions+"/%C3%84RGER", bearer(bob)).want(204)
		if got := s.listed(subscriptions, "channel", bearer(bob)); len(got) != 0 {
			t.Errorf("the reader who unsubscribed has %q", got)
		}
	}
	s.do("DELETE", subscriptions+"/Ärger", bearer(ada)).want(204) // an owner may unsubscribe too
	if got := s.listed(subscriptions, "channel", bearer(ada)); len(got) != 0 {
		t.Errorf("the owner the reader who unsubscribed has %q", got)
	}
	s.mustBeSound()
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
	b.open("/").says("Write something, subscribe to a channel, or make your own")
	form.fill("channel", "a/b").press().want(422)
}

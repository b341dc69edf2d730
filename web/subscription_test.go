package web_test

import (
	"testing"
)

func TestSubscription(t *testing.T) {
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
	b.open("/").says("Write something, subscribe to a channel, or make your own")
	form.fill("channel", "a/b").press().want(422)
}

package web_test

import "testing"

func TestSubscribePage(t *testing.T) {
	t.Run("subscribing fills the feed and unsubscribing empties it", subscribingFillsTheFeedAndUnsubscribingEmptiesIt)
	t.Run("an owner subscribes from the start", ownerSubscribesFromTheStart)
	t.Run("a subscription to a deleted channel ends without an error", subscriptionToADeletedChannelEndsWithoutAnError)
	t.Run("one subscription too many is refused with the reason", oneSubscriptionTooManyIsRefusedWithTheReason)
}

func subscribingFillsTheFeedAndUnsubscribingEmptiesIt(t *testing.T) {
	s := newSite(t)
	s.post(s.channel("Engines", string(s.author("grace"))), "grace", "Hello")
	b := s.signedIn("ada")
	b.open("/").heading("Feed").says("You subscribe to no channel yet").follow("Find channels").want(200).heading("Channels")
	form := b.open("/channels/Engines").says("1 subscriber").saysNot("1 subscribers").form("Subscribe")
	form.press().at("/channels/Engines").says("You subscribe to this channel.", "2 subscribers")
	form.press().at("/channels/Engines").says("2 subscribers") // the form is sent twice
	b.open("/").says("grace in Engines", "Hello").follow("Your subscriptions").heading("Your subscriptions").saysNot("your own").
		form("Unsubscribe from Engines").press().at("/subscriptions").says("You have unsubscribed.", "You subscribe to no channel")
	b.open("/").saysNot("Hello")
	form.press().at("/channels/Engines").form("Unsubscribe").press().at("/channels/Engines").says("You have unsubscribed.", "1 subscriber")
	b.open("/").saysNot("Hello")
}

func ownerSubscribesFromTheStart(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	b.open("/channels/new").form("Create channel").fill("name", "Engines").press().at("/channels/Engines").says("1 subscriber")
	if !b.open("/channels/Engines").hasForm("Unsubscribe") {
		t.Error("the owner does not subscribe from the start")
	}
	b.open("/").says("Nothing posted yet").follow("Go to one of them").says("Engines", "your own")
}

func subscriptionToADeletedChannelEndsWithoutAnError(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	going := s.channel("Going", "ada")
	s.post(going, "ada", "Farewell")
	form := b.open("/subscriptions").form("Unsubscribe from Going")
	s.askDeletion(going)
	b.open("/").saysNot("Farewell", "Going")
	b.open("/subscriptions").saysNot("Going")
	form.press().at("/subscriptions")
	s.cascade(going.Ref())
	form.press().at("/subscriptions")
	b.open("/").says("You subscribe to no channel yet")
	form.fill("channel", "a/b").press().want(422)
}

func oneSubscriptionTooManyIsRefusedWithTheReason(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.subscribeToMost("ada", "c")
	s.channel("One-too-many", string(s.author("bob")))
	form := b.open("/channels/One-too-many").form("Subscribe")
	form.press().want(422).heading("You cannot subscribe to more").says("You subscribe to 2000 channels.").
		follow("Your subscriptions").form("Unsubscribe from c0000").press().at("/subscriptions")
	form.press().at("/channels/One-too-many").says("2 subscribers")
}

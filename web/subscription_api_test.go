package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"microblogging/domain"
)

func TestSubscribeAPI(t *testing.T) {
	t.Run("an owner subscribes from the start and a reader by choice", ownerSubscribesFromTheStartAndAReaderByChoice)
	t.Run("subscriptions belong to a user who is signed in", subscriptionsBelongToAUserWhoIsSignedIn)
	t.Run("subscriptions are listed by name page by page", subscriptionsAreListedByNamePageByPage)
	t.Run("nobody subscribes to a deleted channel", nobodySubscribesToADeletedChannel)
	t.Run("the cascade leaves neither row of a subscription", cascadeLeavesNeitherRowOfASubscription)
	t.Run("nobody subscribes to more than two thousand channels", nobodySubscribesToMoreThanTwoThousandChannels)
	t.Run("a page of subscriptions reads no more than it shows", pageOfSubscriptionsReadsNoMoreThanItShows)
	t.Run("a continuation token survives the end of the subscription that it names", continuationTokenSurvivesTheEndOfTheSubscriptionThatItNames)
}

func ownerSubscribesFromTheStartAndAReaderByChoice(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signUp("ada"), s.signUp("bob")
	s.do("POST", "/api/v1/channels", bearer(ada), fields("name", "Ärger")).want(201)
	if a := s.do("GET", subscriptions, bearer(ada)); a.text("items.0.channel") != "Ärger" || a.text("items.0.role") != "owner" {
		t.Errorf("the owner has %s", a.body)
	}
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

func subscriptionsBelongToAUserWhoIsSignedIn(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	s.channel("Engines", "ada")
	if got := s.listed(subscriptions, "channel", bearer(bob)); len(got) != 0 {
		t.Errorf("bob sees %q", got)
	}
	s.do("GET", subscriptions).want(401)
	s.unwritten(func() answer { return s.do("PUT", subscriptions+"/Engines") }).want(401)
	s.unwritten(func() answer { return s.do("DELETE", subscriptions+"/Engines") }).want(401)
}

func subscriptionsAreListedByNamePageByPage(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signUp("ada"), s.signUp("bob")
	want := []string{"a", "A-b", "a.b", "a1", "aa", "B", "Ärger", "Ωmega"}
	for _, name := range []string{"Ωmega", "B", "a1", "A-b", "aa", "Ärger", "a", "a.b"} {
		s.subscribe("bob", s.channel(name, "ada"))
	}
	for limit := 1; limit <= len(want)+1; limit++ {
		if got := s.listed(fmt.Sprintf("%s?limit=%d", subscriptions, limit), "channel", bearer(bob)); !slices.Equal(got, want) {
			t.Errorf("with limit %d: %q, want %q", limit, got, want)
		}
	}
	for _, limit := range []string{"0", "101", "x", ""} {
		s.do("GET", subscriptions+"?limit="+limit, bearer(bob)).want(422).wantField("limit")
	}
	theirs := s.do("GET", subscriptions+"?limit=2", bearer(ada)).text("next")
	feedNext := s.feedOfTwo("bob", bob)
	for _, after := range []string{"made-up", "!", theirs, feedNext, theirs + "A"} {
		s.do("GET", continued(subscriptions, after), bearer(bob)).want(422).wantField("after")
	}
}

func nobodySubscribesToADeletedChannel(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	channel := s.channel("Engines", "ada")
	both := func(path string, status int) {
		t.Helper()
		for _, method := range []string{"PUT", "DELETE"} {
			s.unwritten(func() answer { return s.do(method, path, bearer(bob)) }).want(status)
		}
	}
	both(subscriptions+"/nothing", 404)
	both(subscriptions+"/%2e%2e", 404)
	both(subscriptions+"/a%2Fb", 404)
	s.do("PUT", subscriptions+"/Engines", bearer(bob)).want(204)
	s.askDeletion(channel)
	both(subscriptions+"/Engines", 410)
	if got := s.listed(subscriptions, "channel", bearer(bob)); len(got) != 0 {
		t.Errorf("a channel that is being deleted is still listed: %q", got)
	}
	s.cascade(channel.Ref())
	both(subscriptions+"/Engines", 404)
	s.channel("Engines", "ada")
	if got := s.listed(subscriptions, "channel", bearer(bob)); len(got) != 0 {
		t.Errorf("a subscription survived its channel, and counts for another one of its name: %q", got)
	}
	s.mustBeSound()
}

func cascadeLeavesNeitherRowOfASubscription(t *testing.T) {
	s := newSite(t)
	channel, other := s.channel("Engines", "ada"), s.channel("Wheels", "ada")
	s.subscribe("bob", channel, other)
	s.askDeletion(channel)
	s.cascade(channel.Ref())
	for _, user := range []domain.UserName{"ada", "bob"} {
		if there, err := s.store.Subscribed(t.Context(), channel.Ref(), user); there || err != nil {
			t.Errorf("%s still has a row: %v, %v", user, there, err)
		}
		if there, err := s.store.Subscribed(t.Context(), other.Ref(), user); !there || err != nil {
			t.Errorf("%s has lost the row of another channel: %v, %v", user, there, err)
		}
	}
	for ref, want := range map[domain.ChannelRef]int{channel.Ref(): 0, other.Ref(): 2} {
		if n, _, err := s.store.Subscribers(t.Context(), ref); n != want || err != nil {
			t.Errorf("channel %s has %d subscribers, want %d; %v", ref.Key, n, want, err)
		}
	}
	s.mustBeSound()
}

func nobodySubscribesToMoreThanTwoThousandChannels(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	s.subscribeToMost("bob", "channel")
	one := s.channel("One-too-many", "ada")
	put := func() answer { return s.do("PUT", subscriptions+"/One-too-many", bearer(bob)) }
	if a := s.unwritten(put).want(422).wantField("subscriptions"); a.text("errors.0.detail") != "are 2000, and cannot be more" {
		t.Errorf("it says %s", a.body)
	}
	s.do("PUT", subscriptions+"/channel0000", bearer(bob)).want(204) // already subscribed, so the number stays
	s.do("POST", "/api/v1/channels", bearer(bob), fields("name", "Another")).want(201)
	if there, err := s.store.Subscribed(t.Context(), one.Ref(), "bob"); there || err != nil {
		t.Errorf("subscribed although refused: %v, %v", there, err)
	}
	s.do("DELETE", subscriptions+"/channel0007", bearer(bob)).want(204)
	put().want(204)
	put().want(204)
	if got := s.listed(subscriptions+"?limit=100", "channel", bearer(bob)); len(got) != domain.MaxSubscriptions {
		t.Errorf("%d subscriptions", len(got))
	}
}

func pageOfSubscriptionsReadsNoMoreThanItShows(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	for i := range 30 {
		s.channel(fmt.Sprintf("channel%d", i), "bob")
	}
	calls := s.calls(func() { s.do("GET", subscriptions+"?limit=5", bearer(bob)).want(200) })
	if calls["Subscriptions Range"] != 1 || calls["Channels Get"] != 5 || calls["Blogs Get"] != 5 {
		t.Errorf("calls: %v", calls)
	}
}

func continuationTokenSurvivesTheEndOfTheSubscriptionThatItNames(t *testing.T) {
	s := newSite(t)
	bob := s.signUp("bob")
	for _, name := range []string{"a", "b", "c", "d"} {
		s.channel(name, "bob")
	}
	first := s.do("GET", subscriptions+"?limit=2", bearer(bob)).want(200)
	s.do("DELETE", subscriptions+"/b", bearer(bob)).want(204)
	s.channel("aa", "bob")
	second := s.do("GET", subscriptions+"?limit=2&after="+url.QueryEscape(first.text("next")), bearer(bob)).want(200)
	if got := second.items("channel"); !slices.Equal(got, []string{"c", "d"}) {
		t.Errorf("the second page has %q", got)
	}
}

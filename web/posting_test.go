package web_test

import (
	"strings"
	"testing"

	"microblogging/domain"
)

func TestPosting(t *testing.T) {
	t.Run("a post that is refused is offered to another channel, with its text", refusedPostGoesElsewhere)
	t.Run("who may not post is refused by the API, alone and in a batch", apiRefusesWhoMayNotPost)
	t.Run("a channel that is read alone says who may post", channelSaysWhoMayPost)
	t.Run("pages say who may post before one types", pagesSayWhoMayPost)
	t.Run("who may not post may not edit either, and may delete", whoMayNotPostMayDelete)
	t.Run("the owner rules on the page of the channel and of a post", ownerRulesOnPages)
}

func apiRefusesWhoMayNotPost(t *testing.T) {
	s, bob, channel := engines(t, "bob")
	ada, own := s.signUp("ada"), s.post(channel, "bob", "before")
	post := func(status int) answer {
		return s.do("POST", enginesBlogs, bearer(bob), fields("text", "x")).want(status)
	}
	for _, rule := range []struct {
		method, path string
		body, back   change
		undo         string
	}{
		{"PATCH", "/api/v1/channels/Engines", fields("posting", "owner"), fields("posting", "open"), "PATCH"},
		{"PUT", "/api/v1/channels/Engines/blocked/bob", header("Accept", "*/*"), header("Accept", "*/*"), "DELETE"},
	} {
		for range 2 {
			s.do(rule.method, rule.path, bearer(ada), rule.body).want(204)
		}
		if detail := post(403).unwritten().text("detail"); detail == "" {
			t.Error("no detail says why")
		}
		s.do("POST", enginesBatch, bearer(bob), batch(entries(2)...)).statuses(403, 403)
		edit := func(status int) answer {
			return s.do("PUT", enginesBlogs+"/"+string(own.ID), bearer(bob), header("If-Match", "*"), fields("text", rule.method)).want(status)
		}
		if detail := edit(403).text("detail"); !strings.Contains(detail, "Nothing was saved") {
			t.Errorf("an edit is refused with %q", detail)
		}
		s.do(rule.undo, rule.path, bearer(ada), rule.back).want(204)
		edit(200)
		s.do(rule.method, rule.path, bearer(bob), rule.body).unwritten().want(403)
		post(201)
	}
	is(t, "posts", s.listed(enginesBlogs, "text"), []string{"x", "x", "PUT"})
	s.mustBeSound()
}

func channelSaysWhoMayPost(t *testing.T) {
	s, ada, _ := engines(t, "ada")
	says := func(a answer, want any) {
		t.Helper()
		a.want(200).holds("posting", want)
	}
	says(s.do("GET", "/api/v1/channels/Engines"), "open")
	says(s.do("PATCH", "/api/v1/channels/Engines", bearer(ada), fields("posting", "owner", "description", "mine")), "owner")
	says(s.do("PATCH", "/api/v1/channels/Engines", bearer(ada), raw("{}")).unwritten(), "owner")
	says(s.do("GET", "/api/v1/channels/Engines"), "owner")
	says(s.do("PATCH", "/api/v1/channels/Engines", bearer(ada), fields("description", "still mine")), "owner")
	s.do("GET", "/api/v1/channels").want(200).holds("items.0.posting", nil)
}

func pagesSayWhoMayPost(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	s.post(channel, "bob", "before")
	s.subscribe("bob", channel)
	anonymous := s.browser()
	page := func(b *browser) page { return b.open("/channels/Engines").want(200) }
	if !page(bob).hasForm("Post") {
		t.Error("bob may post, and has no form")
	}
	page(anonymous).says("· anyone may post", "Sign in").saysNot("Only @ada posts here.")
	ok(t, s.store.Posts.SetRule(t.Context(), channel, "ada", domain.PostersOwner))
	if page(bob).says("Only @ada posts here.").hasForm("Post") {
		t.Error("bob may not post, and has a form")
	}
	page(anonymous).says("· only ada posts", "Only @ada posts here.")
	ok(t, s.store.Posts.SetRule(t.Context(), channel, "ada", domain.PostersOpen))
	ok(t, s.store.Posts.Block(t.Context(), channel, "ada", s.account("bob")))
	if page(bob).says("@ada has blocked you here.").saysNot("anyone may post").hasForm("Post") {
		t.Error("bob is blocked, and has a form")
	}
	page(anonymous).saysNot("blocked")
}

func refusedPostGoesElsewhere(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	s.channel("Wheels", "bob")
	form := bob.open("/channels/Engines").want(200).form("Post").fill("title", "A title").fill("text", "Typed before")
	ok(t, s.store.Posts.SetRule(t.Context(), channel, "ada", domain.PostersOwner))
	refused := form.press().want(403).heading("You may not post in “Engines”").says("Only @ada posts here. Nothing was posted.", "Typed before")
	chooses := refused.form("Post it in another channel").elsewhere().press().want(422).says("Choose a channel", "Typed before")
	wheels, _, err := s.store.Channels.GetVersion(t.Context(), domain.ChannelName("Wheels").Key().Address(), "")
	ok(t, err)
	chooses.form("Post").fill("channel", string(wheels.Incarnation)+" Wheels").press().at("/channels/Wheels").says("A title", "Typed before")
	if got := s.listed("/api/v1/channels/Engines/blogs?limit=10", "text"); len(got) != 0 {
		t.Errorf("the channel has %q", got)
	}
}

func whoMayNotPostMayDelete(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	path := permalink(channel, s.post(channel, "bob", "before"))
	form := bob.open(path+"/edit").want(200).form("Save").fill("text", "typed before")
	ok(t, s.store.Posts.SetRule(t.Context(), channel, "ada", domain.PostersOwner))
	bob.open(path + "/edit").want(403).says("Only the owner posts here")
	form.press().want(403).says("Only the owner posts here", "typed before")
	ok(t, s.store.Posts.SetRule(t.Context(), channel, "ada", domain.PostersOpen))
	ok(t, s.store.Posts.Block(t.Context(), channel, "ada", s.account("bob")))
	bob.open(path + "/edit").want(403).says("You are blocked here")
	form.press().want(403).says("You are blocked here", "typed before")
	if bob.open("/channels/Engines").want(200).href("Edit") != "" {
		t.Error("the channel leads the author of a post to a form that is refused")
	}
	post := bob.open(path).want(200).says("before")
	if post.href("Edit") != "" {
		t.Error("the page of a post leads its author to a form that is refused")
	}
	post.form("Delete this post").press().at("/channels/Engines").saysNot("before")
	s.mustBeSound()
}

func (s *site) account(name domain.UserName) domain.User {
	s.Helper()
	account, err := s.store.Accounts.Get(s.Context(), name)
	ok(s, err)
	return account
}

func ownerRulesOnPages(t *testing.T) {
	s, ada, channel := enginesBrowser(t, "ada")
	s.author("bob")
	blog := s.post(channel, "bob", "of bob")
	path := postPage(channel, blog)
	ada.open(path).form("Block @bob").press().at(path).says("You blocked @bob.").form("Unblock @bob").press().at(path)
	ada.open("/channels/Engines").form("Block @bob").elsewhere().press().at("/channels/Engines").says("You blocked @bob.")
	ada.open(path).says("Unblock @bob")
	s.signedIn("eve").open(path).saysNot("Block @bob", "Unblock @bob")
	settings := ada.open("/channels/Engines").follow("Settings").form("Save all")
	is(t, "the blocked accounts with a tick", settings.values["blocked"], []string{"bob"})
	settings.values.Del("blocked")
	settings.press().at("/channels/Engines").says("Saved: blocked accounts.")
	ada.open(path).says("Block @bob")
	s.mustBeSound()
}

package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestPosting(t *testing.T) {
	t.Run("a post that is refused is offered to another channel, with its text", refusedPostGoesElsewhere)
	t.Run("who may not post is refused by the API, alone and in a batch", apiRefusesWhoMayNotPost)
	t.Run("a channel that is read alone says who may post", channelSaysWhoMayPost)
	t.Run("pages say who may post before one types", pagesSayWhoMayPost)
	t.Run("who may not post may not edit either, and may delete", whoMayNotPostMayDelete)
	t.Run("the owner rules on the page of the channel and of a post", ownerRulesOnPages)
	t.Run("one Save saves all that was chosen, and names it", oneSaveSavesAll)
	t.Run("settings of which one is wrong save nothing, and lose nothing", wrongSettingSavesNothing)
	t.Run("settings that another has changed meanwhile are shown with both", settingsMeet)
	t.Run("a Save that stops half-way says what is saved", halfASaveSaysWhatIsSaved)
	t.Run("a Save whose reply was lost is no conflict, and a change between its reads and its write is one", saveMeetsItselfOrAnother)
	t.Run("settings of an ended session keep each choice and tick", endedSessionKeepsChoices)
	t.Run("a new channel is for its owner alone, unless they choose", newChannelAsks)
	t.Run("the owner lists, adds and removes members through the API", ownerRulesOnMembers)
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

// settings is the form with the settings of a channel. Its owner has signed up bob and eve.
func settings(t *testing.T) (s *site, ada *browser, channel domain.Channel, open func() form) {
	s, ada, channel = enginesBrowser(t, "ada")
	s.author("bob")
	s.author("eve")
	return s, ada, channel, func() form { return ada.open("/channels/Engines/edit").want(200).form("Save all") }
}

func (s *site) rule(in domain.Channel) (words [3]string) {
	s.Helper()
	rule, err := s.store.Posts.PostingRule(s.Context(), in)
	ok(s, err)
	return [3]string{string(rule.Posters), fmt.Sprint(rule.Members), fmt.Sprint(rule.Blocked)}
}

func oneSaveSavesAll(t *testing.T) {
	s, _, _, open := settings(t)
	open().fill("description", "Pistons").fill("posting", "members").fill("add-member", "bob, @Eve ada").press().
		at("/channels/Engines").says("Saved: description, who may post, members.", "Pistons", "· members post")
	again := open()
	is(t, "the members with a tick", again.values["member"], []string{"bob", "eve"})
	again.values["member"] = []string{"eve"}
	again.fill("add-blocked", "bob").press().says("Saved: members, blocked accounts.")
	open().press().says("Nothing was changed.")
	is(t, "the members", open().values["member"], []string{"eve"})
	open().fill("posting", "owner").press().says("Saved: who may post.")
	is(t, "the members of a list that does not count now", open().values["member"], []string{"eve"})
	s.mustBeSound()
}

func wrongSettingSavesNothing(t *testing.T) {
	s, _, channel, open := settings(t)
	before := s.rule(channel)
	for field, c := range map[string]struct{ value, says string }{
		"description": {strings.Repeat("x", 501), "at most 500"},
		"posting":     {"all", "must be"},
		"add-member":  {"bob zoe yan", "No account is called “zoe” or “yan”."},
		"add-blocked": {"ada", "You own the channel"},
	} {
		wrong := open().fill("description", "Pistons").fill("posting", "members").fill("add-member", "bob").fill("add-blocked", "eve")
		refused := wrong.fill(field, c.value).press().unwritten().want(422).complains(field, c.says).says("Nothing is saved yet.").form("Save all")
		for name := range wrong.values {
			if name != "posting" || field != "posting" {
				is(t, "with a wrong "+field+", "+name, refused.values.Get(name), wrong.values.Get(name))
			}
		}
		is(t, "the rule", s.rule(channel), before)
	}
	var many []domain.User
	for i := range storage.MaxMembers {
		many = append(many, s.account(s.author(fmt.Sprintf("m%03d", i))))
	}
	ok(t, s.store.Posts.ChangeRule(t.Context(), channel, "ada", func(now *domain.Posting) error {
		now.Members = many
		return nil
	}))
	open().fill("description", "One more").fill("add-member", "bob").press().unwritten().want(422).
		complains("add-member", "There would be 201 members: a channel can have 200 at most.").says("Nothing is saved yet.")
	s.do("GET", "/api/v1/channels/Engines").holds("description", "All about Engines")
}

func settingsMeet(t *testing.T) {
	s, _, channel, open := settings(t)
	late := open().fill("description", "Mine").fill("posting", "owner")
	open().fill("posting", "members").fill("add-member", "bob").press().at("/channels/Engines")
	before := s.rule(channel)
	both := late.press().unwritten().want(412).says("Nothing is saved yet.", "Another choice of who may post was saved meanwhile: “Members”.").form("Save all")
	is(t, "the rule", s.rule(channel), before)
	is(t, "my choice", both.values.Get("posting"), "owner")
	is(t, "my description", both.values.Get("description"), "Mine")
	is(t, "their members", both.values["member"], []string{"bob"})
	both.press().at("/channels/Engines").says("Saved: description, who may post.", "· only ada posts")
	words := open().fill("description", "Two tabs")
	open().fill("posting", "members").fill("member", "").press().at("/channels/Engines")
	both = words.press().unwritten().want(412).
		says("Another choice of who may post was saved meanwhile: “Members”. Another list of members was saved meanwhile: an empty one. What").form("Save all")
	is(t, "a choice that only they have made", both.values.Get("posting"), "members")
	both.press().at("/channels/Engines").says("Saved: description.", "Two tabs", "· members post")
	again := open().fill("description", "Mine, again")
	again.press().at("/channels/Engines")
	again.press().at("/channels/Engines") // as a double click does
}

func halfASaveSaysWhatIsSaved(t *testing.T) {
	s, _, channel, open := settings(t)
	form := open().fill("description", "Pistons").fill("posting", "members").fill("add-member", "bob")
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallTransact && call.Target == "Channels" {
			return domain.ErrUnavailable
		}
		return send(ctx)
	})
	half := form.press().want(503).says("Who may post is saved. The description is not.")
	s.mendStore()
	is(t, "who may post", s.rule(channel)[0], "members")
	half.form("Save all").press().at("/channels/Engines").says("Saved: description.", "Pistons", "· members post")

	form, first := open().fill("description", "Valves").fill("posting", "open"), true
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallTransact && call.Target == "Channels" && first {
			first = false
			_, err := s.store.Channels.Update(ctx, channel.Ref(), "ada", func(about *domain.About) error {
				about.Description = "Theirs"
				return nil
			})
			ok(t, err)
		}
		return send(ctx)
	})
	form.press().want(412).says("Who may post is saved. The description is not. Another description was saved meanwhile: “Theirs”. What you")
	s.mendStore()
}

func saveMeetsItselfOrAnother(t *testing.T) {
	s, _, channel, open := settings(t)
	form, answered := open().fill("posting", "members").fill("add-member", "bob"), false
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		err := send(ctx)
		if call.Method == driver.CallTransact && !answered {
			answered, err = true, send(ctx) // as a client does that had no answer
		}
		return err
	})
	form.press().at("/channels/Engines").says("Saved: who may post, members.")
	form, before := open().fill("posting", "owner"), true
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallTransact && before {
			before = false
			ok(t, s.store.Posts.SetRule(ctx, channel, "ada", domain.PostersOpen))
		}
		return send(ctx)
	})
	form.press().want(412).says("Another choice of who may post was saved meanwhile: “Anyone with an account”.")
	s.mendStore()
	is(t, "who may post", s.rule(channel)[0], "open")
}

func endedSessionKeepsChoices(t *testing.T) {
	s, _, channel, open := settings(t)
	open().fill("posting", "members").fill("add-member", "bob eve").press().at("/channels/Engines")
	before, form := s.rule(channel), open().fill("description", "Pistons")
	s.endSessions("ada")
	refused := form.press().unwritten().want(401)
	refused.signInElsewhere("ada")
	refused.form("Save all").press().at("/channels/Engines").says("Saved: description.")
	is(t, "the rule", s.rule(channel), before)
}

func newChannelAsks(t *testing.T) {
	s := newSite(t)
	ada := s.signedIn("ada")
	s.author("bob")
	form := ada.open("/channels/new").form("Create channel").fill("name", "Club")
	is(t, "what is chosen", form.values.Get("posting"), "owner")
	form.press().at("/channels/Club").says("· only ada posts")
	members := ada.open("/channels/new").form("Create channel").fill("name", "Rowing").fill("posting", "members")
	members.fill("add-member", "zoe bob").press().unwritten().want(422).complains("add-member", "No account is called “zoe”.").
		form("Create channel").fill("add-member", "bob").press().at("/channels/Rowing").says("· members post")
	if !s.again("bob").open("/channels/Rowing").hasForm("Post") {
		t.Error("a member has no form for a post")
	}
	ada.open("/channels/new").form("Create channel").fill("name", "Open").fill("posting", "open").press().at("/channels/Open").says("· anyone may post")
}

func ownerRulesOnMembers(t *testing.T) {
	s, ada, _ := engines(t, "ada")
	bob := s.signUp("bob")
	const members = "/api/v1/channels/Engines/members"
	s.do("PATCH", "/api/v1/channels/Engines", bearer(ada), fields("posting", "members")).want(204)
	post := func(status int) answer {
		return s.do("POST", enginesBlogs, bearer(bob), fields("text", "x")).want(status)
	}
	post(403).has("Ask the owner of the channel to become one.")
	for range 2 {
		s.do("PUT", members+"/bob", bearer(ada)).want(204)
	}
	is(t, "the members", s.do("GET", members, bearer(ada)).want(200).get("items"), any([]any{map[string]any{"name": "bob"}}))
	post(201)
	s.do("DELETE", members+"/bob", bearer(ada)).want(204)
	post(403)
	s.do("PUT", members+"/bob", bearer(bob)).unwritten().want(403)
	s.do("GET", members, bearer(bob)).want(403)
	s.mustBeSound()
}

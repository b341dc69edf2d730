package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestDraft(t *testing.T) {
	t.Run("of an ended session is sent once, after its author has signed in in another tab", draftOfAnEndedSession)
	t.Run("is not sent in the name of another user", draftIsNotSentInTheNameOfAnotherUser)
	t.Run("is shown by whatever refuses it", draftIsShownByWhateverRefusesIt)
	t.Run("is shown no longer than a text may be, and says so", longDraftIsCut)
	t.Run("behind a shut gate leads to the gate", draftBehindAShutGateLeadsToTheGate)
	t.Run("of another origin is not shown", draftOfAnotherOriginIsNotShown)
}

const draftText = "What I wrote,\nin two lines"

// draftForms has every form for text, with a text typed into it.
func draftForms(s *site, b *browser) map[string]form {
	s.Helper()
	channel := s.channel("Engines", "ada")
	post := s.post(channel, "ada", "Before")
	return map[string]form{
		"Post":           b.open("/channels/Engines").form("Post").fill("title", "Mine").fill("text", draftText),
		"Save":           b.open(permalink(channel, post)+"/edit").form("Save").fill("title", "Mine").fill("text", draftText),
		"Reply":          b.open(postPage(channel, post)).form("Reply").fill("text", draftText),
		"Describe":       b.open("/channels/Engines/edit").form("Save all").fill("description", draftText),
		"Create channel": b.open("/channels/new").form("Create channel").fill("name", "Brakes").fill("description", draftText),
	}
}

// endSessions makes the cookies of a user worthless, as time does.
func (s *site) endSessions(user domain.UserName) {
	s.Helper()
	ok(s, s.store.Accounts.EndSessions(s.Context(), user))
}

// wrote returns what the page shows again of the text.
func (p page) wrote() string {
	p.t.Helper()
	for _, n := range all(p.doc, tag("textarea")) {
		return strings.TrimPrefix(text(n), "\n")
	}
	p.t.Fatalf("%s has no text:\n%s", p.path, p.body)
	return ""
}

// signInElsewhere signs in a user in another tab, to which the page has a link.
func (p page) signInElsewhere(user string) {
	p.t.Helper()
	link := one(p.doc, func(n *html.Node) bool { return tag("a")(n) && attr(n, "target") == "_blank" && seen(n) == "Sign in" })
	if link == nil {
		p.t.Fatalf("no link to sign in in another tab than %s:\n%s", p.path, p.body)
	}
	p.b.open(attr(link, "href")).form("Sign in").fill("name", user).fill("password", password).press().want(200)
}

// sends is the button that sends again what was typed into a form of draftForms.
func sends(form string) string {
	if form == "Describe" {
		return "Save all"
	}
	return form
}

func draftOfAnEndedSession(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	for name, sent := range draftForms(s, b) {
		s.endSessions("ada")
		refused := sent.press().unwritten().want(401).says("You are not signed in any more")
		refused = refused.form(sends(name)).press().unwritten().want(401)
		is(t, name, refused.wrote(), draftText)
		again := refused.form(sends(name))
		is(t, name+" has the key", again.values.Get("key"), sent.values.Get("key"))
		is(t, name+" goes to", again.action, sent.action)
		refused.signInElsewhere("ada")
		for range 2 { // as a double click does
			p := again.press().want(200).says("What I wrote,")
			if p.first != http.StatusSeeOther {
				t.Errorf("%s: %d", name, p.first)
			}
		}
	}
	if got := b.open("/channels/Engines").texts(); len(got) != 2 {
		t.Errorf("posts %q, want the one that was edited and the new one", got)
	}
}

func draftIsNotSentInTheNameOfAnotherUser(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.author("bob")
	sent := draftForms(s, b)["Post"]
	s.endSessions("ada")
	signedOut := sent.press().want(401)
	signedOut.signInElsewhere("bob")
	refused := signedOut.form("Post").press().want(409).says("You are signed in as bob now", "What ada wrote").saysNot("What you wrote")
	is(t, "shows", refused.wrote(), draftText)
	if got := b.open("/channels/Engines").texts(); len(got) != 1 {
		t.Fatalf("posts %q", got)
	}
	refused.form("Post").press().at("/channels/Engines").says("What I wrote,", "bob")
}

func draftIsShownByWhateverRefusesIt(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		refuse func(s *site, f form) form
		sends  bool
	}{
		"the store does not answer": {503, func(s *site, f form) form { s.breakStore(everyCall(drivertest.ErrInjected)); return f }, true},
		"it is not yours": {403, func(s *site, f form) form {
			f.values.Del("user")
			f.b = s.again("bob")
			return f
		}, false},
		"the channel is gone": {404, func(s *site, f form) form { f.action = strings.Replace(f.action, "Engines", "Gone", 1); return f }, false},
		"it is one too many": {429, func(s *site, f form) form {
			s.do("DELETE", "/api/v1/subscriptions/Engines", cookie(f.b.jar["session"]))
			return f
		}, true},
		"it is too long": {422, func(s *site, f form) form { return f.long() }, true},
	} {
		t.Run(name, func(t *testing.T) {
			var options web.Options
			if test.status == 429 {
				options = web.Options{WriteRate: 1.0 / 3600, WriteBurst: 1}
			}
			s := newSiteWith(t, options)
			b := s.signedIn("ada")
			s.author("bob")
			for kind, sent := range draftForms(s, b) {
				if kind == "Create channel" && (test.status == 403 || test.status == 404) || (kind == "Post" || kind == "Reply") && test.status == 403 {
					continue // everybody may, and it is of no channel
				}
				sent = test.refuse(s, sent)
				p := sent.b.send("POST", sent.action, posted(sent.values))
				p.want(test.status)
				if got := p.wrote(); !strings.HasPrefix(got, draftText) {
					t.Errorf("%s: shows %q", kind, got)
				}
				is(t, kind, strings.Contains(string(p.body), `class="main"`), test.sends)
				s.mendStore()
				if test.status == 503 {
					p.form(sends(kind)).press().want(200).says("What I wrote,")
				}
			}
		})
	}
}

func longDraftIsCut(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	for _, long := range []string{strings.Repeat(`"`, 5000), strings.Repeat(`"`, 18_000)} {
		form := url.Values{"text": {long}, "base": {long}, "other": {long}, "key": {"k1"}}
		p := b.send("POST", "/channels/Engines/blogs/1/edit", posted(form)).want(401)
		is(t, "characters shown", len(p.wrote()), 5000)
		is(t, "says that it is cut", strings.Contains(string(p.body), "This is only the beginning."), len(long) > 5000)
		if again := p.form("Save").values; again.Get("key") != "k1" || len(long) == 5000 && again.Get("base") != long {
			t.Errorf("a draft of %d is sent again with key %q and base of %d", len(long), again.Get("key"), len(again.Get("base")))
		}
		if len(p.body) > 100<<10 {
			t.Errorf("a draft of %d makes an answer of %d bytes", len(long), len(p.body))
		}
	}
}

// long makes what was draftText too long.
func (f form) long() form {
	for _, name := range []string{"text", "description"} {
		if f.values.Has(name) {
			f.values.Set(name, draftText+strings.Repeat("x", 6000))
		}
	}
	return f
}

func draftBehindAShutGateLeadsToTheGate(t *testing.T) {
	s := newTeachingSite(t)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	channel := s.channel("Engines", "ada")
	open := func(b *browser) form { return b.open("/channels/Engines").form("Post").fill("text", draftText) }
	mine, his := open(ada), open(bob)
	mine.values.Set("incarnation", string(channel.Incarnation))
	his.values.Set("incarnation", string(channel.Incarnation))
	ada.open("/channels/Engines/delete").form("Delete channel and posts").press()

	for _, stage := range []string{"marked", "shut", "gone"} {
		status, sentence := 410, "This channel was deleted That may still be undone. Your post was refused. "
		switch stage {
		case "shut":
			if _, err := s.store.Operator.ShutGate(t.Context(), channel.Ref()); err != nil {
				t.Fatal(err)
			}
		case "gone":
			s.cascade(channel.Ref())
			status, sentence = 404, "It was deleted while you wrote. Your post was refused. "
		}
		p := mine.press().want(status).says(sentence).saysNot("gate is shut")
		if p.wrote() != draftText {
			t.Errorf("the owner sees %s", p.body)
		}
		p = his.press().want(status).says(sentence).saysNot("gate is shut", "gate that refused")
		if p.wrote() != draftText {
			t.Errorf("shows %q", p.wrote())
		}
		to, id, _ := strings.Cut(p.href("How its gate keeps late writes out"), "#")
		p = his.b.open(to).want(200)
		if one(p.doc, func(n *html.Node) bool { return attr(n, "id") == id }) == nil {
			t.Error("the explanation has no gate")
		}
	}
}

func draftOfAnotherOriginIsNotShown(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	for name, sent := range draftForms(s, b) {
		p := b.send("POST", sent.action, posted(sent.values), header("Sec-Fetch-Site", "cross-site")).unwritten().want(403).saysNot("What I wrote,")
		if len(all(p.doc, tag("textarea"))) != 0 {
			t.Errorf("%s: the page has the text of another site", name)
		}
	}
}

package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/web"
)

func TestReply(t *testing.T) {
	t.Run("is on the page of its post, and lists lead to it", replyIsOnThePageOfItsPost)
	t.Run("is made once, however often its request is sent", replyIsMadeOnce)
	t.Run("that is refused is kept in its form, with why", refusedReplyIsKept)
	t.Run("to a post that is gone is refused, and shown", replyToAGonePost)
	t.Run("is offered only to those who may post", replyIsOfferedToThoseWhoMay)
	t.Run("is deleted by its author, the owner and operators, and by no other user", replyIsDeleted)
	t.Run("is gone with its post", replyIsGoneWithItsPost)
	t.Run("to an id that is no post's is refused as one to a post that is gone", replyToNoPost)
	t.Run("to a post of an author who leaves is refused, as its readers find none", replyToAnAuthorWhoLeaves)
	t.Run("is on the page of 50 that its address says", repliesAreOnPages)
	t.Run("leads to the page that has it, if others have filled the one with its form", replyLeadsToThePageThatHasIt)
	t.Run("is among the newest on the last page", newestRepliesAreOnTheLastPage)
	t.Run("beyond the limit is refused, and the page names the limit before", drivertest.Long(replyBeyondTheLimit))
	t.Run("makes no edit stale, and another version of the post", replyMakesNoEditStale)
	t.Run("brings its post to the top of what its author, and who replied, find under Yours", replyBringsItsPostToTheTop)
	t.Run("is in no feed", replyIsInNoFeed)
}

// replies are the texts of the replies on the page.
func (p page) replies() (texts []string) {
	p.t.Helper()
	for _, n := range all(p.doc, func(n *html.Node) bool { return tag("article")(n) && strings.HasPrefix(attr(n, "id"), "reply-") }) {
		texts = append(texts, seen(one(n, func(n *html.Node) bool { return attr(n, "class") == "text" })))
	}
	return texts
}

// atReply fails the test unless a form led to a reply on the page at a path.
func (p page) atReply(path string) page {
	p.t.Helper()
	at, fragment, _ := strings.Cut(p.path, "#")
	p.path = at
	if one(p.doc, func(n *html.Node) bool { return fragment != "" && attr(n, "id") == fragment }) == nil {
		p.t.Errorf("%s has no %q", at, fragment)
	}
	return p.at(path).says("Your reply is published.")
}

// repliesPath is the list of the replies to a post, for programs.
func repliesPath(in domain.Channel, to domain.Blog) string { return blogPath(in, to.ID) + "/replies" }

func replyIsOnThePageOfItsPost(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	ada := s.signedIn("ada")
	post := s.post(channel, "ada", "Who has the keys?")
	path := postPage(channel, post)
	is(t, "leads to", bob.open("/channels/Engines").href("Reply to the post by @ada"), path+"#write")
	answered := bob.open(path).form("Reply").fill("text", "I *do*.").press().atReply(path)
	is(t, "replies", fmt.Sprint(answered.replies()), "[I do.]")
	again := ada.open(path).form("Reply").fill("text", "Thanks!").press().atReply(path)
	is(t, "replies", fmt.Sprint(again.replies()), "[I do. Thanks!]")
	for _, list := range []string{"/channels/Engines", "/latest", "/search?q=keys", "/users/ada"} {
		is(t, list+" leads to", bob.open(list).href("Replies to the post by @ada"), path+"#replies")
	}
	a := s.do("GET", repliesPath(channel, post)).want(200)
	is(t, "replies in the API", fmt.Sprint(s.listed(repliesPath(channel, post), "text"), s.listed(repliesPath(channel, post), "userId")), "[I *do*. Thanks!] [bob ada]")
	s.do("GET", blogPath(channel, post.ID)).want(200).holds("repliedOn", a.get("items.1.createdOn"))
	anonymous := s.browser()
	is(t, "anonymous clients see", fmt.Sprint(anonymous.open(path).says("Sign in to reply.").replies()), "[I do. Thanks!]")
	anonymous.open("/channels/Engines").says("Replies to the post by @ada")
	s.mustBeSound()
}

func replyIsMadeOnce(t *testing.T) {
	s, bob, channel := engines(t, "bob")
	post, other := s.post(channel, "ada", "One"), s.post(channel, "ada", "Other")
	send := func(to domain.Blog, text string) answer {
		return s.do("POST", repliesPath(channel, to), bearer(bob), header("Idempotency-Key", "k"), fields("text", text))
	}
	first := send(post, "a\r\nb").want(201)
	for range 2 {
		again := send(post, "a\nb").want(200)
		is(t, "made", again.text("id"), first.text("id"))
		is(t, "is at", again.header.Get("Location"), first.header.Get("Location"))
	}
	send(post, "c").want(422).holds("type", "urn:microblogging:key-reused")
	send(other, "a\nb").want(422).holds("type", "urn:microblogging:key-reused")
	s.do("POST", enginesBlogs, bearer(bob), header("Idempotency-Key", "k"), fields("text", "a\nb")).want(422)
	s.do("DELETE", first.header.Get("Location"), bearer(bob)).want(204)
	if detail := send(post, "a\nb").want(410).text("detail"); !strings.Contains(detail, "reply") {
		t.Errorf("the key of a reply that was deleted: %q", detail)
	}
	// Pages of one version have keys of their own, so a form that was shown before is no other one's.
	b := s.again("bob")
	forms := []form{b.open(postPage(channel, post)).form("Reply").fill("text", "d"), b.open(postPage(channel, other)).form("Reply").fill("text", "d")}
	for _, form := range append(forms, forms...) {
		form.press().atReply(form.path)
	}
	for _, to := range []domain.Blog{post, other} {
		is(t, "replies", fmt.Sprint(s.listed(repliesPath(channel, to), "text")), "[d]")
	}
	s.mustBeSound()
}

func refusedReplyIsKept(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	post := s.post(channel, "ada", "One")
	form := bob.open(postPage(channel, post)).form("Reply")
	long := strings.Repeat("x", 5001)
	for typed, says := range map[string]string{" ": "Text must not be blank.", long: "Text must have at most 5000 characters, this has 5001."} {
		refused := form.fill("text", typed).press().unwritten().want(422).says(says, "One")
		is(t, "text", refused.wrote(), typed)
		is(t, "key", refused.form("Reply").values.Get("key"), form.values.Get("key"))
		refused.form("Reply").fill("text", "Better").press().atReply(postPage(channel, post)).says("Better")
		s.do("DELETE", repliesPath(channel, post)+"/"+s.listed(repliesPath(channel, post), "id")[0], cookie(bob.jar["session"])).want(204)
		form = bob.open(postPage(channel, post)).form("Reply")
	}
	sent := form.fill("text", "First")
	sent.press().want(200)
	refused := sent.fill("text", "Second").press().want(422).says("that reply is there")
	sent = refused.form("Reply").press().atReply(postPage(channel, post)).form("Reply")
	ok(t, s.store.Posts.Block(t.Context(), channel, "ada", s.account("bob")))
	is(t, "text", sent.fill("text", "Third").press().unwritten().want(403).
		heading("You may not post in “Engines”").says("@ada has blocked you here. Nothing was posted.").wrote(), "Third")
	s.do("POST", repliesPath(channel, post), cookie(bob.jar["session"]), fields("text", "x")).unwritten().want(403)
	is(t, "replies", fmt.Sprint(s.listed(repliesPath(channel, post), "text")), "[First Second]")
	s.mustBeSound()
}

func replyToAGonePost(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	wheels := s.channel("Wheels", "ada")
	post := s.post(channel, "ada", "One")
	form := bob.open(postPage(channel, post)).form("Reply").fill("text", draftText)
	ok(t, s.store.Posts.Delete(t.Context(), channel, post.ID, domain.By("ada"), domain.Any[domain.Revision]()))
	for range 2 {
		refused := form.press().want(410).heading("The post has been deleted").says("your reply was refused")
		is(t, "text", refused.wrote(), draftText)
		form.values.Set("text", draftText)
	}
	form.values.Set("text", " ")
	form.press().want(410).heading("The post has been deleted")
	for _, in := range []domain.Channel{channel, wheels} { // there, or of another channel
		a := s.do("POST", repliesPath(in, post), cookie(bob.jar["session"]), fields("text", "x")).want(410)
		if !strings.Contains(a.text("detail"), "no such post") {
			t.Errorf("a post that is not there: %s", a.body)
		}
		s.do("GET", repliesPath(in, post)).want(404)
	}
	s.mustBeSound()
}

func replyToNoPost(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	post := s.post(channel, "ada", "One")
	form := bob.open(postPage(channel, post)).form("Reply").fill("text", draftText)
	for _, id := range []string{string(s.reply(channel, post, "ada", "Of ada").ID), "x", string(post.ID) + "x"} {
		refused := bob.send("POST", "/channels/Engines/blogs/"+id, posted(form.values)).unwritten().want(410).heading("The post has been deleted")
		is(t, "text", refused.wrote(), draftText)
		s.do("POST", enginesBlogs+"/"+id+"/replies", cookie(bob.jar["session"]), fields("text", "x")).unwritten().want(410)
	}
}

func replyToAnAuthorWhoLeaves(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.signUp("eve")
	post := s.post(channel, "eve", "One")
	form := bob.open(postPage(channel, post)).form("Reply").fill("text", draftText)
	_, err := s.store.Accounts.Delete(t.Context(), storage.Attempt{Name: "eve", Password: password}, false)
	ok(t, err)
	ok(t, s.store.Accounts.FindLeaving(t.Context())) // as the process does every few seconds
	bob.open(postPage(channel, post)).want(404)
	is(t, "text", form.press().unwritten().want(410).heading("The post has been deleted").wrote(), draftText)
	s.do("POST", repliesPath(channel, post), cookie(bob.jar["session"]), fields("text", "x")).unwritten().want(410)
}

func replyIsOfferedToThoseWhoMay(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	ada, eve, anonymous := s.signedIn("ada"), s.signedIn("eve"), s.browser()
	path := postPage(channel, s.post(channel, string(s.author("grace")), "One"))
	offers := func(b *browser, why string) {
		t.Helper()
		page, list := b.open(path).want(200).says(why), b.open("/channels/Engines").want(200)
		is(t, "has the form", page.hasForm("Reply"), why == "")
		is(t, "a list leads to it", list.href("Reply to the post by @grace") != "", why == "" && b != anonymous)
	}
	offers(bob, "")
	anonymous.open(path).says("Sign in to reply.")
	ok(t, s.store.Posts.SetRule(t.Context(), channel, "ada", domain.PostersOwner))
	offers(bob, "Only @ada posts here.")
	offers(anonymous, "Only @ada posts here.")
	offers(ada, "")
	ok(t, s.store.Posts.SetRule(t.Context(), channel, "ada", domain.PostersOpen))
	ok(t, s.store.Posts.Block(t.Context(), channel, "ada", s.account("bob")))
	offers(eve, "")
	offers(bob, "@ada has blocked you here.")
	offers(eve, "")
}

func replyIsDeleted(t *testing.T) {
	s := newSiteWith(t, web.Options{Operators: domain.Operators{"grace"}})
	ada, bob, eve, grace := s.signedIn("ada"), s.signedIn("bob"), s.signedIn("eve"), s.signedIn("grace")
	channel := s.channel("Engines", "ada")
	post := s.post(channel, "eve", "One")
	path := postPage(channel, post)
	for who, b := range map[string]*browser{"Delete this reply": bob, "Delete this reply ": ada, "Remove this reply": grace} {
		reply := s.reply(channel, post, "bob", "Of bob")
		own := repliesPath(channel, post) + "/" + string(reply.ID)
		s.do("DELETE", own, cookie(eve.jar["session"])).unwritten().want(403)
		eve.send("POST", path, posted(url.Values{"action": {"delete-reply"}, "reply": {string(reply.ID)}, "incarnation": {string(channel.Incarnation)}})).unwritten().want(403)
		if eve.open(path).hasForm("Delete this reply") {
			t.Error("the author of a post is offered to delete a reply of another user")
		}
		is(t, "replies", len(b.open(path).form(strings.TrimSpace(who)).press().at(path).says("The reply is deleted.").replies()), 0)
		s.do("DELETE", own, cookie(b.jar["session"])).unwritten().want(404)
	}
	bob.open(path).says("They were deleted.")
	if acts := regexp.MustCompile(`remove reply.* account=(\w+)`).FindAllStringSubmatch(s.log.String(), -1); len(acts) != 1 || acts[0][1] != "bob" {
		t.Errorf("the log says not once that an operator removed a reply of bob:\n%s", s.log)
	}
	s.reply(channel, post, "bob", "Of bob")
	ada.open(path).form("Block @bob").press().at(path).says("You blocked @bob.")
	bob.open(path).says("@ada has blocked you here.")
	if ada.open(path).hasForm("Block @bob") {
		t.Error("the owner is offered to block the author of a reply again")
	}
	ada.open(path).form("Unblock @bob").press().at(path).says("You unblocked @bob.").form("Block @bob")
	s.mustBeSound()
}

func replyIsGoneWithItsPost(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	ada := s.signedIn("ada")
	ok(t, s.store.Operator.ListChannel(t.Context(), channel))
	post, stays := s.post(channel, "ada", "One"), s.post(channel, "ada", "Stays")
	s.reply(channel, post, "bob", "Of the post that goes")
	s.reply(channel, stays, "bob", "Of the post that stays")
	export := func(b *browser) string {
		return fmt.Sprint(files(t, s.do("GET", "/account/export.zip", b.cookies).want(200).body))
	}
	for _, b := range []*browser{ada, bob} {
		if text := export(b); !strings.Contains(text, "Of the post that goes") || !strings.Contains(text, "Of the post that stays") {
			t.Errorf("an export has no reply: %s", text)
		}
	}
	ada.open(postPage(channel, post)).says("Of the post that goes").form("Delete this post").press().at("/channels/Engines")
	bob.open(postPage(channel, post)).want(404)
	s.do("GET", repliesPath(channel, post)).want(404)
	for _, b := range []*browser{ada, bob} {
		if text := export(b); strings.Contains(text, "Of the post that goes") || !strings.Contains(text, "Of the post that stays") {
			t.Errorf("an export has a reply without its post: %s", text)
		}
	}
}

func repliesAreOnPages(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	post := s.post(channel, "ada", "One")
	path, want := postPage(channel, post), []string{}
	for i := range 52 {
		want = append(want, fmt.Sprint("Reply ", i))
		s.reply(channel, post, "bob", want[i])
	}
	first := bob.open(path)
	is(t, "the first page", fmt.Sprint(first.replies()), fmt.Sprint(want[:50]))
	if first.says("The form for a reply is below the last one.").hasForm("Reply") {
		t.Error("the form is not below the last reply")
	}
	last := first.follow("Later replies →").says("A post takes about 1,000 replies.")
	is(t, "the last page", fmt.Sprint(last.replies()), fmt.Sprint(want[50:]))
	form := last.form("Reply")
	sent := form.fill("text", "Reply 52").press().atReply(last.path)
	is(t, "the last page", fmt.Sprint(sent.want(200).replies()), fmt.Sprint(append(want[50:], "Reply 52")))
	is(t, "refused there", len(form.fill("text", " ").press().want(422).replies()), 3)
	sent.form("Delete this reply").press().want(200).says("The reply is deleted.")
	is(t, "leads to", sent.follow("← First replies").path, path)
}

func replyLeadsToThePageThatHasIt(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	post := s.post(channel, "ada", "One")
	path := postPage(channel, post)
	last := path + "?after=last"
	for i := range 50 {
		s.reply(channel, post, "ada", fmt.Sprint("Reply ", i))
	}
	form := bob.open(path).form("Reply")
	told := func(text, want string) { // a script
		t.Helper()
		form.values.Set("key", text)
		a := s.do("POST", form.action, bob.cookies, posted(form.fill("text", text).values), header("Prefer", "return=representation")).want(200)
		at, fragment, _ := strings.Cut(a.header.Get("Location"), "#")
		is(t, "leads a script to", at, want)
		if page := bob.open(at).want(200); fragment == "" || one(page.doc, func(n *html.Node) bool { return attr(n, "id") == fragment }) == nil {
			t.Errorf("%s has no %q", at, fragment)
		}
	}
	replies := form.fill("text", "The 51st").press().atReply(last).replies()
	is(t, "the newest", fmt.Sprint(len(replies), " ", replies[49]), "50 The 51st")
	told("The 52nd", last)
	form = bob.open(last).form("Reply")
	form.fill("text", "The 53rd").press().atReply(last)
	told("The 54th", last)
	short := s.post(channel, "ada", "Two")
	form = bob.open(postPage(channel, short)).form("Reply")
	told("The first", postPage(channel, short))
	var made atomic.Bool
	s.breakStore(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if made.Load() {
			return domain.ErrUnavailable
		}
		err := send(ctx)
		made.Store(err == nil && call.Method == driver.CallTransact && call.Target == "Blogs")
		return err
	})
	form.values.Set("key", "other")
	a := s.do("POST", form.action, bob.cookies, posted(form.fill("text", "Second").values)).want(303)
	at, _, _ := strings.Cut(a.header.Get("Location"), "#")
	is(t, "if the store fails once the reply is made, leads to", at, postPage(channel, short))
	s.mendStore()
	s.mustBeSound()
}

func newestRepliesAreOnTheLastPage(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	post := s.post(channel, "ada", "One")
	path := postPage(channel, post)
	var want []string
	for i := range 120 {
		want = append(want, fmt.Sprint("Reply ", i))
		s.reply(channel, post, "ada", want[i])
		if i == 49 {
			whole := bob.open(path + "?after=last")
			is(t, "the only page", fmt.Sprint(whole.replies()), fmt.Sprint(want))
			is(t, "leads to the first", whole.href("← First replies"), "")
			is(t, "its form is that of", whole.form("Reply").values.Get("next"), path)
		}
	}
	first := bob.open(path)
	last := first.follow("below the last one")
	is(t, "leads to the form at", last.path, path+"?after=last#write")
	is(t, "the last page", fmt.Sprint(last.replies()), fmt.Sprint(want[70:]))
	is(t, "has a next page", last.href("Later replies →"), "")
	is(t, "leads to", last.follow("← First replies").path, path)
	s.browser().open(path+"?after=last").says("Reply 119", "Sign in to reply.")
	// A page has as many as it has bytes for.
	for range 50 {
		s.reply(channel, post, "ada", strings.Repeat("😀", 5000))
	}
	long := bob.open(path + "?after=last").want(200)
	if n := len(long.replies()); n < 20 || n > 49 || long.href("← First replies") == "" {
		t.Errorf("the last page has %d long replies", n)
	}
}

func replyBeyondTheLimit(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	post := s.post(channel, "ada", "One")
	for range domain.MaxReplies {
		s.reply(channel, post, "ada", "Again")
	}
	full := s.do("POST", repliesPath(channel, post), cookie(bob.jar["session"]), fields("text", "x")).unwritten().want(422)
	full.wantField("text")
	page := bob.open(postPage(channel, post))
	for page.href("Later replies →") != "" {
		page = page.follow("Later replies →")
	}
	refused := page.form("Reply").fill("text", draftText).press().unwritten().want(422).says("the post has 1000 replies")
	is(t, "text", refused.wrote(), draftText)
	ok(t, s.store.Posts.Delete(t.Context(), channel, post.ID, domain.By("ada"), domain.Any[domain.Revision]()))
	s.do("POST", repliesPath(channel, post), cookie(bob.jar["session"]), fields("text", "x")).unwritten().want(410)
}

func replyMakesNoEditStale(t *testing.T) {
	s, ada, channel := engines(t, "ada")
	s.author("bob")
	post := s.post(channel, "ada", "One")
	path := blogPath(channel, post.ID)
	before := s.do("GET", path).want(200).header.Get("ETag")
	s.do("GET", path, header("If-None-Match", before)).want(304)
	for i := range 2 {
		s.reply(channel, post, "bob", "Of bob")
		now := s.do("GET", path, header("If-None-Match", before)).want(200).header.Get("ETag")
		s.do("PUT", path, bearer(ada), header("If-Match", before), fields("text", fmt.Sprint("Edit ", i))).want(200)
		s.do("PUT", path, bearer(ada), header("If-Match", now), fields("text", "x")).want(412)
		before = s.do("GET", path).want(200).header.Get("ETag")
	}
	s.reply(channel, post, "bob", "Of bob")
	s.do("DELETE", path, bearer(ada), header("If-Match", before)).want(204)
}

func replyBringsItsPostToTheTop(t *testing.T) {
	s, bob, channel := enginesBrowser(t, "bob")
	s.author("ada")
	s.channel("Wheels", "bob")
	bob.open("/yours").says("You have no posts")
	old, mid := s.postOn(time.Now().Add(-2*time.Hour), channel, "Old"), s.post(channel, "bob", "Mid")
	s.post(channel, "bob", "New")
	s.post(channel, "ada", "Of ada")
	headings := func() string { return fmt.Sprint(bob.open("/yours").titles()) }
	is(t, "yours", headings(), "[New Mid]")
	s.reply(channel, mid, "ada", "Of ada")
	is(t, "yours", headings(), "[Mid New]")
	s.reply(channel, old, "bob", "Of bob")
	is(t, "yours, with what bob replied to", headings(), "[Old Mid New]")
	s.reply(channel, mid, "bob", "Of bob, to his own")
	s.reply(channel, old, "ada", "Of ada")
	is(t, "yours", headings(), "[Old Mid New]")
	bob.open("/yours").says("Old Engines", "ada")
	bob.open("/yours").follow("Replies to the post by @ada").want(200).says("Old", "Of bob")
	bob.open("/yours").follow("Replies to the post by @bob").want(200).says("Mid", "Of ada")
	s.do("GET", "/yours").want(401)
}

func replyIsInNoFeed(t *testing.T) {
	s, _, channel := engines(t, "bob")
	s.author("ada")
	post := s.post(channel, "ada", "One")
	s.reply(channel, post, "bob", "Of bob")
	atom, json := feedsOf(channel)
	for _, path := range []string{atom, json, "/latest", "/search?q=bob", "/api/v1/search?q=bob", "/api/v1/latest", "/channels/Engines", enginesBlogs, enginesBlogs + "?find=bob"} {
		if a := s.do("GET", path).want(http.StatusOK); strings.Contains(string(a.body), "Of bob") {
			t.Errorf("%s has a reply: %s", path, a.body)
		}
	}
}

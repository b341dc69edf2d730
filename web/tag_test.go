package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
	"microblogging/templates"
	"microblogging/web"
)

func TestETag(t *testing.T) {
	t.Run("names one page, whatever changes", tagNamesOnePage)
	t.Run("is compared weakly and in a list", tagIsComparedWeaklyAndInAList)
	t.Run("is on no page that is shown once", tagIsOnNoPageThatIsShownOnce)
	t.Run("keeps no page beyond the session", pagesKeptAreDroppedWithTheSession)
}

// readable makes the channel Engines, and returns the paths of what it shows to everybody.
func (s *site) readable() []string {
	s.Helper()
	channel := s.channel("Engines", "ada")
	return sharedPaths(channel, s.post(channel, "ada", "Hello"))
}

func tagIsComparedWeaklyAndInAList(t *testing.T) {
	s := newSite(t)
	s.readable()
	for _, path := range []string{"/channels/Engines", "/channels", "/channels/Engines/feed.atom", "/api/v1/channels"} {
		tag := s.do("GET", path).want(200).header.Get("ETag")
		strong := strings.TrimPrefix(tag, "W/")
		for _, met := range []string{strong, "W/" + strong, `"x", ` + tag, `W/"x",` + strong, "*"} {
			s.do("GET", path, header("If-None-Match", met)).want(304)
		}
		s.do("GET", path, header("If-None-Match", `"x"`), header("If-None-Match", tag)).want(304)
		for _, missed := range []string{`"x"`, strings.Trim(strong, `"`), `"` + strong, ""} {
			s.do("GET", path, header("If-None-Match", missed)).want(200)
		}
	}
}

func tagIsOnNoPageThatIsShownOnce(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	s.readable()
	for _, a := range []answer{
		s.do("GET", "/channels/Engines", cookie(token), header("Cookie", "notice=posted")),
		s.do("GET", "/channels/Engines", header("Cookie", "notice=nothing")),
		s.do("GET", "/channels/new", cookie(token)),
		s.do("GET", "/digest", cookie(token), header("Cookie", "digest-secret=x")),
	} {
		a.want(200).headed("ETag", "").headed("Cache-Control", "no-store")
	}
	s.do("GET", "/sign-up").want(200).headed("ETag", "")
	tag := s.do("GET", "/channels/Engines").header.Get("ETag")
	s.do("GET", "/channels/Engines", header("Cookie", "notice=signed-out"), header("If-None-Match", tag)).want(200)
	s.do("GET", "/channels/Engines", header("Cookie", "notice=signed-out"), header("If-None-Match", "*")).want(200)
}

func pagesKeptAreDroppedWithTheSession(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for _, path := range []string{"/sign-out", "/account"} {
		a := s.do("POST", path, cookie(token), posted(url.Values{"action": {"end-sessions"}})).want(303)
		a.headed("Clear-Site-Data", `"cache"`)
		token = s.session("ada")
	}
}

// tagNamesOnePage changes, one after another, all that a page can show, and asks for each page after each change. A
// tag that is seen twice must name the same bytes, and a reader who has the page before the change gets 304 only if
// the page is the same.
func tagNamesOnePage(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	defer db.Close()
	s, lab := newSiteOver(t, db, web.Options{}), newSiteOver(t, db, web.Options{Routes: map[string]web.Handler{templates.LabIndexPath: failing}})
	ada, bob := s.signUp("ada"), s.signUp("bob")
	s.author("eve")
	channel, again := s.channel("Engines", "ada"), domain.Channel{}
	first, eves := s.post(channel, "bob", "First word"), s.post(channel, "eve", "Of eve")
	s.vote(first, 1)
	s.subscribe("bob", channel)
	users, subs, blogs := driver.NewTable(db, "Users"), driver.NewTable(db, "Subscriptions"), driver.NewTable(db, "Blogs")
	vote := schema.VoteRow(first.ID, "bob")
	own, err := subs.Range(t.Context(), driver.Range{Partition: "bob", Paging: driver.Paging{Limit: 1}})
	ok(t, err)
	subscribed := driver.Insert(own.Rows[0].Row, own.Rows[0].Properties...)
	write := func(table *driver.Table, partition string, operation driver.Operation) func() error {
		return func() error { return table.Transact(t.Context(), partition, operation) }
	}
	otherAccount := func(name string) func() error {
		return write(users, name, driver.Merge("", driver.Exists, driver.Time("CreatedOn", domain.Now().Add(time.Hour))))
	}
	posts, ctx := s.store.Posts, t.Context()
	api := func(method, path, token string, changes ...change) func() error {
		return func() error { s.do(method, path, append(changes, bearer(token))...); return nil }
	}

	type shown struct {
		on   *site
		path string
		who  change
	}
	const page, rated, latest, feed = "/channels/Engines", "/channels/Engines?order=rating", "/latest", "/"
	post, other := postPage(channel, first), postPage(channel, eves)
	var pages []shown
	seen := fmt.Sprint("; seen=0.", time.Now().Unix()) // else the feed sets the cookie, and has no tag
	for _, path := range []string{
		page, rated, "/channels/engines", page + "?rating=1", page + "?find=word", page + "?find=", page + "?day=2999-12-31", page + "?after=" + url.QueryEscape("x"), post, other, latest, feed,
	} {
		for _, who := range []change{cookie(ada + seen), cookie(bob + seen), header("Cookie", "other=1"), both(cookie(bob+seen), host("elsewhere.example"))} {
			pages = append(pages, shown{s, path, who}, shown{lab, path, who})
		}
	}
	bodies := map[string]string{} // by their tags
	ask := func(p shown, changes ...change) answer {
		a := p.on.do("GET", p.path, append(changes, p.who)...)
		if tag := a.header.Get("ETag"); a.status == 200 {
			if body, seen := bodies[tag]; tag == "" || seen && body != string(a.body) {
				t.Errorf("%s: the tag %s names two pages", p.path, tag)
			}
			bodies[tag] = string(a.body)
		}
		return a
	}
	for _, step := range []struct {
		name   string
		change func() error
		// on are pages of bob that show it.
		on []string
	}{
		{"nothing", func() error { return nil }, nil},
		{"a post", func() error { s.post(channel, "eve", "Another word"); return nil }, []string{page, rated, page + "?find=word", latest, feed}},
		{"an edit", api("PUT", blogPath(channel, first.ID), bob, header("If-Match", "*"), fields("text", "Second word")), []string{page, rated, post, latest, feed}},
		{"a vote", func() error { return posts.Vote(ctx, channel.Ref(), first.ID, "eve") }, []string{page, rated, post, latest, feed}},
		{"one's own vote", func() error { return posts.Vote(ctx, channel.Ref(), first.ID, "bob") }, []string{page, rated, post, latest, feed}},
		{"its end", func() error { return posts.Unvote(ctx, channel.Ref(), first.ID, "bob") }, []string{page, rated, post, latest, feed}},
		// As a request reads it that has read the version before the vote landed. The tag of the newest posts leaves the
		// vote to the version: a page that is as new as the vote has a version that is over.
		{"one's own vote alone", write(blogs, schema.ChannelPartition(channel.Key()), driver.Insert(vote)), []string{page, rated, post}},
		{"its end alone", write(blogs, schema.ChannelPartition(channel.Key()), driver.Delete(vote, driver.Exists)), []string{page, rated, post}},
		{"a reply", func() error { s.reply(channel, first, "eve", "Of eve"); return nil }, []string{page, rated, post, latest, feed}},
		{"a deletion of a reply", func() error {
			_, err := posts.DeleteReply(ctx, channel, first.ID, s.reply(channel, first, "eve", "Of eve again").ID, domain.By("eve"))
			return err
		}, []string{post}},
		{"a subscriber", func() error { return s.store.Subscriptions.Create(ctx, channel, "eve") }, []string{page, rated}},
		{"the end of one's subscription", func() error { return s.store.Subscriptions.Delete(ctx, channel.Ref(), "bob") }, []string{page, rated, feed}},
		{"one's own subscription alone", write(subs, "bob", subscribed), []string{page, rated}},
		{"a description", api("PATCH", "/api/v1/channels/Engines", ada, fields("description", "Other words")), []string{page, rated}},
		{"that the owner alone posts", func() error { return posts.SetRule(ctx, channel, "ada", domain.PostersOwner) }, []string{page, post, latest}},
		{"that all post", func() error { return posts.SetRule(ctx, channel, "ada", domain.PostersOpen) }, []string{page, post, latest}},
		{"a block", func() error { return posts.Block(ctx, channel, "ada", s.account("bob")) }, []string{page, post, latest}},
		// The tag of the newest posts depends on the session. Outside of this test, no session becomes one of another account.
		// So a post changes that tag here.
		{"another account of the blocked name", func() error { s.post(channel, "eve", "Third word"); return otherAccount("bob")() }, []string{page, post}},
		{"a block of an author", func() error { return posts.Block(ctx, channel, "ada", s.account("eve")) }, nil},
		{"another account of the author's name", otherAccount("eve"), nil},
		{"a deletion of a post", api("DELETE", blogPath(channel, eves.ID), ada), []string{page, rated, latest, feed}},
		{"another channel", func() error { s.post(s.channel("Boats", "ada"), "ada", "Of boats"); return nil }, []string{latest}},
		{"another channel of its name", func() error {
			s.requestDeletion(channel)
			s.cascade(channel.Ref())
			again = s.channel("Engines", "ada")
			s.post(again, "bob", "Second word")
			return nil
		}, []string{page, rated, latest}},
		{"a deletion of the channel", func() error { s.requestDeletion(again); return nil }, []string{page, rated, latest}},
	} {
		before := map[int]answer{}
		for i, p := range pages {
			if p.path != latest || !strings.HasSuffix(step.name, "alone") {
				before[i] = ask(p)
			}
		}
		ok(t, step.change())
		changed := map[string]bool{}
		for i, p := range pages {
			if before[i].status != 200 {
				continue
			}
			has, now := ask(p, header("If-None-Match", before[i].header.Get("ETag"))), ask(p)
			same := now.status == 200 && bytes.Equal(now.body, before[i].body)
			if !same {
				changed[p.path] = true
			}
			if has.status == 304 && !same || has.status != 304 && step.name == "nothing" {
				t.Errorf("after %s, %s of a reader who has the former page: %d; it is the same: %t", step.name, p.path, has.status, same)
			}
		}
		for _, path := range step.on {
			if !changed[path] {
				t.Errorf("%s does not change %s", step.name, path)
			}
		}
	}
}

func TestCompression(t *testing.T) {
	t.Run("is of no answer with the address of a personal feed", secretIsNotCompressed)
	t.Run("is not of what another site asked for with a cookie", otherSitesGetNoCompression)
}

func accepting(codings string) change { return header("Accept-Encoding", codings) }

// plain returns the body without its content coding.
func (a answer) plain() []byte {
	a.t.Helper()
	var reader io.Reader = bytes.NewReader(a.body)
	var err error
	switch coding := a.header.Get("Content-Encoding"); coding {
	case "gzip":
		reader, err = gzip.NewReader(reader)
	case "":
	default:
		a.t.Fatalf("Content-Encoding %q", coding)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return body
}

// Who can post in a channel that ada reads chooses words of her digest, which has the address
// of her personal feed.
func secretIsNotCompressed(t *testing.T) {
	s := newSite(t)
	ada := s.signedIn("ada")
	channel := s.channel("Engines", "bob")
	s.subscribe("ada", channel)
	s.postOn(time.Now().AddDate(0, 0, -1), channel, "GUESS")
	address := s.digestFeed(ada.jar["session"], "UTC")
	feed := s.do("GET", address, accepting("gzip")).want(200)
	if len(feed.body) < 1024 || !strings.Contains(string(feed.body), address) || !strings.Contains(feed.header.Get("Cache-Control"), "no-transform") {
		t.Errorf("the feed: %d bytes, %v", len(feed.body), feed.header)
	}
	made := s.do("POST", "/digest", ada.cookies, posted(url.Values{"action": {"make"}})).want(303)
	ada.keep(made)
	page := s.do("GET", "/digest", ada.cookies, accepting("gzip")).want(200)
	if !strings.Contains(string(page.body), "shown this once") || !strings.Contains(page.header.Get("Cache-Control"), "no-transform") {
		t.Errorf("the page with the address: %v", page.header)
	}
	s.do("GET", "/digest", cookie(ada.jar["session"]), accepting("gzip")).want(200).headed("Content-Encoding", "gzip")
}

func otherSitesGetNoCompression(t *testing.T) {
	s := newSite(t)
	ada := s.signedIn("ada")
	s.channel("Engines", "ada")
	for site, want := range map[string]string{"cross-site": "", "same-site": "", "same-origin": "gzip", "none": "gzip", "": "gzip", "x": ""} {
		for _, path := range []string{"/channels/new?name=guess", "/channels/Engines?find=guess", "/digest", "/api/v1/nothing/" + strings.Repeat("guess", 300)} {
			a := s.do("GET", path, ada.cookies, accepting("gzip"), header("Sec-Fetch-Site", site))
			if got := a.header.Get("Content-Encoding"); got != want && (want == "" || len(a.plain()) >= 1024) {
				t.Errorf("%s, asked for by %q: Content-Encoding %q, want %q", path, site, got, want)
			}
		}
	}
	s.do("GET", "/how-deletion-works", accepting("gzip"), header("Sec-Fetch-Site", "cross-site")).want(200).headed("Content-Encoding", "gzip")
}

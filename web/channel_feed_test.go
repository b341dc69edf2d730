package web_test

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
	"microblogging/web"
)

func TestChannelFeed(t *testing.T) {
	t.Run("both formats hold the latest fifty posts", bothFormatsHoldTheLatestFiftyPosts)
	t.Run("the feeds of an empty channel are valid", feedsOfAnEmptyChannelAreValid)
	t.Run("a feed keeps the text and nothing in it runs", feedKeepsTheTextAndNothingInItRuns)
	t.Run("a post without a title is titled by its first words", postWithoutATitleIsTitledByItsFirstWords)
	t.Run("a feed names its own address as the reader sees it", feedNamesItsOwnAddressAsTheReaderSeesIt)
	t.Run("a channel that may come back is not gone", feedWaitsForAnUndo)
	t.Run("no time has not come yet", feedHasNoTimeThatHasNotCome)
	t.Run("an id survives edits, votes, hosts and formats but no deletion", idSurvivesEditsVotesHostsAndFormatsButNoDeletion)
}

func bothFormatsHoldTheLatestFiftyPosts(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Ärger", "ada")
	atom, json := feedsOf(channel)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var want []string
	for i := range 53 {
		s.postOn(start.Add(time.Duration(i)*time.Hour), channel, fmt.Sprintf("Text %d", i))
		want = append([]string{fmt.Sprintf("Text %d", i)}, want...)
	}
	inAtom, inJSON := s.do("GET", atom).want(200), s.do("GET", json).want(200)
	inAtom.atom()
	inJSON.jsonFeed()
	inAtom.has("<author><name>ada</name><uri>http://example.com/users/ada</uri></author>")
	inJSON.has(`"authors":[{"name":"ada","url":"http://example.com/users/ada"}]`)
	for _, path := range []string{atom, json} {
		feed := s.parse(path)
		var got []string
		for _, item := range feed.Items {
			got = append(got, proseOf(t, item.Content))
		}
		if !slices.Equal(got, want[:50]) {
			t.Errorf("%s has %q", path, got)
		}
		newest, first := feed.Items[0], start.Add(52*time.Hour)
		if feed.Title != "Ärger" || feed.Description != "All about Ärger" || newest.Authors[0].Name != "ada" {
			t.Errorf("%s is of %q, %q, by %q", path, feed.Title, feed.Description, newest.Authors[0].Name)
		}
		if !newest.PublishedParsed.Equal(first) || !newest.UpdatedParsed.Equal(first) {
			t.Errorf("%s dates %v, %v", path, newest.PublishedParsed, newest.UpdatedParsed)
		}
	}
}

func feedWaitsForAnUndo(t *testing.T) {
	s := newForgivingSite(t)
	channel := s.channel("Engines", "ada")
	s.requestDeletion(channel)
	atom, json := feedsOf(channel)
	for _, path := range []string{atom, json} {
		a := s.do("GET", path).want(503)
		a.retries(30)
	}
	s.do("GET", "/channels/Engines").want(410)
	if strings.Contains(s.log.String(), "level=ERROR") || strings.Contains(s.log.String(), "level=WARN") {
		t.Errorf("it is logged: %s", s.log)
	}
	s.cascade(channel.Ref())
	s.do("GET", atom).want(404)
	gone := newSite(t)
	channel = gone.channel("Engines", "ada")
	gone.requestDeletion(channel)
	gone.do("GET", atom).want(410)
}

func feedHasNoTimeThatHasNotCome(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	s.postOn(time.Now().AddDate(70, 0, 0), channel, "Of another clock")
	atom, json := feedsOf(channel)
	for _, path := range []string{atom, json} {
		feed := s.parse(path)
		for _, on := range []*time.Time{feed.UpdatedParsed, feed.Items[0].PublishedParsed, feed.Items[0].UpdatedParsed} {
			if on != nil && on.After(time.Now()) {
				t.Errorf("%s has %v", path, on)
			}
		}
	}
}

// parse parses a feed as feed readers do.
func (s *site) parse(path string, changes ...change) *gofeed.Feed {
	s.Helper()
	feed, err := gofeed.NewParser().Parse(bytes.NewReader(s.do("GET", path, changes...).want(200).body))
	if err != nil {
		s.Fatalf("%s: %v", path, err)
	}
	return feed
}

func feedsOfAnEmptyChannelAreValid(t *testing.T) {
	s := newSite(t)
	channel, err := domain.NewChannel("Quiet", domain.About{}, "ada")
	if err == nil {
		channel, _, err = s.store.Channels.Create(t.Context(), channel, domain.PostersOpen, "", 0)
	}
	ok(t, err)
	atom, json := feedsOf(channel)
	if feed := s.do("GET", atom).want(200).atom(); len(feed.all("subtitle")) != 0 || len(feed.all("entry")) != 0 {
		t.Errorf("the feed is %+v", feed)
	}
	if feed := s.do("GET", json).want(200).jsonFeed(); len(feed["items"].([]any)) != 0 || feed["description"] != nil {
		t.Errorf("the feed is %v", feed)
	}
}

func feedKeepsTheTextAndNothingInItRuns(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	atom, json := feedsOf(channel)
	for text, shows := range map[string]string{
		"One\n\nTwo\nthree\tfour": "",
		`<script>alert("1")</script> & <b onclick='x'>bold</b> ]]> <!-- x -->`: "",
		"&amp; &lt;p&gt; &#0;": "& <p> \ufffd",
		"See https://example.org/a?b=1&c=<2> and javascript:alert(1).": "",
		"# Head\n*a* ![b](https://example.org/c)":                      "Head\n\na b",
		// XML cannot hold two of the noncharacters.
		"Noncharacters \ufffe\uffff and \U0001ffff, \u2028, \u200f, \U0001f600\u200d\U0001f4bb": "Noncharacters \ufffd\ufffd and \U0001ffff, \u2028, \u200f, \U0001f600\u200d\U0001f4bb",
		strings.Repeat("ẞ", 5000): "",
	} {
		s.postOn(time.Now(), channel, text)
		entry := s.do("GET", atom).want(200).atom().all("entry")[0]
		shown := s.parse(atom).Items[0].Content
		want := cmp.Or(shows, text)
		if got := proseOf(t, shown); got != want {
			t.Errorf("Atom reads %q, want %q, from %s", got, want, entry.text(t, "content"))
		}
		is(t, "JSON Feed reads", textOf(t, s.do("GET", json).want(200).jsonFeed(), "items.0.content_text"), text)
		if got := s.parse(json).Items[0].Content; strings.ReplaceAll(got, "\ufffe\uffff", "\ufffd\ufffd") != shown {
			t.Errorf("JSON Feed shows %q, Atom %q", got, shown)
		}
	}
}

func postWithoutATitleIsTitledByItsFirstWords(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", "ada")
	atom, json := feedsOf(channel)
	for text, want := range map[string]string{
		"# [Marks](https://example.org) *are* `read`\n- a": "Marks are read a",
		"<b>" + strings.Repeat(" & ", 60):                  "<b>" + strings.Repeat(" &", 28) + "…",
	} {
		s.postOn(time.Now(), channel, text)
		is(t, text, s.parse(atom).Items[0].Title, want)
		if feed := s.do("GET", json).want(200).jsonFeed(); dig(feed, "items.0.title") != nil {
			t.Errorf("JSON Feed invents the title %v", dig(feed, "items.0.title"))
		}
	}
	_, _, err := s.store.Posts.Create(t.Context(), storage.NewPost{
		Channel: channel, By: "ada", Key: "key", Draft: domain.Draft{Title: "A <title> & more", Text: "Text"},
	})
	ok(t, err)
	for _, path := range []string{atom, json} {
		is(t, path, s.parse(path).Items[0].Title, "A <title> & more")
	}
}

func feedNamesItsOwnAddressAsTheReaderSeesIt(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "blog.example"}
	secure := header("X-Forwarded-Proto", "https")
	for _, test := range []struct {
		options web.Options
		request change
		origin  string
	}{
		{web.Options{}, host("127.0.0.1:8080"), "http://127.0.0.1:8080"},
		{web.Options{TrustProxy: true}, secure, "https://example.com"},
		{web.Options{TrustProxy: true}, header("X-Forwarded-Proto", "https,http"), "https://example.com"},
		{web.Options{TrustProxy: true}, header("X-Forwarded-Proto", "http, https"), "http://example.com"},
		{web.Options{}, secure, "http://example.com"}, // there is no proxy
		{web.Options{BaseURL: base}, host("10.0.0.7:8080"), "https://blog.example"},
	} {
		s := newSiteWith(t, test.options)
		channel := s.channel("Ärger", "ada")
		post := s.post(channel, "ada", "Hello")
		atom, json := feedsOf(channel)
		page := test.origin + "/channels/%C3%84rger"
		feed := s.do("GET", strings.Replace(atom, "%C3%84", "%C3%A4", 1), test.request).want(200).atom() // another spelling
		items := s.do("GET", json, test.request).want(200).jsonFeed()
		got := []string{
			feed.link(t, "self"), feed.link(t, "alternate"), feed.all("entry")[0].link(t, "alternate"),
			textOf(t, items, "feed_url"), textOf(t, items, "home_page_url"), textOf(t, items, "items.0.url"),
		}
		permalink := test.origin + templates.BlogPath("Ärger", post)
		if want := []string{test.origin + atom, page, permalink, test.origin + json, page, permalink}; !slices.Equal(got, want) {
			t.Errorf("the addresses are %q, want %q", got, want)
		}
	}
}

func idSurvivesEditsVotesHostsAndFormatsButNoDeletion(t *testing.T) {
	s, token, channel := engines(t, "ada")
	atom, json := feedsOf(channel)
	blog := s.post(channel, "ada", "Hello")
	other := s.post(channel, "ada", "Other")
	before := s.do("GET", atom).want(200).atom()
	s.vote(blog, 2)
	edited := s.do("PUT", blogPath(channel, blog.ID), bearer(token), header("If-Match", "*"), fields("text", "Second")).want(200)
	after := s.do("GET", atom, host("blog.example")).want(200).atom()

	if before.text(t, "id") != after.text(t, "id") {
		t.Error("the id of the feed has changed")
	}
	for i, text := range []string{"Other", "Second"} {
		was, is := before.all("entry")[i], after.all("entry")[i]
		if was.text(t, "id") != is.text(t, "id") || is.text(t, "title") != text {
			t.Errorf("entry %d is %s, was %s", i, is.text(t, "id"), was.text(t, "id"))
		}
		if was.text(t, "published") != is.text(t, "published") {
			t.Error("it was published at another time")
		}
		if changed := was.text(t, "updated") != is.text(t, "updated"); changed != (text == "Second") {
			t.Errorf("entry %d was updated: %v", i, changed)
		}
		item := s.do("GET", json).want(200).jsonFeed()
		if got := textOf(t, item, fmt.Sprintf("items.%d.id", i)); got != is.text(t, "id") {
			t.Errorf("JSON Feed calls entry %d %s", i, got)
		}
	}
	at := mustBeTime(t, edited.text("editedOn"))
	if got := mustBeTime(t, after.text(t, "updated")); !got.Equal(at) {
		t.Errorf("the feed was updated on %s, want %s", got, at)
	}

	s.requestDeletion(channel)
	s.cascade(channel.Ref())
	again := s.channel("Engines", "ada")
	s.postOn(other.CreatedOn, again, "Other")
	reborn := s.do("GET", atom).want(200).atom()
	if reborn.text(t, "id") == before.text(t, "id") || reborn.all("entry")[0].text(t, "id") == before.all("entry")[0].text(t, "id") {
		t.Error("the new channel has the ids of the deleted one")
	}
}

// proseOf returns the text of a post's HTML as a person reads it.
func proseOf(t testing.TB, content string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(content))
	ok(t, err)
	var b strings.Builder
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(strings.Trim(n.Data, "\n")) // between elements are newlines
		case n.Data == "br":
			b.WriteString("\n")
		case n.Data == "p" && b.Len() > 0:
			b.WriteString("\n\n")
		}
	}
	return b.String()
}

package feed_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"

	"microblogging/cmd/microblogging/feed"
	"microblogging/templates/markdown"
)

func TestLossless(t *testing.T) {
	t.Run("each word, link and medium of a generated entry is in its post or counted", generatedIsKept)
	t.Run("each word, link and medium of a given feed is in its posts or counted", givenIsKept)
	t.Run("what is in a drawing, a summary, or in a medium for those who cannot see it, is counted", innerIsCounted)
	t.Run("the fullest text of an entry is in its post, and the others are counted unless they are part of it", fullestIsKept)
	t.Run("a text in base64, and one of another type of text, is kept", encodedIsKept)
	t.Run("what its author did not publish is no post", privateIsLeftOut)
	t.Run("what does not say in a known way that it is public is no post", unknownIsLeftOut)
}

// A visibleContent is what a reader sees, found without the code that is tested.
type visibleContent struct {
	text      strings.Builder
	addresses []string // of links and media
}

func contentOf(t fatal, markup, base string) *visibleContent {
	t.Helper()
	on, err := url.Parse(base)
	ok(t, err)
	tree, err := html.ParseWithOptions(strings.NewReader(markup), html.ParseOptionEnableScripting(false))
	ok(t, err)
	c := &visibleContent{}
	c.read(tree, on)
	return c
}

var wordPattern = regexp.MustCompile(`w\d+x|[\pL\pN]+`)

func (c *visibleContent) words() []string { return wordPattern.FindAllString(c.text.String(), -1) }

func (c *visibleContent) read(n *html.Node, base *url.URL) {
	attr := map[string]string{}
	for _, a := range n.Attr {
		attr[a.Key] = a.Val
	}
	address := ""
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Svg, atom.Title, atom.Object:
		return
	case atom.A:
		address = attr["href"]
	case atom.Img:
		c.text.WriteString(" " + attr["alt"] + " ")
		if address = attr["data-src"]; address == "" {
			address = attr["src"]
		}
	case atom.Iframe, atom.Embed:
		address = attr["src"]
	case atom.Video, atom.Audio:
		address = attr["src"]
		for child := range n.ChildNodes() {
			for _, a := range child.Attr {
				if child.DataAtom == atom.Source && a.Key == "src" && address == "" {
					address = a.Val
				}
			}
		}
	}
	if u, err := url.Parse(strings.TrimSpace(address)); err == nil && address != "" {
		c.addresses = append(c.addresses, base.ResolveReference(u).String())
	}
	if n.Type == html.TextNode {
		c.text.WriteString(n.Data)
		return
	}
	switch n.DataAtom {
	case atom.Video, atom.Audio, atom.Iframe:
		c.text.WriteByte(' ')
		return
	case atom.B, atom.Strong, atom.I, atom.Em, atom.Del, atom.A, atom.Span: // within a word
	default:
		c.text.WriteByte(' ')
		defer c.text.WriteByte(' ')
	}
	for child := range n.ChildNodes() {
		c.read(child, base)
	}
}

// lacks returns what of an entry is neither in its post nor counted.
func lacks(t fatal, e feed.Entry, entry *visibleContent) (lost []string) {
	t.Helper()
	draft, loss := feed.NewConverter().Draft(e)
	post := contentOf(t, "<p>"+html.EscapeString(draft.Title)+"</p>"+markdown.Render(draft.Text, markdown.BelowTitle).String(), "")
	have := map[string]int{}
	for _, word := range post.words() {
		have[word]++
	}
	for _, word := range entry.words() {
		if have[word]--; have[word] < 0 && !loss.Cut {
			lost = append(lost, word)
		}
	}
	for _, mark := range []string{"*", "`", "~~", "\\"} {
		if strings.Count(post.text.String(), mark) > strings.Count(entry.text.String(), mark) {
			lost = append(lost, "the meaning of "+mark)
		}
	}
	var addresses []string
	slices.Sort(entry.addresses)
	for _, address := range slices.Compact(entry.addresses) {
		if !slices.ContainsFunc(post.addresses, func(a string) bool { return unescaped(a) == unescaped(address) }) {
			addresses = append(addresses, address)
		}
	}
	if len(addresses) > loss.Media+loss.Links+loss.Pixels {
		lost = append(lost, addresses...)
	}
	return lost
}

func unescaped(address string) string {
	if plain, err := url.PathUnescape(address); err == nil {
		return plain
	}
	return address
}

// A writer writes markup of which no two words are the same.
type writer struct {
	*rapid.T
	n int
}

func (w *writer) word() string { w.n++; return fmt.Sprintf("w%dx", w.n) }

func (w *writer) address() string {
	return rapid.SampledFrom([]string{"https://a.example/%s", "/%s", "%s.html", "//b.example/%s?a=1&amp;b=(2);c,d/é", "#%s", "https://a.example/_%s_", "%s%%zz"}).Draw(w.T, "address")
}

func (w *writer) inline(depth int) string {
	kinds := 9
	if depth > 0 {
		kinds = 18
	}
	in := func() string { return w.inline(depth-1) + w.inline(depth-1) }
	at := func() string { return fmt.Sprintf(strings.ReplaceAll(w.address(), "%%", "%%%%"), w.word()) }
	switch rapid.IntRange(0, kinds).Draw(w.T, "inline") {
	case 0, 1:
		return w.word()
	case 2:
		return w.word() + rapid.SampledFrom([]string{" ", ": ", ":", ". ", "!", "、", "“", "」", " (", "\n", "&amp;", " &lt; ", "*", "_", "[", "]", "`", "~", "<br>"}).Draw(w.T, "mark")
	case 3:
		return " "
	case 4:
		return `<img src="` + at() + `" alt="` + rapid.SampledFrom([]string{"", "alt", "a [b] *c*"}).Draw(w.T, "alt") + `">`
	case 5:
		return `<img src="data:," data-src="` + at() + `">`
	case 6:
		return `<iframe src="` + at() + `"></iframe>`
	case 7:
		return `<video controls><source src="` + at() + `"></video>`
	case 8:
		return `<code>` + w.word() + `</code>`
	case 9:
		return `<noscript><img src="` + at() + `"></noscript>`
	case 10, 11:
		return `<a href="` + at() + `">` + w.inline(0) + w.inline(0) + `</a>`
	case 12:
		return w.word() + `<sup>` + w.word() + `</sup> `
	case 13:
		return `<q>` + in() + `</q>`
	}
	tag := rapid.SampledFrom([]string{"b", "strong", "i", "em", "del", "span"}).Draw(w.T, "tag")
	return "<" + tag + ">" + in() + "</" + tag + ">"
}

func (w *writer) block(depth int) string {
	in := func() string { return w.inline(2) + w.inline(2) + w.inline(2) }
	tag := rapid.SampledFrom([]string{"p", "p", "div", "h2", "pre", "table", "blockquote", "ul", "ol"}).Draw(w.T, "block")
	if depth == 0 && (tag == "blockquote" || tag == "ul" || tag == "ol") {
		tag = "p"
	}
	switch tag {
	case "pre":
		return "<pre><code>" + w.word() + "\n\n  " + w.word() + "\n</code></pre>"
	case "table":
		return "<table><tr><td>" + in() + "</td><td>" + in() + "</td></tr></table>"
	case "ul", "ol":
		return "<" + tag + "><li>" + w.block(depth-1) + "</li><li>" + in() + "</li></" + tag + ">"
	case "blockquote":
		return "<blockquote>" + w.block(depth-1) + w.block(depth-1) + "</blockquote>"
	}
	return "<" + tag + ">" + in() + "</" + tag + ">"
}

func generatedIsKept(t *testing.T) {
	const link = "https://c.example/entries/1"
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{T: t}
		markup := w.block(2) + w.block(2)
		quoted, err := json.Marshal(markup)
		ok(t, err)
		medium := `<media:group><media:content url="https://m.example/1.jpg" medium="image"/><media:description>described</media:description></media:group><enclosure url="https://m.example/2.mp3" type="audio/mpeg"/>`
		document := rapid.SampledFrom([]string{
			`<rss xmlns:media="http://search.yahoo.com/mrss/"><channel><item><link>` + link + `</link><description>` + html.EscapeString(markup) + `</description>` + medium + `</item></channel></rss>`,
			`<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="` + link + `"/><content type="html">` + html.EscapeString(markup) + `</content></entry></feed>`,
			`{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"` + link + `","content_html":` + string(quoted) + `}]}`,
		}).Draw(t, "document")
		read, err := feed.Parse([]byte(document))
		ok(t, err)
		entry := contentOf(t, markup, link)
		if strings.Contains(document, medium) {
			entry.addresses = append(entry.addresses, "https://m.example/1.jpg", "https://m.example/2.mp3")
			entry.text.WriteString(" described")
		}
		if lost := lacks(t, read.Entries[0], entry); len(lost) > 0 {
			draft, loss := feed.NewConverter().Draft(read.Entries[0])
			t.Fatalf("%s\nlacks %q and counts %+v in\n%s", markup, lost, loss, draft.Text)
		}
	})
}

func innerIsCounted(t *testing.T) {
	const other = `<p>no <a href="https://a.example/other">film</a> <img src="https://a.example/still"></p>`
	for markup, want := range map[string]feed.Loss{
		`<a href="https://a.example/[b]">c</a>`:                                                              {},
		`x<iframe srcdoc="words"></iframe>`:                                                                  {Media: 1},
		`x<svg viewBox="0 0 9 9"><text>word</text><a href="/a"><path d="m0"/></a></svg>`:                     {Media: 1, Links: 1},
		`<video src="https://a.example/film">` + other + `</video>`:                                          {Media: 1, Links: 1},
		`<audio src="https://a.example/sound"><a href="https://a.example/sound">here</a></audio>`:            {},
		`<object data="https://a.example/pdf">` + other + `</object>`:                                        {Media: 1, Links: 1},
		`<object><param name="movie" value="https://a.example/film"><param name="wmode" value="x"></object>`: {},
		`<picture><source srcset="https://a.example/l, https://a.example/m 2x"><img src=""></picture>`:       {},
		`<video>` + other + `</video>`:                                                                       {},
	} {
		draft, loss := feed.NewConverter().Draft(feed.Entry{Content: markup})
		if loss != want || draft.Text == "" {
			t.Errorf("%s: is %q and counts %+v, want %+v", markup, draft.Text, loss, want)
		}
	}
	for e, want := range map[*feed.Entry]feed.Loss{
		{Content: "<p>Text</p>", Summary: `<img src="https://a.example/a">Text`}:                                 {Summary: true},
		{Content: "<p>Text</p>", Summary: `<a href="https://a.example/a">Text</a>`}:                              {Summary: true},
		{Content: `<p>Text <img src="https://a.example/a"></p>`, Summary: `<img src="https://a.example/a">Text`}: {},
		{Content: "<p>Text</p>", Title: `<a href="https://a.example/a">T</a><img src="https://a.example/b">`}:    {Media: 1, Links: 1},
	} {
		if draft, loss := feed.NewConverter().Draft(*e); loss != want {
			t.Errorf("%+v: is %q and counts %+v, want %+v", e, draft.Text, loss, want)
		}
	}
}

// The feeds of MICROBLOGGING_TEST_FEEDS, a pattern of file names, are given as well. They are read
// by gofeed too.
func givenIsKept(t *testing.T) {
	names, err := filepath.Glob("testdata/*.*")
	ok(t, err)
	more, err := filepath.Glob(os.Getenv("MICROBLOGGING_TEST_FEEDS"))
	ok(t, err)
	for _, name := range append(names, more...) {
		if strings.HasSuffix(name, ".json") { // on some of which gofeed panics
			continue
		}
		document, err := os.ReadFile(name)
		ok(t, err)
		other, err := gofeed.NewParser().ParseString(string(document))
		ok(t, err)
		read, err := feed.Parse(document)
		if err != nil || len(read.Entries) != len(other.Items) {
			t.Errorf("%s has %d entries, %v, want %d", name, len(read.Entries), err, len(other.Items))
			continue
		}
		for i, item := range other.Items {
			markup := item.Content
			if strings.TrimSpace(markup) == "" || strings.Contains(markup, "PNG") {
				markup = item.Description
			}
			entry := contentOf(t, markup, item.Link)
			for _, enclosure := range item.Enclosures {
				entry.addresses = append(entry.addresses, enclosure.URL)
			}
			for _, medium := range item.Extensions["media"]["content"] {
				entry.addresses = append(entry.addresses, medium.Attrs["url"])
			}
			if lost := lacks(t, read.Entries[i], entry); read.Entries[i].LeftOut == "" && len(lost) > 0 {
				t.Errorf("%s, entry %d lacks %.500q", name, i, lost)
			}
		}
	}
}

func fullestIsKept(t *testing.T) {
	const item = `<rss xmlns:i="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:c="http://purl.org/rss/1.0/modules/content/" xmlns:d="http://purl.org/dc/elements/1.1/" ` +
		`xmlns:m="http://search.yahoo.com/mrss/" xmlns:y="http://news.yandex.ru"><channel><item><title>T</title>%s</item></channel></rss>`
	const video = `<m:group><m:title>Short</m:title><m:content url="https://a.example/v" medium="video"/><m:description>A long description</m:description></m:group>`
	for texts, want := range map[string]struct {
		text    string
		summary bool
	}{
		"<description>Teaser</description><i:subtitle>Sub</i:subtitle><i:summary>All of the notes</i:summary>":                         {"All of the notes", true},
		"<description>All</description><i:summary>All of it, a teaser.</i:summary>":                                                    {"All of it, a teaser.", false},
		"<description>Foo</description><description>Bar is the second</description>":                                                   {"Bar is the second", true},
		"<description>same</description><description>same</description>":                                                               {"same", false},
		"<c:encoded>&lt;b>Bold&lt;/b> words</c:encoded><description>Bold words […]</description>":                                      {"**Bold** words", false},
		"<c:encoded>&lt;b>Bold&lt;/b> words</c:encoded><description>A few others</description>":                                        {"**Bold** words", true},
		"<c:encoded>One</c:encoded><description>Two three four</description>":                                                          {"One\n\nTwo three four", false},
		"<c:encoded>One</c:encoded><description>One two three</description>":                                                           {"One two three", false},
		`<c:encoded>&lt;img src="https://a.example/p" alt="">` + "</c:encoded><description>A caption</description>":                    {"![picture](https://a.example/p)\n\nA caption", false},
		`<c:encoded>One &lt;a href="https://a.example/l">two&lt;/a></c:encoded><i:summary>Many words, one two of the text</i:summary>`: {"One [two](https://a.example/l)\n\nMany words, one two of the text", false},
		`<c:encoded>&lt;p> &lt;/p></c:encoded><description>&lt;img src="https://a.example/p" alt=""></description>`:                    {"![picture](https://a.example/p)", false},
		"<y:full-text>All of it</y:full-text><description>Teaser</description>":                                                        {"All of it", true},
		"<description>x</description><i:title>Another title</i:title>":                                                                 {"x", true},
		"<description>x</description><d:title>T</d:title>":                                                                             {"x", false},
		"<description>x</description>" + video:                                                                                         {"x\n\n[A long description](https://a.example/v)", true},
	} {
		read, err := feed.Parse([]byte(fmt.Sprintf(item, texts)))
		ok(t, err)
		if draft, lost := feed.NewConverter().Draft(read.Entries[0]); draft.Text != want.text || lost != (feed.Loss{Summary: want.summary}) {
			t.Errorf("%s: got %q and %+v, want %+v", texts, draft.Text, lost, want)
		}
	}
	const both = `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_html":"<b>a</b> <a href='https://a.example/'>b</a>","content_text":"%s"}]}`
	for plain, want := range map[string]bool{"a b": false, "**a** [b](https://a.example/)": false, "a c": true} {
		read, err := feed.Parse([]byte(fmt.Sprintf(both, plain)))
		ok(t, err)
		if _, lost := feed.NewConverter().Draft(read.Entries[0]); lost != (feed.Loss{Summary: want}) {
			t.Errorf("%s: got %+v", plain, lost)
		}
	}
}

func encodedIsKept(t *testing.T) {
	encode := base64.StdEncoding.EncodeToString
	for text, want := range map[string]string{
		`<content type="text/html" mode="base64">` + "\n" + encode([]byte("<p>Good <i>morning</i></p>")) + `</content>`: "Good *morning*",
		`<content mode="base64">` + encode([]byte("1 < 2 caf\xe9")) + `</content>`:                                      "1 < 2 café",
		`<content type="text/html" mode="base64">no base64!</content>`:                                                  "no base64!",
		`<content type="text/html" mode="escaped">&lt;i>a&lt;/i></content>`:                                             "*a*",
		`<content type="text/markdown">some words</content>`:                                                            "some words",
		`<content type="text/x-org">some words</content>`:                                                               "some words",
		`<content type="markdown">some words</content>`:                                                                 "some words",
		`<summary type="text/markdown">some words</summary>`:                                                            "some words",
		`<content type="text/xml"><a xmlns="x">some</a> words</content>`:                                                "some words",
		`<title type="text/markdown">some words</title>`:                                                                "some words",
		`<title mode="base64">` + encode([]byte("some words")) + `</title>`:                                             "some words",
	} {
		got := readString(t, `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:1</id>`+text+`</entry></feed>`)
		if len(got.Posts) != 1 || got.Posts[0].Text != want || got.Posts[0].Lost != (feed.Loss{}) {
			t.Errorf("%s: got %+v, want %q", text, got.Posts, want)
		}
	}
	for _, data := range []string{`<content type="image/png" mode="base64">AAAA</content>`, `<content type="application/x">AAAA</content>`, `<summary type="image/png">AAAA</summary>`} {
		got := readString(t, `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:1</id><title>t</title>`+data+`</entry></feed>`)
		if len(got.Posts) != 1 || got.Posts[0].Text != "t" || got.Posts[0].Lost != (feed.Loss{Media: 1}) {
			t.Errorf("%s: got %+v", data, got.Posts)
		}
	}
}

// unknownIsLeftOut has what exports of different programs say, the first lines that an entry is public.
func unknownIsLeftOut(t *testing.T) {
	public, private, _ := strings.Cut(`
		"_x":{"status":"published"} "_x":{"status":null} "_x":{"state":"live"} "_x":{"post_status":"Publish"} "_x":{"visibility":"PUBLIC"} "_x":{"isDraft":false}
		"_x":{"is_draft":"no"} "_x":{"draft":null} "_x":{"password":""} "_x":{"published":true} "_x":{"published_at":"2020-01-01"} "_x":{"public":1} "date_published":null
		"date_published":"someday" "_x":{"comment_status":"closed"} "_x":{"ping_status":"closed"} "_x":{"comments":[{"status":"spam"}]} "_x":{"estate":"CA"} "_x":{"statistics":"x"}
		"_x":{"publisher":"Ada"} "_x":{"public_url":"x"} "_x":{"overdraft":"x"} "_x":{"audience":[]} "_x":{"status":{"name":"published"}} "tags":["private"] "_x":{"date":"x"}
		 - 
		"_x":{"isDraft":true} "_x":{"is-draft":1} "_x":{"IsDraft":"yes"} "isdraft":true "_x":{"Draft":"maybe"} "_x":{"draft":""} "_x":{"post-status":"draft"} "_x":{"postStatus":"x"}
		"_x":{"state":"draft"} "_x":{"post":{"draft":true}} "_x":[{"draft":true}] "_x":{"a":[[{"b":{"isPrivate":true}}]]} "_x":{"published":false} "_x":{"published_at":null}
		"_x":{"password":"x"} "_x":{"password_protected":true} "_x":{"visibility":"direct"} "_x":{"audience":"friends"} "_x":{"audience":["public","friends"]} "_x":{"status":"inactive"}
		"_x":{"status":"auto-draft"} "_x":{"status":"queued"} "_x":{"status":"archived"} "_x":{"status":"inherit"} "_x":{"status":"members"} "_x":{"status":0} "status":{"name":"draft"}
		"_x":{"status":{"name":"published","by":"x"}} "_x":{"not_public":true} "_x":{"nonPublic":true} "_x":{"members_only":true} "_x":{"un_published":true} "_x":{"deletedAt":"2020-01-01"}
		"_x":{"visible":false} "_x":{"is_public":"later"} "date_published":false "_x":{"accessLevel":"members"} "_x":{"trashed":true} "_x":{"scheduled":true}`, " - ")
	for says, want := range map[string]string{public: "", private: feed.NotPublished} {
		for _, member := range strings.Fields(says) {
			expectLeftOut(t, `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_text":"t",`+member+`}]}`, want)
		}
	}
	const wp = `<rss xmlns:wp="http://wordpress.org/export/1.2/" xmlns:m="http://search.yahoo.com/mrss/" xmlns:x="urn:x"><channel>%s</channel></rss>`
	for item, want := range map[string]string{
		`<item draft="true"><guid>1</guid><title>t</title></item>`:                                                                               feed.NotPublished,
		`<item x:status="draft"><guid>1</guid><title>t</title></item>`:                                                                           feed.NotPublished,
		`<item><title private="yes">t</title></item>`:                                                                                            feed.NotPublished,
		`<item><title>t</title><x:isDraft>true</x:isDraft></item>`:                                                                               feed.NotPublished,
		`<item><title>t</title><x:draft/></item>`:                                                                                                feed.NotPublished,
		`<item><title>t</title><x:post><x:meta><postStatus>queued</postStatus></x:meta></x:post></item>`:                                         feed.NotPublished,
		`<item><title>t</title><status value="queued"/></item>`:                                                                                  feed.NotPublished,
		`<item><title>t</title><x:property name="visibility" value="friends"/></item>`:                                                           feed.NotPublished,
		`<item><title>t</title><m:group><m:status state="blocked"/></m:group></item>`:                                                            feed.NotPublished,
		`<item><title>t</title><wp:status>custom</wp:status></item>`:                                                                             feed.NotPublished,
		`<item><title>t</title><published>false</published></item>`:                                                                              feed.NotPublished,
		`<item><title>t</title><published>Monday the 3rd</published><x:status value="publish"/></item>`:                                          "",
		`<item xml:lang="en"><title>t</title><m:group><m:status state="active"/></m:group><x:property name="visibility" value="public"/></item>`: "",
		`<item><title>t</title><description><p hidden="x"><b status="x">a</b></p></description></item>`:                                          "",
		`<item><title>t</title><wp:comment_status>closed</wp:comment_status><wp:comment><wp:status>spam</wp:status></wp:comment></item>`:         "",
	} {
		expectLeftOut(t, fmt.Sprintf(wp, item), want)
	}
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title>t</title>%s</entry></feed>`
	expectLeftOut(t, fmt.Sprintf(atom, `<published>someday</published>`), "")
	expectLeftOut(t, fmt.Sprintf(atom, `<published>no</published>`), feed.NotPublished)
	expectLeftOut(t, fmt.Sprintf(atom, `<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml" hidden="x"><status>x</status></div></content>`), "")
}

// expectLeftOut fails the test unless the entry of a feed is left out for that reason.
func expectLeftOut(t *testing.T, document, want string) {
	t.Helper()
	read, err := feed.Parse([]byte(document))
	if err != nil || len(read.Entries) != 1 || read.Entries[0].LeftOut != want {
		t.Errorf("%s: got %+v, %v, want it left out as %q", document, read.Entries, err, want)
	}
}

func privateIsLeftOut(t *testing.T) {
	const head = `<rss xmlns:wp="http://wordpress.org/export/1.2/" xmlns:lj="http://www.livejournal.org/rss/lj/1.0/"><channel><item><guid>1</guid><title>t</title>`
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:b="http://schemas.google.com/blogger/2018"><entry><id>1</id><title>t</title>`
	const items = `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_text":"t",`
	for says, want := range map[string]string{
		head + `<wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_password/></item></channel></rss>`:                            "",
		head + `<wp:status>pending</wp:status></item></channel></rss>`:                                                                                feed.NotPublished,
		head + `<wp:status>publish</wp:status><wp:post_password>p</wp:post_password></item></channel></rss>`:                                          feed.NotPublished,
		head + `<wp:post_type>page</wp:post_type><wp:status>draft</wp:status></item></channel></rss>`:                                                 feed.NotPosts,
		head + `<lj:security>usemask</lj:security></item></channel></rss>`:                                                                            feed.NotPublished,
		atom + `<app:control xmlns:app="http://www.w3.org/2007/app"><app:draft> yes </app:draft></app:control></entry></feed>`:                        feed.NotPublished,
		atom + `<app:control xmlns:app="http://www.w3.org/2007/app"><app:draft>no</app:draft></app:control></entry></feed>`:                           "",
		atom + `<category scheme="http://schemas.google.com/g/2005#kind" term="http://schemas.google.com/blogger/2008/kind#comment"/></entry></feed>`: feed.NotPosts,
		atom + `<category scheme="http://schemas.google.com/g/2005#kind" term="http://schemas.google.com/blogger/2008/kind#post"/></entry></feed>`:    "",
		atom + `<b:type>COMMENT</b:type><b:status>LIVE</b:status></entry></feed>`:                                                                     feed.NotPosts,
		atom + `<b:type>POST</b:type><b:status>LIVE</b:status></entry></feed>`:                                                                        "",
		atom + `<b:type>POST</b:type><b:status>SOFT_TRASHED</b:status></entry></feed>`:                                                                feed.NotPublished,
		head + `<draft>draft</draft></item></channel></rss>`:                                                                                          feed.NotPublished,
		head + `<privacy>me</privacy></item></channel></rss>`:                                                                                         feed.NotPublished,
		items + `"visibility":"unlisted"}]}`:                                                                                                          "",
		items + `"_reply_to":"urn:uuid:1"}]}`:                                                                                                         feed.Replies,
		items + `"draft":null}]}`:                                                                                                                     "",
		items + `"_blog":{"draft":true}}]}`:                                                                                                           feed.NotPublished,
		items + `"status":"draft"}]}`:                                                                                                                 feed.NotPublished,
		items + `"_blog":{"about":"x"}}]}`:                                                                                                            "",
		items + `"visibility":"followers"}]}`:                                                                                                         feed.NotPublished,
	} {
		expectLeftOut(t, says, want)
	}
}

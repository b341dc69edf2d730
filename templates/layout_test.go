package templates

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

func TestLayout(t *testing.T) {
	t.Run("describes each page for other sites", func(t *testing.T) {
		eachPage(t, func(t *testing.T, root *html.Node) {
			for _, selector := range []string{
				"name=description", "property=og:title", "property=og:description", "property=og:type", "property=og:site_name",
				"property=og:image", "name=theme-color][media=(prefers-color-scheme: light)", "name=theme-color][media=(prefers-color-scheme: dark)",
			} {
				if n := len(find(root, "meta["+selector+"]")); n != 1 || meta(root, selector) == "" {
					t.Errorf("%d times %s, %q", n, selector, meta(root, selector))
				}
			}
			if got := meta(root, "name=description"); strings.Contains(got, "\n") || utf8.RuneCountInString(got) > maxAbout+1 {
				t.Errorf("the description is %q", got)
			}
			for _, selector := range []string{"link[rel=apple-touch-icon]", "link[rel=manifest]", "link[rel=icon]"} {
				if len(find(root, selector)) != 1 {
					t.Errorf("no %s", selector)
				}
			}
		})
	})
	t.Run("names the one address of what others can read", func(t *testing.T) {
		page := pageAt("/channels/AURORA?utm=x", "")
		page.Origin = "https://blog.example"
		older, rated := sampleChannel(), sampleChannel()
		older.After, rated.View = "a&b", View{TopRated: true}
		for want, component := range map[string]string{
			"/channels/aurora":                    render(t, ChannelPage(page, sampleChannel())),
			"/channels/aurora?after=a%26b":        render(t, ChannelPage(page, older)),
			"/channels/aurora?order=rating":       render(t, ChannelPage(page, rated)),
			"/channels/aurora/feed":               render(t, ChannelFeedPage(page, ChannelFeed{Channel: "aurora"})),
			"/channels":                           render(t, DirectoryPage(page, Directory{})),
			"/keys":                               render(t, KeysPage(page)),
			"/how-deletion-works":                 render(t, LearnPage(page)),
			BlogPath("aurora", samplePost().Blog): render(t, BlogPage(page, Thread{Post: samplePost()})),
		} {
			root, want := parse(t, component), "https://blog.example"+want
			if err := in("link[rel=canonical][href=" + want + "]")(root); err != nil || meta(root, "property=og:url") != want {
				t.Errorf("%v, and og:url is %q", err, meta(root, "property=og:url"))
			}
			if got := meta(root, "property=og:image"); got != "https://blog.example/static/icon-512.png" {
				t.Errorf("the picture of %s is %s", want, got)
			}
		}
	})
	for path, current := range map[string]string{"/channels?order=name": "page", "/channels/aurora": "true", "/channels/aurora/edit": "true"} {
		shows(t, "marks the link to the channels at "+path, SignInPage(pageAt(path, ""), SignIn{}), in("nav[aria-label=Main]", in("a[href=/channels][aria-current="+current+"]")))
	}
	shows(t, "does not mark the link to the channels elsewhere", SignInPage(pageAt("/sign-in", ""), SignIn{}), in("nav[aria-label=Main]", without("a[aria-current]")))
	t.Run("names no address of what is for one reader", func(t *testing.T) {
		in := pageAt("/x", "ingrid")
		for _, page := range []string{
			render(t, FeedPage(in, sampleFeed())), render(t, DigestPage(in, sampleDigest())), render(t, AccountPage(in, Account{})),
			render(t, ProblemPage(in, Problem{Status: 404})), render(t, SignInPage(pageAt("/sign-in", ""), SignIn{})),
		} {
			if strings.Contains(page, "canonical") || strings.Contains(page, "og:url") {
				t.Errorf("an address in %.300s", page)
			}
		}
	})
	shows(t, "leads feed readers from a post to the feeds of its channel", BlogPage(pageAt("/x", ""), Thread{Post: samplePost()}),
		in("link[rel=alternate][type=application/atom+xml][href=/channels/aurora/feed.atom]"),
		in("link[rel=alternate][type=application/feed+json][href=/channels/aurora/feed.json]"),
		in("meta[property=og:type][content=article]"))
	t.Run("describes a post by its beginning", func(t *testing.T) {
		long := samplePost()
		long.Text = "One  line.\n\nAnother " + strings.Repeat("Ä", 100) + " " + strings.Repeat("word ", 40)
		root := parse(t, render(t, BlogPage(pageAt("/x", ""), Thread{Post: long})))
		got := meta(root, "name=description")
		if !strings.HasPrefix(got, "One line. Another Ä") || !strings.HasSuffix(got, " word…") || got != meta(root, "property=og:description") {
			t.Errorf("described as %q", got)
		}
		long.Text = nasty
		if got := meta(parse(t, render(t, BlogPage(pageAt("/x", ""), Thread{Post: long}))), "name=description"); got != nasty {
			t.Errorf("described as %q", got)
		}
	})
}

// meta is the content of a meta element, or an empty string.
func meta(root *html.Node, selector string) string {
	for _, n := range find(root, "meta["+selector+"]") {
		content, _ := attribute(n, "content")
		return content
	}
	return ""
}

package templates

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

const anchor = `<a rel="nofollow ugc noopener" href="`

func TestProse(t *testing.T) {
	t.Run("is written as HTML", proseIsWrittenAsHTML)
	t.Run("reads as it was written", proseReadsAsItWasWritten)
}

func proseIsWrittenAsHTML(t *testing.T) {
	link := func(url string) string { return anchor + url + `">` + url + "</a>" }
	for sentence, c := range map[string]struct{ text, want string }{
		"plain text is a paragraph":           {"Hello", "Hello"},
		"a newline breaks the line":           {"a\nb", "a<br>b"},
		"a blank line ends a paragraph":       {"a\n\nb", `a</p><p dir="auto">b`},
		"more blank lines are kept":           {"a\n\n\nb", `a</p><p dir="auto"><br>b`},
		"newlines at the ends are dropped":    {"\n\na\n", "a"},
		"tabs and spaces are kept":            {"a\t  b", "a\t  b"},
		"markup is text":                      {"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		"quotes and ampersands are escaped":   {`a & "b" 'c'`, "a &amp; &#34;b&#34; &#39;c&#39;"},
		"https is linked":                     {"see https://example.org/a?b=c#d now", "see " + link("https://example.org/a?b=c#d") + " now"},
		"http is linked":                      {"http://example.org", link("http://example.org")},
		"the scheme may be in capitals":       {"HTTPS://example.org", link("HTTPS://example.org")},
		"a full stop is not part of a link":   {"At https://example.org/a.", "At " + link("https://example.org/a") + "."},
		"nor are brackets around it":          {"(https://example.org/a)", "(" + link("https://example.org/a") + ")"},
		"but brackets inside it are":          {"https://example.org/a_(b)", link("https://example.org/a_(b)")},
		"an ampersand in a link is escaped":   {"https://example.org/?a=1&b=2", link("https://example.org/?a=1&amp;b=2")},
		"a quote ends a link":                 {`https://example.org/"onclick="x`, link("https://example.org/") + "&#34;onclick=&#34;x"},
		"a bracket ends a link":               {"https://example.org/<b>", link("https://example.org/") + "&lt;b&gt;"},
		"a link ends with its line":           {"https://example.org\nb", link("https://example.org") + "<br>b"},
		"two links are two":                   {"https://a.example https://b.example", link("https://a.example") + " " + link("https://b.example")},
		"a link may follow text of any kind":  {"見よhttps://example.org/", "見よ" + link("https://example.org/")},
		"javascript is not linked":            {"javascript://example.org/%0aalert(1)", "javascript://example.org/%0aalert(1)"},
		"ftp is not linked":                   {"ftp://example.org", "ftp://example.org"},
		"the tail of a scheme is not one":     {"xhttp://example.org", "xhttp://example.org"},
		"a scheme alone is not linked":        {"http:// and https://", "http:// and https://"},
		"what only looks like one is skipped": {"a://b, then https://example.org", "a://b, then " + link("https://example.org")},
		"no scheme, no link":                  {"www.example.org", "www.example.org"},
	} {
		t.Run(sentence, func(t *testing.T) {
			want := `<p dir="auto">` + c.want + "</p>"
			if got := render(t, prose(c.text)); got != want {
				t.Errorf("%q\ngot  %s\nwant %s", c.text, got, want)
			}
		})
	}
}

// A reader gets back what somebody wrote. No letter is lost, added or taken for
// markup, and only the allowed elements appear.
func proseReadsAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"https://", "http://", "://", "example.org/", "<b>", "</p>", "&amp;", `"`, "'", "\n", "\n\n", "\t", " ", "a", "é", "(", ")", ".",
		})).Draw(t, "parts")
		text := strings.Trim(strings.Join(parts, ""), "\n")
		nodes, err := html.ParseFragment(strings.NewReader(PostContent(text)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := proseOf(t, nodes[0]); got != text {
			t.Fatalf("%q reads as %q", text, got)
		}
	})
}

// proseOf is the inverse of prose.
func proseOf(t *rapid.T, root *html.Node) string {
	var b strings.Builder
	paragraphs := 0
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.Data == "br":
			b.WriteString("\n")
		case n.Data == "p":
			if paragraphs++; paragraphs > 1 {
				b.WriteString("\n\n")
			}
		case n.Data == "a":
			if href, _ := attribute(n, "href"); href != textOf(n) || !strings.HasPrefix(href, "http") {
				t.Fatalf("a link that says %q leads to %q", textOf(n), href)
			}
		case n.Data != "head" && n.Data != "body":
			t.Fatalf("an element %s", n.Data)
		}
	}
	return b.String()
}

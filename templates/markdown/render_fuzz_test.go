package markdown

import (
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// FuzzRender looks for a text that becomes more than the package allows, or for one that
// is cut, read or marked wrongly.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		"# a\n\n*b* **c** ~~d~~ `e`\n\n> f\n\n- g\n  1. h\n\n```i\nj\n```\n\n---\n",
		"[a](https://b.example \"c\") ![d](http://e) <f@g.h> https://i.example/(j)\n\n[k]: javascript:l\n[k] [k][k]",
		`<script>alert(1)</script><img src=x onerror=alert(1)> <a href="javascript:alert(1)">`,
		"[a](java\tscript:alert(1)) [b](&#x6A;avascript:c) <javascript:d> [e](data:text/html,f) [g](vbscript:h)",
		"```a\" onclick=\"b\nc\n```\n[d](https://e/\" onclick=\"f) ![\"><script>](https://g 'h\" i')",
		"a|b\n-|:-:\n`1\\|2`|<b>\n\n> |c|\n> |-|\n\n- [x] d\n- [ ] [e]\n\n[e]: f\n[^1]: g",
		strings.Repeat("> - ", 30) + "a", "[![a](https://b)](https://c)", "*https://a/*b_", strings.Repeat("[a]:b\n-\n", 143), strings.Repeat("- [a]:b\n  =\n", 90), "<https://a/<b>",
	} {
		f.Add(seed, uint16(40))
	}
	f.Fuzz(func(t *testing.T, source string, limit uint16) {
		if !utf8.ValidString(source) || len(source) > 20_000 {
			return // package domain refuses it
		}
		for _, top := range []int{BelowTitle, BelowList} {
			mustBeSafe(t, render(source, top).String(), top) // which may not panic
		}
		if !strings.ContainsFunc(strings.NewReplacer("\n", "", "\t", "").Replace(source), unicode.IsControl) {
			mustBeSeen(t, source, limit) // package domain refuses others
		}
		if short, _ := Cut(source, int(limit)+1); utf8.RuneCountInString(short) > int(limit)+1 {
			t.Fatalf("%q was cut at %d to %q", source, limit+1, short)
		}
	})
}

// mustBeSeen compares the words of a text with what a browser shows, and marks some of them.
func mustBeSeen(t *testing.T, source string, from uint16) {
	t.Helper()
	shown, words := Render(source, BelowTitle).String(), Words(source)
	if want := seen(shown); words != want {
		t.Fatalf("%q is read as %q, not %q", source, words, want)
	}
	at := []rune(words)[int(from)%(len([]rune(words))+1):]
	f := NewFinder(string(at[:min(len(at), 3)]))
	marked := f.Mark(HTML{shown}).String()
	if unmarked := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(marked); unmarked != shown {
		t.Fatalf("%s is marked as %s", shown, marked)
	}
	if strings.Contains(marked, "<mark>") != (f.Text != "") {
		t.Fatalf("%q is in %s, which is marked as %s", f.Text, shown, marked)
	}
}

// allowed has the elements of a rendered text, with their attributes.
var allowed = map[string]string{
	"p": "dir", "br": "", "a": "href rel title", "em": "", "strong": "", "del": "", "code": "",
	"pre": "tabindex dir", "blockquote": "dir", "ul": "dir", "ol": "dir start", "li": "", "hr": "dir",
	"table": "dir tabindex", "thead": "", "tbody": "", "tr": "", "th": "align", "td": "align",
	"h2": "dir", "h3": "dir", "h4": "dir", "h5": "dir", "h6": "dir",
}

// mustBeSafe reads HTML as a browser does, and as a tokenizer does, which also sees
// elements that a browser would drop.
func mustBeSafe(t *testing.T, rendered string, top int) {
	t.Helper()
	root := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(strings.NewReader(rendered), root)
	if err != nil && !strings.Contains(err.Error(), "exceeds") { // it is too deep for this parser
		t.Fatal(err)
	}
	for _, n := range nodes {
		mustBeAllowed(t, n.Type, n.Data, n.Attr, top)
		for n := range n.Descendants() {
			mustBeAllowed(t, n.Type, n.Data, n.Attr, top)
		}
	}
	z := html.NewTokenizer(strings.NewReader(rendered))
	links := 0
	for z.Next() != html.ErrorToken {
		token := z.Token()
		switch token.Type {
		case html.StartTagToken, html.SelfClosingTagToken:
			mustBeAllowed(t, html.ElementNode, token.Data, token.Attr, top)
		case html.CommentToken, html.DoctypeToken:
			t.Fatalf("a token %s", token)
		}
		switch {
		case token.Data == "a" && token.Type == html.StartTagToken:
			links++
		case token.Data == "a" && token.Type == html.EndTagToken:
			links--
		}
		if links > 1 {
			t.Fatalf("a link in a link: %s", rendered)
		}
	}
}

func mustBeAllowed(t *testing.T, kind html.NodeType, element string, attributes []html.Attribute, top int) {
	t.Helper()
	if kind == html.TextNode {
		return
	}
	names, ok := allowed[element]
	if kind != html.ElementNode || !ok || element[0] == 'h' && element != "hr" && int(element[1]-'0') < top {
		t.Fatalf("element %q", element)
	}
	for _, a := range attributes {
		if !strings.Contains(" "+names+" ", " "+a.Key+" ") || a.Namespace != "" {
			t.Fatalf("attribute %q of %s", a.Key, element)
		}
		switch a.Key {
		case "href":
			mustLeadAway(t, a.Val)
		case "rel":
			if a.Val != "nofollow ugc noopener" {
				t.Fatalf("rel %q", a.Val)
			}
		case "dir":
			if a.Val != "auto" {
				t.Fatalf("dir %q", a.Val)
			}
		}
	}
	if element == "a" && len(attributes) < 2 {
		t.Fatalf("a link with %v", attributes)
	}
}

func mustLeadAway(t *testing.T, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
	case u.Scheme == "mailto" && strings.HasPrefix(strings.ToLower(address), "mailto:"):
	default:
		t.Fatalf("a link to %q", address)
	}
}

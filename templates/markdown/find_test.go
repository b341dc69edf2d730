package markdown

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestFind(t *testing.T) {
	t.Run("what a reader expects is found, and marked if it is shown", findsWhatIsExpected)
	t.Run("what is not in the text is not found", findsNothingElse)
	t.Run("what is around a match begins and ends between words", showsWordsAround)
	t.Run("a letter is found in each of its cases", findsEachCase)
}

func findsWhatIsExpected(t *testing.T) {
	for _, c := range []struct{ source, query, marked string }{
		{"Hello **brave** world", "hello brave", "<p dir=\"auto\"><mark>Hello </mark><strong><mark>brave</mark></strong> world</p>"},
		{"don’t", "don't", "<mark>don’t</mark>"},
		{"don't", "don’t", "<mark>don't</mark>"},
		{"Straße", "STRASSE", "<mark>Straße</mark>"},
		{"groß", "s", "gro<mark>ß</mark>"},
		{"**ab**c", "abc", "<strong><mark>ab</mark></strong><mark>c</mark>"},
		{"snake_case", "snake_case", "<mark>snake_case</mark>"},
		{"snake_case", "SNAKECASE", "<mark>snake_case</mark>"},
		{`a \* b`, "a * b", "<mark>a * b</mark>"},
		{"a`` b ``c", "a b c", "a<code>b</code>c"}, // the spaces in it are not shown
		{"soft  break", " soft\nbreak ", "<mark>soft  break</mark>"},
		{"hard\nbreak", "hard break", "<mark>hard</mark><br><mark>\nbreak</mark>"},
		{"one\n\ntwo", "one two", "<mark>one</mark></p>\n<p dir=\"auto\"><mark>two</mark>"},
		{"well–known", "WELL-known", "<mark>well–known</mark>"},
		{"auto\u00adbahn", "Autobahn", "<mark>auto\u00adbahn</mark>"},
		{"so 👍🏽", "👍", "<mark>👍</mark>🏽"},
		{"❤️ it", "❤ it", "<mark>❤️ it</mark>"},
		{"&ouml;l & a &lt; b", "öl & a < b", "<mark>öl &amp; a &lt; b</mark>"},
		{"cafe\u0301", "CAFÉ", "<mark>cafe\u0301</mark>"},
		{"İstanbul, Irmak, ılık", "istanbul, irmak, ilik", "<mark>İstanbul, Irmak, ılık</mark>"},
		{"aaa", "aa", "<mark>aa</mark>a"},
		{"a [link](https://b.example/manual)", "example/MANUAL", ">link</a>"},
		{"a [link][1]\n\n[1]: https://b.example", "a link", "<mark>a </mark><a href"},
		{"- [x] bread", "x bread", "☑ bread"},
	} {
		f := NewFinder(c.query)
		if marked := f.Mark(Render(c.source, BelowList)).String(); !f.In("", c.source) || !strings.Contains(marked, c.marked) {
			t.Errorf("%q in %q: found %t, marked %s", c.query, c.source, f.In("", c.source), marked)
		}
	}
	if !NewFinder("a title").In("*A  Title", "") {
		t.Error("a title is not found")
	}
}

func findsNothingElse(t *testing.T) {
	for source, query := range map[string]string{
		"a [link](https://b.example) c": "link c", // its address is between
		"- a\n- b":                      "a b",
		"ab":                            "a b",
		"é":                             "e",
		"**":                            "a",
		"end":                           "end top",
	} {
		f := NewFinder(query)
		if f.In("top", source) || strings.Contains(f.Mark(Literal(source)).String(), "<mark>") {
			t.Errorf("%q is found in %q", query, source)
		}
	}
	for _, query := range []string{"**", " \\ ", "[`]", "\u00ad", ""} {
		if f := NewFinder(query); f.Text != "" || f.Mark(Literal("a ** b")) != Literal("a ** b") {
			t.Errorf("of %q is left: %q", query, f.Text)
		}
	}
}

func showsWordsAround(t *testing.T) {
	long := strings.Repeat("One two. ", 30)
	for _, c := range []struct{ query, title, source, want string }{
		{"hello brave", "", "Hello **brave** world", "Hello brave world"},
		{"lease", "", long + "A *lease* & more. " + long, "…" + long[:54] + "A lease & more. " + long[:48] + "…"},
		{"lease", "A lease", long, "A lease"},
		{"b.example", "", "See\n[it](https://b.example).", "See [it](https://b.example)."},
		{"<", "", "`&lt;` it", "`&lt;` it"}, // the entity is shown as it is
	} {
		if got := NewFinder(c.query).Around(c.title, c.source); got != c.want {
			t.Errorf("around %q is %q, not %q", c.query, got, c.want)
		}
	}
}

func findsEachCase(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			continue
		}
		want := fold("x" + string(r))
		for _, other := range []string{"x" + string(unicode.SimpleFold(r)), cases.Fold().String("x" + string(r)), norm.NFD.String("x" + string(r)), strings.ToUpper("x" + string(r)), want} {
			if got := fold(other); got != want {
				t.Errorf("%q is folded to %q, and %q to %q", string(r), want, other, got)
			}
		}
	}
}

// seen is what a reader of the rendered text sees, as a browser reads it.
func seen(rendered string) string {
	nodes, _ := html.ParseFragment(strings.NewReader(rendered), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	var b strings.Builder
	var read func(n *html.Node)
	read = func(n *html.Node) {
		block := n.Type == html.ElementNode && !strings.Contains(" a em strong del code mark ", " "+n.Data+" ")
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		if block {
			b.WriteByte(' ')
		}
		for child := range n.ChildNodes() {
			read(child)
		}
		if block {
			b.WriteByte(' ')
		}
	}
	for _, n := range nodes {
		read(n)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

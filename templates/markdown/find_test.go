package markdown

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestFind(t *testing.T) {
	t.Run("what is found is what a reader sees", findsWhatAReaderSees)
	t.Run("a letter is found in each of its cases", findsEachCase)
	t.Run("what a reader expects is found", findsWhatIsExpected)
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

// same is the folding by the library, which is slow.
func same(s string) string {
	s = strings.NewReplacer("’", "'", "‘", "'", "–", "-", "—", "-", "\u00ad", "", "ı", "i").Replace(norm.NFC.String(s))
	s = strings.ReplaceAll(cases.Fold().String(s), "i\u0307", "i")
	return strings.Join(strings.Fields(s), " ")
}

func findsWhatAReaderSees(t *testing.T) {
	pieces := []string{
		"a", "b", "c", "ab", "B", " ", "  ", "\n", "\n\n", "*", "**", "_", "~~", "`", "``", "[", "](", ")", "](https://a.b)", "[a]", "[]", "![", "][1]", "\n\n[1]: https://c.ab \"b\"\n",
		"[1]", "<https://ab.c>", "<", ">", "\n> ", "\n- ", "\n1. ", "- [ ] ", "- [x] ", "\n# ", "#", "\n===\n", "\n---\n", "\n```a\n", "\n    ", "\\", "&", "&amp;", "&#97;", "&auml;", ";",
		"a|b\n-|-\nc|`a\\|b`\n", "|", "!", "'", "’", "–", "-", "ß", "İ", "ı", "\u0301", "\u0338", "é", "e", "猫", "👍", "ﬁ", "Σ", "ς", "\u00ad", "\u00a0", "https://a.b/c_d", "b@c.d", "ᄀ", "ᅡ", "1", ".",
	}
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 14).Draw(t, "source"), "")
		shown := []rune(seen(Render(source, BelowList).String()))
		query := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 3).Draw(t, "query"), "")
		if n := len(shown); n > 0 && rapid.Bool().Draw(t, "there") {
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			query = string(shown[from:rapid.IntRange(from+1, n).Draw(t, "to")])
		}
		f, want := NewFinder(query), same(query) != "" && strings.Contains(same(string(shown)), same(query))
		if got := f.In("", source); got != want {
			t.Fatalf("%q in %q, which is seen as %q: %t", query, source, string(shown), got)
		}
		marked := f.Mark(Render(source, BelowList)).String()
		if got := seen(marked); got != string(shown) || want != strings.Contains(marked, "<mark>") {
			t.Fatalf("%q in %q is marked as %s", query, source, marked)
		}
		if around := f.Around("", source); want && !strings.Contains(same(around), same(query)) {
			t.Fatalf("%q in %q has these words around: %q", query, source, around)
		}
	})
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

func findsWhatIsExpected(t *testing.T) {
	for source, query := range map[string]string{
		"**ab**c":                              "abc",
		"soft  break":                          " soft\nbreak ",
		"well–known":                           "WELL-known",
		"groß":                                 "s",
		"so 👍🏽":                                "👍",
		"❤️":                                   "❤",
		"- [x] bread":                          "☑ bread",
		"![][1] end\n\n[1]: https://b.example": "https://b.example end",
		"&ouml;l":                              "öl",
		"**e**\u0301":                          "é",
		"a`` b ``c":                            "abc",
		"a\n- b|":                              "a b",
	} {
		f := NewFinder(query)
		marked := f.Mark(Render(source, BelowList)).String()
		if !f.In("", source) || !strings.Contains(marked, "<mark>") || strings.Contains(marked, "<mark>\n</mark>") {
			t.Errorf("%q is not found in %q: %s", query, source, marked)
		}
	}
	if f := NewFinder("a title"); !f.In("*A  Title", "") || f.In("A *title*", "text") {
		t.Error("a title is not found as it is")
	}
}

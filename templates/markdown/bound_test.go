package markdown

import (
	"strings"
	"testing"
)

func TestBound(t *testing.T) {
	t.Run("a text that is too much work is shown as it was typed", func(t *testing.T) {
		for _, mark := range []string{"*a* ", "~~a~~", "`a` ", "[](", "[a](b) ", "![", "- a\n", "-\n", "1)\n2.\n", "> a\n\n", "# a\n", "a\n=\n", "***\n", "a\n\n", "|-\n|", "\\``\n", "[a]:\nb\n", "[a]:b\n-\n", "https://a.b "} {
			source := repeated(mark)
			want := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "<br>\n").Replace(strings.TrimSpace(source))
			if got := Render(source, BelowList).String(); got != paragraph(want)+"\n" {
				t.Errorf("%d characters of %q become %.200q", longest, mark, got)
			}
		}
	})
	t.Run("no text makes the library panic when its work ends", func(t *testing.T) {
		for _, mark := range []string{"[a]:b\n-\n", "[a]:b\n=\n", "> [a]:b\n> -\n", "- [a]:b\n  -\n", "|a\n|-\n-\n", "[a]:b\n\n-\n"} {
			for n := range longest / len(mark) {
				render(strings.Repeat(mark, n), BelowList)
			}
		}
	})
	t.Run("a text with which the library panics is shown as it was typed", func(t *testing.T) {
		if got, want := orAsTyped("*a*", func() HTML { panic("index out of range") }).String(), paragraph("*a*")+"\n"; got != want {
			t.Errorf("it becomes %s", got)
		}
	})
	t.Run("a long text with many marks is read", func(t *testing.T) {
		for line, want := range map[string]string{
			"- [ ] buy some milk\n": "<li>", "* **word:** what it means\n": "<strong>", "[Some link](https://a.example/x) says\n": "<a", "Call `f(x[0])` [1] and *then* `g`\n": "<em>",
			"| 1 | 22 | 333 |\n": "| 1 |", "see https://a.example/\n": "<a", "a b c d e\n\n": "<p",
		} {
			source := repeated(line)
			if got := strings.Count(Render(source, BelowList).String(), want); got < len(source)/len(line) {
				t.Errorf("%d lines %q have %d times %q", len(source)/len(line), line, got, want)
			}
		}
	})
	t.Run("a bracket within five others is text", func(t *testing.T) {
		const image, address = "![a](https://b.example/)", "](https://b.example/)"
		link := linkedAs("https://b.example/", "a")
		for source, want := range map[string]string{
			"[[[[" + image + "]]]]":   "[[[[" + link + "]]]]",
			"[[[[[" + image + "]]]]]": "[[[[[" + image + "]]]]]",
			"[[[[[[a]]]]]" + address:  linkedAs("https://b.example/", "[[[[[a]]]]]"),
			"[[[[[[a\n\n" + image:     "[[[[[[a</p>\n<p dir=\"auto\">" + link,
		} {
			if got := Render(source, BelowList).String(); got != paragraph(want)+"\n" {
				t.Errorf("%s becomes %s", source, got)
			}
		}
	})
	t.Run("an address of more than 2,000 bytes is text", func(t *testing.T) {
		long := "https://a.example/" + strings.Repeat("漢", 660)
		for _, c := range []struct {
			address string
			links   int
		}{{long, 1}, {long + "bc", 1}, {long + "漢", 0}, {strings.Repeat("http://a:b,", 400) + " https://a.example", 1}} {
			if got := strings.Count(Render(c.address, BelowList).String(), "<a "); got != c.links {
				t.Errorf("%d bytes %.30s… have %d links, want %d", len(c.address), c.address, got, c.links)
			}
		}
	})
}

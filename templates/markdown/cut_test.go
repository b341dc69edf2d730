package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	t.Run("is made between blocks, or words", func(t *testing.T) {
		for sentence, c := range map[string]struct {
			text  string
			limit int
			want  string
		}{
			"it fits":                       {"one\n\ntwo", 8, "one\n\ntwo"},
			"between blocks, if enough":     {"one two three\n\nfour five", 20, "one two three\n\n…"},
			"before a list":                 {"one two three\n\n- four\n- five six seven", 25, "one two three\n\n…"},
			"between words":                 {"- one two three\n- four five\n- six", 24, "- one two three\n- four…"},
			"in an address":                 {"one two three https://six.example/seven", 25, "one two three…"},
			"a paragraph without spaces":    {"一二三四五六七八九十", 8, "一二三四五六七…"},
			"a link that is all there is":   {"[" + strings.Repeat("a ", 20) + "](https://b)", 10, "[a a a a…"},
			"a limit of less than the tail": {"abc", 2, "a…"},
		} {
			t.Run(sentence, func(t *testing.T) {
				if got, was := Cut(c.text, c.limit); got != c.want || was != (got != c.text) {
					t.Errorf("Cut(%q, %d)\n got %q, %v\nwant %q", c.text, c.limit, got, was, c.want)
				}
			})
		}
	})
	t.Run("keeps to the limit", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			parts := rapid.SliceOf(rapid.SampledFrom([]string{
				"word ", "词", "\n", "\n\n", "- ", "> ", "```\n", "# ", "**", "`", "[a](https://b) ", "    ", "👩‍👩‍👧", "\u0301",
			})).Draw(t, "parts")
			source, limit := strings.Join(parts, ""), rapid.IntRange(1, 100).Draw(t, "limit")
			got, was := Cut(source, limit)
			if n := utf8.RuneCountInString(got); n > limit || was != (utf8.RuneCountInString(source) > limit) {
				t.Fatalf("%q was cut at %d to %q of %d characters: %v", source, limit, got, n, was)
			}
			if was && !strings.HasSuffix(got, "…") {
				t.Fatalf("%q was cut at %d to %q", source, limit, got)
			}
		})
	})
}

func TestWords(t *testing.T) {
	t.Run("are what a reader reads", func(t *testing.T) {
		for text, want := range map[string]string{
			"# A *b*\n\nc **d**e\nf `g`":                       "A b c de f g",
			"- a\n- [b](https://c.example) & <d>\n\n> e":       "a b & <d> e",
			"![a](https://b.example) https://c.example/ \\*d*": "a https://c.example/ *d*",
		} {
			if got := Words(text); got != want {
				t.Errorf("%q reads %q, want %q", text, got, want)
			}
		}
	})
	// A text that is taken for plain must read as if it were parsed, as it is if a mark follows.
	t.Run("are the same by the short way", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			source := rapid.StringOfN(rapid.SampledFrom([]rune("ab1 .-+=:/'\"é词|(){}\t")), 0, 20, -1).Draw(t, "source")
			long := strings.TrimSuffix(Words(source+"\n\n&amp;"), "&")
			if got := Words(source); got != strings.TrimSpace(long) {
				t.Fatalf("%q reads %q, parsed %q", source, got, long)
			}
		})
	})
}

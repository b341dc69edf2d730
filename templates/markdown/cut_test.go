package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	t.Run("leaves no mark open", cutLeavesNoMarkOpen)
	t.Run("keeps to the limit", cutKeepsToTheLimit)
}

func cutLeavesNoMarkOpen(t *testing.T) {
	for sentence, c := range map[string]struct {
		text  string
		limit int
		want  string
	}{
		"it fits":                       {"one\n\ntwo", 8, "one\n\ntwo"},
		"in the last block":             {"one two\n\nthree four five six", 21, "one two\n\nthree four…"},
		"between blocks, if enough":     {"one two three\n\nfour five", 20, "one two three\n\n…"},
		"before a list":                 {"one two three\n\n- four\n- five six seven", 25, "one two three\n\n…"},
		"within a list":                 {"- one two three\n- four five\n- six", 24, "- one two three\n- four…"},
		"before a link":                 {"one two three [four five](https://six.example)", 25, "one two three…"},
		"not in an address":             {"one two three https://six.example/seven", 25, "one two three…"},
		"before emphasis":               {"one two three **four five six**", 25, "one two three…"},
		"before code":                   {"one two three `four five six`", 25, "one two three…"},
		"a block of code is closed":     {"```go\none\ntwo\nthree\nfour\n```", 24, "```go\none\ntwo\n```\n\n…"},
		"with the fence that it has":    {"~~~~\none two\nthree\nfour five six\n~~~~", 27, "~~~~\none two\nthree\n~~~~\n\n…"},
		"indented code needs no fence":  {"    one two\n    three\n    four five", 25, "    one two\n    three\n\n…"},
		"code within a quotation":       {"> ```\n> one two three\n> four five six\n> ```", 38, "> ```\n> one two three\n\n…"},
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
}

func cutKeepsToTheLimit(t *testing.T) {
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
}

func TestWords(t *testing.T) {
	t.Run("are what a reader reads", wordsAreWhatAReaderReads)
	t.Run("are the same by the short way", wordsAreTheSameByTheShortWay)
}

// A text that is taken for plain must read as if it were parsed, as it is if a mark follows.
func wordsAreTheSameByTheShortWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.StringOfN(rapid.SampledFrom([]rune("ab1 .-+=:/'\"é词|(){}\t")), 0, 20, -1).Draw(t, "source")
		long := strings.TrimSuffix(Words(source+"\n\n&amp;"), "&")
		if got := Words(source); got != strings.TrimSpace(long) {
			t.Fatalf("%q reads %q, parsed %q", source, got, long)
		}
	})
}

func wordsAreWhatAReaderReads(t *testing.T) {
	for text, want := range map[string]string{
		"# A *b*\n\nc **d**e\nf `g`":                       "A b c de f g",
		"- a\n- [b](https://c.example) & <d>\n\n> e":       "a b & <d> e",
		"![a](https://b.example) https://c.example/ \\*d*": "a https://c.example/ *d*",
	} {
		if got := Words(text); got != want {
			t.Errorf("%q reads %q, want %q", text, got, want)
		}
	}
}

package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCutWords(t *testing.T) {
	t.Run("is between words", func(t *testing.T) {
		for name, c := range map[string]struct {
			text  string
			limit int
			want  string
		}{
			"it fits":                {"one two", 7, "one two"},
			"within a word":          {"one two three", 10, "one two…"},
			"right after a word":     {"one two three", 8, "one two…"},
			"at a line":              {"one two\n\nthree", 11, "one two…"},
			"characters, not bytes":  {"äöü äöü äöü", 8, "äöü äöü…"},
			"no spaces":              {"一二三四五六七八九十", 5, "一二三四…"},
			"an early space only":    {"a bcdefghijklmn", 10, "a bcdefgh…"},
			"within a character":     {"aaa\u0301\u0301\u0301\u0301aaa", 5, "aa…"},
			"one endless character":  {"a" + strings.Repeat("\u0301", 20), 5, "a\u0301\u0301\u0301…"},
			"a family stays in one":  {"ab👩‍👩‍👧cd", 5, "ab…"},
			"the limit is one":       {"abc", 1, "…"},
			"a space before nothing": {"a b", 2, "a…"},
		} {
			t.Run(name, func(t *testing.T) {
				got, was := CutWords(c.text, c.limit)
				if got != c.want || was != (got != c.text) {
					t.Errorf("CutWords(%q, %d)\n got %q, %v\nwant %q", c.text, c.limit, got, was, c.want)
				}
				if n := utf8.RuneCountInString(got); n > c.limit {
					t.Errorf("%q has %d characters, the limit is %d", got, n, c.limit)
				}
			})
		}
	})
}

package markdown

import (
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

const (
	// longest is how many characters a post may have.
	longest = 5000
	// slowest is how many times as long as plain text a text may take. The race detector would measure something else.
	slowest = 50
)

// repeated is a text of longest characters.
func repeated(part string) string {
	return string([]rune(strings.Repeat(part, longest/utf8.RuneCountInString(part)+1))[:longest])
}

// takes is how long it takes to render a text, in the best of many tries, or less than enough.
func takes(source string, enough time.Duration) time.Duration {
	best := time.Hour
	for range 40 {
		began := time.Now()
		Render(source, BelowList)
		if best = min(best, time.Since(began)); best < enough {
			break
		}
	}
	return best
}

var plainTakes = sync.OnceValue(func() time.Duration { return takes(repeated("lorem ipsum "), 0) })

// FuzzBound looks for a text of 5,000 characters that takes too long to render. It repeats the first part some times, and
// then the second.
func FuzzBound(f *testing.F) {
	for _, seed := range [][2]string{
		{"[](", "a"}, {"![", "](b)"}, {"[", "]"}, {"Ä[", "]"}, {"[a](a", "|-"}, {"[a][", "b\n"}, {"[a]: http://b\n\n[a]", "[a]\n"}, {"[a]:\nb\n", ""}, {"[a]: b '", "x\n"}, {"[a]:b\n-\n", ""}, {"[a]:b\n-\n", "=\n"}, {"> [a]:b\n> =\n", ""},
		{"\\``", "a\n"}, {"\\``漢", "\n)-"}, {"`a``", "b```"}, {"\"", "~"}, {"*a ", "b_ "}, {"a *b ", "a_ "}, {"*_", "_*"},
		{"http://a:b,", ""}, {"\n~~https://a.b_", "ä"}, {":", "://"}, {"<a:b>", "<a@b"}, {"&#", "&amp;"},
		{"> ", "a\n"}, {"> > > > > a\n", "b\n"}, {"- - - - - a\n", "b\n"}, {"1)\n2.\n", ""}, {"- [ ]\n", ""}, {"a\n-\n", ""}, {"a\n\n", ""}, {"# #\n", ""}, {"```\n", "\\\n"},
		{"|a|b|\n|-|-|\n", "|\n"}, {"|a", "\n|-"}, {"a|b\n-|-\n", "`\\|`|\\|\n"}, {"\t", "  \n"}, {"http://a.b/", "漢"}, {"1. - > - 1. a", "\n"}, {"e\u0301", "👩‍👩‍👧"},
	} {
		f.Add(seed[0], seed[1], uint16(400))
		f.Add(seed[0], seed[1], uint16(1))
		f.Add(seed[0], seed[1], uint16(longest))
	}
	f.Fuzz(func(t *testing.T, first, second string, times uint16) {
		if !utf8.ValidString(first+second) || first == "" || len(first+second) > 100 {
			return
		}
		source := strings.Repeat(first, min(int(times), longest))
		if second != "" {
			source += repeated(second)
		}
		source = string([]rune(source)[:min(longest, utf8.RuneCountInString(source))])
		render(source, BelowList) // may not panic
		if took := takes(source, slowest*plainTakes()); took > slowest*plainTakes() {
			t.Errorf("%d times %q and then %q take %v, plain text %v", times, first, second, took, plainTakes())
		}
	})
}

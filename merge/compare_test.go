package templates

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// sides has both versions as the page shows them, with marks.
func sides(t *testing.T, from, to string) (before, after string) {
	t.Helper()
	c := compare(from, to)
	return render(t, c.before()), render(t, c.after())
}

func TestCompare(t *testing.T) {
	t.Run("marks whole words", comparisonMarksWholeWords)
	t.Run("loses nothing", comparisonLosesNothing)
}

func comparisonMarksWholeWords(t *testing.T) {
	for _, test := range []struct{ from, to, before, after string }{
		{"same", "same", "same", "same"},
		{"", "new", "", "<ins>new</ins>"},
		{"old", "", "<del>old</del>", ""},
		{"the cat sat", "the cot sat", "the <del>cat</del> sat", "the <ins>cot</ins> sat"},
		{"a <b>", "a <i>", "a &lt;<del>b</del>&gt;", "a &lt;<ins>i</ins>&gt;"},
		{"Grüße 👩‍🚀!", "Grüße 👩‍🔬!", "Grüße <del>👩‍🚀</del>!", "Grüße <ins>👩‍🔬</ins>!"},
		{"one\ntwo", "one\n\ntwo", "one\ntwo", "one\n<ins>↵\n</ins>two"},
	} {
		if before, after := sides(t, test.from, test.to); before != test.before || after != test.after {
			t.Errorf("%q and %q: %q and %q", test.from, test.to, before, after)
		}
	}
}

func comparisonLosesNothing(t *testing.T) {
	plain := func(marked string) string {
		for _, mark := range []string{"<del>", "</del>", "<ins>", "</ins>", "↵"} {
			marked = strings.ReplaceAll(marked, mark, "")
		}
		return html.UnescapeString(marked)
	}
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aaab  \n<&é👩\u200d🚀漢")), 0, 80, -1)
	rapid.Check(t, func(r *rapid.T) {
		from, to := text.Draw(r, "from"), text.Draw(r, "to")
		if before, after := sides(t, from, to); plain(before) != from || plain(after) != to {
			r.Fatalf("%q and %q became %q and %q", from, to, before, after)
		}
	})
}

// BenchmarkCompare measures the worst case: two texts of the greatest length with
// nothing in common.
func BenchmarkCompare(b *testing.B) {
	from, to := strings.Repeat("a b\n", 1250), strings.Repeat("c.d\t", 1250)
	b.ReportAllocs()
	for b.Loop() {
		compare(from, to)
	}
}

package merge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sides has both texts, with marks around what only one of them has.
func sides(from, to string) (before, after string) {
	for _, c := range Compare(from, to) {
		switch c.Kind {
		case Same:
			before, after = before+c.Text, after+c.Text
		case Removed:
			before += "[-" + c.Text + "-]"
		case Added:
			after += "[+" + c.Text + "+]"
		}
	}
	return before, after
}

func TestCompare(t *testing.T) {
	t.Run("marks whole words", comparisonMarksWholeWords)
	t.Run("loses nothing", comparisonLosesNothing)
}

func comparisonMarksWholeWords(t *testing.T) {
	for _, test := range []struct{ from, to, before, after string }{
		{"same", "same", "same", "same"},
		{"", "new", "", "[+new+]"},
		{"old", "", "[-old-]", ""},
		{"the cat sat", "the cot sat", "the [-cat-] sat", "the [+cot+] sat"},
		{"a <b>", "a <i>", "a <[-b-]>", "a <[+i+]>"},
		{"Grüße 👩‍🚀!", "Grüße 👩‍🔬!", "Grüße [-👩‍🚀-]!", "Grüße [+👩‍🔬+]!"},
		{"one\ntwo", "one\n\ntwo", "one\ntwo", "one\n[+\n+]two"},
	} {
		if before, after := sides(test.from, test.to); before != test.before || after != test.after {
			t.Errorf("%q and %q: %q and %q", test.from, test.to, before, after)
		}
	}
}

func comparisonLosesNothing(t *testing.T) {
	marks := strings.NewReplacer("[-", "", "-]", "", "[+", "", "+]", "")
	rapid.Check(t, func(r *rapid.T) {
		from, to := text().Draw(r, "from"), text().Draw(r, "to")
		if before, after := sides(from, to); marks.Replace(before) != from || marks.Replace(after) != to {
			r.Fatalf("%q and %q became %q and %q", from, to, before, after)
		}
	})
}

func text() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("aaab  \n<&é👩\u200d🚀漢")), 0, 80, -1)
}

// BenchmarkCompare measures the worst case: two texts of the greatest length with
// nothing in common.
func BenchmarkCompare(b *testing.B) {
	from, to := strings.Repeat("a b\n", 1250), strings.Repeat("c.d\t", 1250)
	b.ReportAllocs()
	for b.Loop() {
		Compare(from, to)
	}
}

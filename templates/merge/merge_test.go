package merge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	t.Run("takes disjoint changes together, and keeps both where they overlap", func(t *testing.T) {
		for _, test := range []struct {
			base, mine, theirs, want string
			clean                    bool
		}{
			{"a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC", true},
			{"a\nb", "A\nb", "a\nB", "A\nB", true},
			{"a\nb\nc", "b\nc", "a\nb\nc\nd", "b\nc\nd", true},
			{"The quick brown fox", "The slow brown fox", "The quick red fox", "The slow red fox", true},
			{"The piston moves up.\nThen it moves down.", "The piston moves up.\nThen it rests.",
				"The piston moves up and up.\nThen it moves down.", "The piston moves up and up.\nThen it rests.", true},
			{"a b c", "a X c", "a X c", "a X c", true},
			{"", "", "new", "new", true},
			{"old", "old", "", "", true},
			{"一。二。三。", "一。二。参。", "壱。二。三。", "壱。二。参。", true},
			{"a b c", "a X c", "a Y c", "a X Y c", false},
			{"a", "a\nmine", "a\ntheirs", "a\nmine\ntheirs", false},
			{"", "mine", "theirs", "mine theirs", false},
			{"a b c", "a c", "a B c", "a B c", false},
			{"one\ntwo\nthree", "one\n2\nthree", "one\nTwo!\nthree", "one\n2 Two!\nthree", false},
			{"一二", "壱二", "一弐", "壱二 一弐", false},
		} {
			got := Texts(test.base, test.mine, test.theirs)
			if got.Text() != test.want || got.Clean() != test.clean {
				t.Errorf("%q, %q and %q: %q, %+v", test.base, test.mine, test.theirs, got.Text(), got)
			}
		}
	})
	t.Run("with an unchanged side gives the other", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			base, other := text().Draw(r, "base"), text().Draw(r, "other")
			for name, got := range map[string]Merge{
				"mine is unchanged":   Texts(base, base, other),
				"theirs is unchanged": Texts(base, other, base),
				"both are the same":   Texts(base, other, other),
			} {
				if got.Text() != other || !got.Clean() {
					r.Fatalf("%s: %q and %q became %q: %+v", name, base, other, got.Text(), got)
				}
			}
		})
	})
	t.Run("has each text in its parts", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			base, mine, theirs := text().Draw(r, "base"), text().Draw(r, "mine"), text().Draw(r, "theirs")
			var b, m, o string
			for _, p := range Texts(base, mine, theirs) {
				b, m, o = b+p.Base, m+p.Mine, o+p.Theirs
				if p.Side != sideOf(p.Base, p.Mine, p.Theirs) {
					r.Fatalf("%+v", p)
				}
			}
			if b != base || m != mine || o != theirs {
				r.Fatalf("%q, %q and %q became %q, %q and %q", base, mine, theirs, b, m, o)
			}
		})
	})
	t.Run("does not depend on which side is mine", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			base, mine, theirs := text().Draw(r, "base"), text().Draw(r, "mine"), text().Draw(r, "theirs")
			one, other := Texts(base, mine, theirs), Texts(base, theirs, mine)
			if one.Clean() != other.Clean() || one.Clean() && one.Text() != other.Text() {
				r.Fatalf("%q, %q and %q: %+v, and %+v", base, mine, theirs, one, other)
			}
		})
	})
	t.Run("of a title is of the whole", func(t *testing.T) {
		for _, test := range []struct {
			base, mine, theirs string
			want               Side
		}{
			{"a b", "a b", "a b", Neither}, {"a b", "A b", "a b", Mine}, {"a b", "a b", "a B", Theirs},
			{"a b", "c", "c", Both}, {"a b", "A b", "a B", Clash},
		} {
			if got := Whole(test.base, test.mine, test.theirs); len(got) != 1 || got[0].Side != test.want {
				t.Errorf("%+v: %+v", test, got)
			}
		}
	})
	t.Run("with one change marks whole words", func(t *testing.T) {
		for _, test := range []struct{ from, to, want string }{
			{"same", "same", "same"},
			{"", "new", "[+new]"},
			{"old", "", "[-old]"},
			{"the cat sat", "the cot sat", "the [-cat][+cot] sat"},
			{"a <b>", "a <i>", "a <[-b][+i]>"},
			{"Grüße 👩‍🚀!", "Grüße 👩‍🔬!", "Grüße [-👩‍🚀][+👩‍🔬]!"},
			{"one\ntwo", "one\n\ntwo", "one\n[+\n]two"},
		} {
			var got string
			for _, p := range Texts(test.from, test.to, test.from) {
				if p.Side == Neither {
					got += p.Base
					continue
				}
				got += strings.ReplaceAll(strings.ReplaceAll("[-"+p.Base+"][+"+p.Mine+"]", "[-]", ""), "[+]", "")
			}
			if got != test.want {
				t.Errorf("%q and %q: %q, want %q", test.from, test.to, got, test.want)
			}
		}
	})
}

func text() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("aaab  \n<&é👩\u200d🚀漢")), 0, 80, -1)
}

// BenchmarkTexts measures the worst case: texts of the greatest length with nothing in common.
func BenchmarkTexts(b *testing.B) {
	base, mine, theirs := strings.Repeat("a b\n", 1250), strings.Repeat("c.d\t", 1250), strings.Repeat("e-f;", 1250)
	b.ReportAllocs()
	for b.Loop() {
		Texts(base, mine, theirs)
	}
}

package domain_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"microblogging/domain"
)

// letters are from every script, and often letters with unusual case folding.
func letters() *rapid.Generator[rune] {
	return rapid.OneOf(
		rapid.RuneFrom(nil, unicode.L),
		rapid.RuneFrom(nil, unicode.Lu, unicode.Lt),
		rapid.RuneFrom([]rune("aAzZkKsSiIjJßẞſıİΣσςΘϑϴǅŉǰΐΰևﬁﬃﬅᾳᾼᾈῼᏰᏸꭰÅK")),
	)
}

// isSeen reports whether a letter or a mark takes room.
func isSeen(r rune) bool {
	return !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !strings.ContainsRune("\U00013441\U00013442\U00016fe4", r)
}

// validNames are channel names before normalization.
func validNames() *rapid.Generator[string] {
	mark := rapid.OneOf(
		rapid.RuneFrom(nil, unicode.M),
		rapid.RuneFrom([]rune("\u0301\u0307\u0308\u030c\u0323\u0327\u0345")),
	)
	unit := rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
			return string(rapid.RuneFrom(nil, unicode.Nd).Draw(t, "digit"))
		}
		marks := rapid.SliceOfN(mark.Filter(isSeen), 0, 2).Draw(t, "marks")
		return string(letters().Filter(isSeen).Draw(t, "letter")) + string(marks)
	})
	word := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(unit, 1, 6).Draw(t, "units"), "")
	})
	return rapid.Custom(func(t *rapid.T) string {
		name := word.Draw(t, "word")
		for range rapid.IntRange(0, 3).Draw(t, "more") {
			name += rapid.SampledFrom([]string{"-", "_", "."}).Draw(t, "separator") + word.Draw(t, "word")
		}
		return name
	})
}

// parsed parses s, and skips the case if the name is not valid, such as too long.
func parsed(t *rapid.T, s string) domain.ChannelName {
	name, err := domain.ParseChannelName(s)
	if err != nil {
		t.Skip(err)
	}
	return name
}

func TestChannelName(t *testing.T) {
	t.Run("follows the grammar", channelNamesFollowTheGrammar)
	t.Run("of letters is accepted", nameOfLettersIsGood)
	t.Run("that looks empty or like another is refused", nameThatDeceivesIsRefused)
}

func nameThatDeceivesIsRefused(t *testing.T) {
	for _, s := range []string{
		"\u3164", "\uffa0", "\u115f", "\u1160", "\U00013441", "\U00013442", // letters that look like nothing
		"garden\ufe0f", "garden\U000e0101", "ga\u034frden", "k\u17b4", "\u1820\u180b", // marks that do
		"gar\u200dden", "gar\u200cden", "gar\u202eden", "gar\u2066den", "gar\u00adden", "gar\u061cden", "gar\u2060den", "gar\U000e0041den",
	} {
		_, err := domain.ParseChannelName(s)
		var invalid *domain.InvalidError
		if !errors.As(err, &invalid) || invalid.Fields[0].Field != "name" || !strings.Contains(invalid.Fields[0].Detail, "which is invisible") {
			t.Errorf("%+q may name a channel: %v", s, err)
		}
	}
	for _, s := range []string{"garden", "हिन्दी", "ᠮᠣᠩᠭᠣᠯ", "한국어", "각", "ខ្មែរ"} {
		if _, err := domain.ParseChannelName(s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func nameOfLettersIsGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := validNames().Draw(t, "name")
		name, err := domain.ParseChannelName(s)
		if n := utf8.RuneCountInString(norm.NFC.String(s)); err != nil && n <= domain.MaxChannelName && strings.ToLower(s) != "new" {
			t.Fatalf("%+q of %d characters: %v", s, n, err)
		}
		if err != nil {
			return
		}
		if string(name) != norm.NFC.String(s) {
			t.Errorf("%+q is spelled %+q", s, name)
		}
		if again, err := domain.ParseChannelName(string(name)); err != nil || again != name {
			t.Errorf("%+q parsed again is %+q, %v", name, again, err)
		}
	})
}

// keyIsPlain reports whether a channel key has only characters that keys of every
// backend and paths of URLs may have.
func keyIsPlain(key domain.ChannelKey) bool {
	return key != "" && len(key) <= 448 && !strings.ContainsFunc(string(key), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.~", r)
	})
}

func TestChannelKey(t *testing.T) {
	t.Run("is folded and written in ASCII", keysAreFoldedAndASCII)
	t.Run("is never forbidden in a backend", noNameYieldsAForbiddenKey)
	t.Run("is the same in each normalization and case", namesThatDifferInSpellingAreOne)
	t.Run("is found by each part of its name, in any case", eachPartOfANameIsFoundInAnyCase)
	t.Run("differs for other differences", namesThatDifferOtherwiseAreTwo)
	t.Run("has the order of code points", keysHaveTheOrderOfCodePoints)
	t.Run("is that of the name that it tells", rapid.MakeCheck(func(t *rapid.T) {
		if key := parsed(t, validNames().Draw(t, "name")).Key(); key.Name().Key() != key {
			t.Fatalf("%s tells %q, whose key is %s", key, key.Name(), key.Name().Key())
		}
	}))
}

func noNameYieldsAForbiddenKey(t *testing.T) {
	long := rapid.StringOfN(letters(), domain.MaxChannelName, domain.MaxChannelName, -1)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(validNames(), rapid.String(), long).Draw(t, "name")
		name, err := domain.ParseChannelName(s)
		if err == nil && !keyIsPlain(name.Key()) {
			t.Errorf("%+q has the key %+q", s, name.Key())
		}
	})
}

// FuzzParseChannelName looks for a name whose key some backend would refuse, for a
// name that becomes another one if it is parsed again or spelled in another
// normalization or case, and for a name that does not contain itself as it was typed.
func FuzzParseChannelName(f *testing.F) {
	for _, s := range []string{"", "Café", "a-b_c.d", "..", "a/b", "new", "NEW", "\xff", "ﷺﷺ", "~", "a\u0301", "ᾳ\u0301", "ᏸꭰᎠ", "İstanbul", "ẞß",
		strings.Repeat("և", 32), strings.Repeat("𐐀", 64)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		typed := domain.Fold(s)
		name, err := domain.ParseChannelName(s)
		if err != nil {
			return
		}
		if !keyIsPlain(name.Key()) || domain.Fold(string(name)) != typed {
			t.Errorf("%+q has the key %+q and is folded to %+q", s, name.Key(), typed)
		}
		if again, err := domain.ParseChannelName(string(name)); err != nil || again != name {
			t.Errorf("%+q is read as %+q, and that as %+q, %v", s, name, again, err)
		}
		for _, other := range []string{norm.NFD.String(s), cases.Fold().String(norm.NFD.String(s))} {
			if key := domain.ChannelName(other).Key(); key != name.Key() {
				t.Errorf("%+q has the key %s, and as %+q %s", s, name.Key(), other, key)
			}
		}
	})
}

// otherCase replaces letters by letters that are the same in Unicode's simple case
// folding.
func otherCase(t *rapid.T, s string) string {
	return strings.Map(func(r rune) rune {
		for range rapid.IntRange(0, 3).Draw(t, "turns") {
			if next := unicode.SimpleFold(r); unicode.IsLetter(r) && unicode.IsLetter(next) {
				r = next
			}
		}
		return r
	}, s)
}

func namesThatDifferInSpellingAreOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := parsed(t, validNames().Draw(t, "name"))
		for _, other := range []string{norm.NFC.String(string(name)), norm.NFD.String(string(name)), otherCase(t, string(name))} {
			if key := domain.ChannelName(other).Key(); key != name.Key() {
				t.Errorf("%+q has the key %s, %+q has %s", name, name.Key(), other, key)
			}
		}
	})
}

func namesThatDifferOtherwiseAreTwo(t *testing.T) {
	for _, pair := range [][2]domain.ChannelName{
		{"cafe", "café"}, {"a-b", "a_b"}, {"a.b", "ab"}, {"ab1", "ab١"}, {"i", "ı"}, {"а", "a"}, {"a~", "a"}, {"ａ", "a"},
	} {
		if pair[0].Key() == pair[1].Key() {
			t.Errorf("%+q and %+q have the same key", pair[0], pair[1])
		}
	}
}

func keysAreFoldedAndASCII(t *testing.T) {
	for name, want := range map[domain.ChannelName]domain.ChannelKey{
		"Go":       "go",
		"Straße.1": "strasse.1",
		"STRASSE":  "strasse",
		"Café":     "caf~0000e9",
		"Ωμέγας":   "~0003c9~0003bc~0003ad~0003b3~0003b1~0003c3",
		"ΩΜΈΓΑΣ":   "~0003c9~0003bc~0003ad~0003b3~0003b1~0003c3",
		"ᎠᎡ":       "~0013a0~0013a1",
		"ꭰꭱ":       "~0013a0~0013a1",
		"ᏸ":        "~0013f0",
		"𐐀":        "~010428",
		"ᾼ":        "~0003b1~0003b9",
	} {
		if got := name.Key(); got != want {
			t.Errorf("%s has the key %s, want %s", name, got, want)
		}
	}
}

func keysHaveTheOrderOfCodePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stem := validNames().Draw(t, "stem")
		a := parsed(t, stem+rapid.OneOf(rapid.Just(""), validNames()).Draw(t, "a"))
		b := parsed(t, stem+rapid.OneOf(rapid.Just(""), validNames()).Draw(t, "b"))
		byName := slices.Compare([]rune(string(a.Key().Name())), []rune(string(b.Key().Name())))
		if byKey := strings.Compare(string(a.Key()), string(b.Key())); byKey != byName {
			t.Errorf("%+q and %+q compare as %d, their keys %s and %s as %d", a, b, byName, a.Key(), b.Key(), byKey)
		}
	})
}

// No character here composes with the one before it. Otherwise a part could end between
// a letter and its mark, and so in another letter.
func eachPartOfANameIsFoundInAnyCase(t *testing.T) {
	alone := rapid.RuneFrom([]rune("abcXYZ019-_.ßΣжЩ漢字हिあ한𐐀😀"))
	rapid.Check(t, func(t *rapid.T) {
		runes := rapid.SliceOfN(alone, 1, 20).Draw(t, "name")
		from := rapid.IntRange(0, len(runes)).Draw(t, "from")
		name, part := string(runes), string(runes[from:rapid.IntRange(from, len(runes)).Draw(t, "to")])
		for _, typed := range []string{part, strings.ToLower(part), strings.ToUpper(part)} {
			if !strings.Contains(domain.Fold(name), domain.Fold(typed)) {
				t.Errorf("%q contains %q, and %q not %q", name, typed, domain.Fold(name), domain.Fold(typed))
			}
		}
	})
}

func channelNamesFollowTheGrammar(t *testing.T) {
	long := strings.Repeat("é", domain.MaxChannelName)
	for s, want := range map[string]string{
		"a": "a", "7": "7", "Go": "Go", "a-b_c.d": "a-b_c.d", "Cafe\u0301": "Café", "हिन्दी": "हिन्दी", "漢字": "漢字", "٣": "٣",
		long: long, norm.NFD.String(long): long, "news": "news", "e\u0323\u0301": "ẹ\u0301", "ǅ": "ǅ",
	} {
		if got, err := domain.ParseChannelName(s); err != nil || string(got) != want {
			t.Errorf("%+q: %+q, %v; want %+q", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", " ", "a b", "a ", " a", "-", "-a", "a-", "a--b", "a-_b", ".", "..", ".a", "a.", "a/b", "a\\b", "a#", "a?", "a'", "a%", "a~", "a!",
		"\u0301", "\u0301a", "1\u0301", "a-\u0301", "a\u200db", "a\u00ad", "\ufeffa", "a\x00", "a\x7f", "a\u0085", "😀", "a\xff", "\xc3\x28", "²", "½", "Ⅷ",
		"new", "New", "NEW", "neW", long + "e", strings.Repeat("և", 33),
	} {
		got, err := domain.ParseChannelName(s)
		var invalid *domain.InvalidError
		if got != "" || !errors.As(err, &invalid) || len(invalid.Fields) != 1 || invalid.Fields[0].Field != "name" {
			t.Errorf("%+q: %+q, %v; want an InvalidError on the name", s, got, err)
		}
	}
}

// The name of a user follows the grammar.
func TestUserName(t *testing.T) {
	for s, want := range map[string]domain.UserName{
		"ab": "ab", "AB": "ab", "@ab": "ab", " ab": "ab", "\u00a0@AB\r\n": "ab", "a_b": "a_b", "__": "__", "07": "07", "Grace_Hopper1": "grace_hopper1",
		strings.Repeat("x", 32): domain.UserName(strings.Repeat("x", 32)),
	} {
		if got, err := domain.ParseUserName(s); err != nil || got != want {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	for _, s := range []string{
		"", "a", strings.Repeat("x", 33), "a b", "@a", "@@ab", "@ ab", "a@b", "ab@", "a-b", "a.b", "a\x00", "äb", "a!", "source x",
		"\u212aate", "\u0130van", "ſam", "ab\xff", "ａｂ", "٣٣",
	} {
		got, err := domain.ParseUserName(s)
		var invalid *domain.InvalidError
		if got != "" || !errors.As(err, &invalid) || invalid.Fields[0].Field != "name" {
			t.Errorf("%+q: %+q, %v; want an InvalidError on the name", s, got, err)
		}
	}
}

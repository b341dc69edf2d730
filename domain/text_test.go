package domain_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"microblogging/domain"
)

// texts is one parser for text, with its field and its limit.
type texts struct {
	parse func(string) (string, error)
	field string
	limit int
	// lines reports whether it takes newlines and tabs.
	lines bool
}

var allTexts = []texts{
	{domain.ParseTitle, "title", 120, false},
	{domain.ParseText, "text", 5000, true},
	{domain.ParseDescription, "description", 500, true},
}

func (p texts) refuses(t *testing.T, s string) {
	t.Helper()
	got, err := p.parse(s)
	var invalid *domain.InvalidError
	if got != "" || !errors.As(err, &invalid) || len(invalid.Fields) != 1 || invalid.Fields[0].Field != p.field {
		t.Errorf("%s %.40q: %.40q, %v; want an InvalidError on it", p.field, s, got, err)
	}
}

func TestText(t *testing.T) {
	t.Run("is measured in characters and not in bytes", lengthCountsCharactersAndNotBytes)
	t.Run("with control characters is refused", controlCharactersAreRefused)
	t.Run("that is not UTF-8 is refused", whatIsNotUTF8IsRefused)
	t.Run("of a title is one line or none", titleIsOneLineOrNone)
	t.Run("of a post is not blank and keeps its lines", textIsNotBlankAndKeepsItsLines)
	t.Run("of a description may be empty and is trimmed", descriptionMayBeEmptyAndIsTrimmed)
	t.Run("of invisible characters is blank", invisibleTextIsBlank)
	t.Run("that was parsed is parsed to itself", whatWasParsedIsParsedToItself)
	t.Run("of a new channel reports all errors together", channelReportsAllErrors)
}

func lengthCountsCharactersAndNotBytes(t *testing.T) {
	for _, p := range allTexts {
		for _, character := range []string{"x", "é", "漢", "😀"} {
			full := strings.Repeat(character, p.limit)
			if got, err := p.parse(full); err != nil || got != full {
				t.Errorf("%s of %d %s: %v", p.field, p.limit, character, err)
			}
			p.refuses(t, full+character)
		}
	}
}

func invisibleTextIsBlank(t *testing.T) {
	for _, p := range allTexts {
		for _, r := range "\u200b\u200d\u200e\u00ad\u2060\ufeff\u034f\u115f\u3164\uffa0\u2800\ufe0f\U000e0041\U000e0100\u180e\u00a0\u3000" {
			p.refuses(t, string(r))
			p.refuses(t, " "+strings.Repeat(string(r)+"\u200b", 3))
			if got, err := p.parse("a" + string(r) + "b"); err != nil || got != "a"+string(r)+"b" {
				t.Errorf("%s with %U: %q, %v", p.field, r, got, err)
			}
		}
		for _, r := range "é.😀\u0600\u0301" { // of which the last two are a sign before digits and an accent
			if _, err := p.parse(string(r)); err != nil {
				t.Errorf("%s of %U: %v", p.field, r, err)
			}
		}
	}
}

func controlCharactersAreRefused(t *testing.T) {
	for _, p := range allTexts {
		for r := range rune(0xA0) {
			s := "a" + string(r) + "b"
			switch {
			case r == '\r' && p.lines:
				if got, err := p.parse(s); err != nil || got != "a\nb" {
					t.Errorf("%s %q: %q, %v", p.field, s, got, err)
				}
			case unicode.IsControl(r) && (!p.lines || r != '\n' && r != '\t'):
				p.refuses(t, s)
			default:
				if got, err := p.parse(s); err != nil || got != s {
					t.Errorf("%s %q: %q, %v", p.field, s, got, err)
				}
			}
		}
	}
}

func whatIsNotUTF8IsRefused(t *testing.T) {
	for _, p := range allTexts {
		for _, s := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80"} {
			p.refuses(t, s)
		}
	}
}

func titleIsOneLineOrNone(t *testing.T) {
	title := allTexts[0]
	for s, want := range map[string]string{"": "", "   ": "", "  a  b  ": "a  b", "<b>&": "<b>&"} {
		if got, err := title.parse(s); err != nil || got != want {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"a\nb", "a\r\nb", "a\tb", "\n", "a\u2028b", "a\u2029b"} {
		title.refuses(t, s)
	}
}

func textIsNotBlankAndKeepsItsLines(t *testing.T) {
	text := allTexts[1]
	for s, want := range map[string]string{
		"a\r\nb\rc\nd":                      "a\nb\nc\nd",
		"\r\r\n\na":                         "\n\n\na",
		" a\t":                              " a\t",
		"\u200d a":                          "\u200d a",
		"a\u2028\U0001F468\u200d\U0001F469": "a\u2028\U0001F468\u200d\U0001F469",
	} {
		if got, err := text.parse(s); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", s, got, err, want)
		}
	}
	for _, s := range []string{"", " ", "\n\t\r\n", "\u00a0", "\u3000\u2028"} {
		text.refuses(t, s)
	}
	// A newline counts as one character, in each encoding.
	if got, err := text.parse(strings.Repeat("\r\n", 4999) + "a"); err != nil || len(got) != 5000 {
		t.Errorf("5000 lines: %d bytes, %v", len(got), err)
	}
}

func descriptionMayBeEmptyAndIsTrimmed(t *testing.T) {
	for s, want := range map[string]string{"": "", " \r\n\t": "", "\r\n a\r\nb \r": "a\nb"} {
		if got, err := domain.ParseDescription(s); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", s, got, err, want)
		}
	}
}

// A form that is sent back unchanged parses the stored text again.
func whatWasParsedIsParsedToItself(t *testing.T) {
	for _, p := range allTexts {
		t.Run(p.field, rapid.MakeCheck(func(t *rapid.T) {
			s := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune(" \r\n\ta\u0085\u2028é😀")))).Draw(t, "s")
			got, err := p.parse(s)
			if err != nil {
				return
			}
			if again, err := p.parse(got); err != nil || again != got {
				t.Errorf("%q became %q, and then %q, %v", s, got, again, err)
			}
			if n := utf8.RuneCountInString(got); n > p.limit || !utf8.ValidString(got) || strings.Contains(got, "\r") {
				t.Errorf("%q became %q of %d characters", s, got, n)
			}
		}))
	}
}

func channelReportsAllErrors(t *testing.T) {
	_, err := domain.NewChannel("a b", domain.About{Description: strings.Repeat("x", 501)}, "ada")
	if invalid, ok := errors.AsType[*domain.InvalidError](err); !ok || len(invalid.Fields) != 2 {
		t.Errorf("%v, want the name and the description", err)
	}
}

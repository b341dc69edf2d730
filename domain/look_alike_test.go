package domain_test

import (
	_ "embed"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"microblogging/domain"
)

func TestNewChannelName(t *testing.T) {
	t.Run("that could be taken for another is refused with a sentence that says why", func(t *testing.T) {
		for s, want := range map[string]string{
			"Nоtes":                               "mixes scripts: “N” is Latin, “о” is Cyrillic. Use letters of one script",
			"Нotes":                               "mixes scripts: “Н” is Cyrillic, “o” is Latin. Use letters of one script",
			"sea-ορος":                            "mixes scripts: “s” is Latin, “ο” is Greek. Use letters of one script",
			"notes٣":                              "mixes scripts: “n” is Latin, “٣” is Arabic. Use letters of one script",
			"note\u064es":                         "mixes scripts: “n” is Latin, “\u064e” is Arabic. Use letters of one script",
			"note\u0670s":                         "mixes scripts: “n” is Latin, “\u0670” is Arabic. Use letters of one script",
			"Notesـ":                              "mixes scripts: “N” is Latin, “ـ” is Arabic. Use letters of one script",
			"noteˢ":                               "has letters in a special form. In plain letters it is “notes”",
			"Ǆ":                                   "has letters in a special form. In plain letters it is “DŽ”",
			"neʷ":                                 "looks like “new”, which is reserved",
			"日本한":                                 "",
			"かな한":                                 "mixes scripts: “か” is Hiragana, “한” is Hangul. Use letters of one script",
			"abc-漢字-かな-ㄅ":                         "mixes scripts: “か” is Hiragana, “ㄅ” is Bopomofo. Use letters of one script",
			"µTorrent":                            "mixes scripts: “μ” is Greek, “T” is Latin. Use letters of one script",
			"ⵏ-𐊊":                                 "mixes scripts: “ⵏ” is Tifinagh, “𐊊” is Lycian. Use letters of one script",
			"ＮＥＷ":                                 "has letters in a special form. In plain letters it is “NEW”",
			"𝐀𝐁":                                  "has letters in a special form. In plain letters it is “AB”",
			"n\u2092tes":                          "has letters in a special form. In plain letters it is “notes”",
			"notes２":                              "has letters in a special form. In plain letters it is “notes2”",
			"ｶﾒﾗ":                                 "has letters in a special form. In plain letters it is “カメラ”",
			"ﻣﺮﺣﺒﺎ":                               "has letters in a special form. In plain letters it is “مرحبا”",
			"ค\u0e4d\u0e32":                       "has letters in a special form. In plain letters it is “คำ”",
			"no\u0301\u0301tes":                   "must not have the same mark twice on a letter",
			"no\u0300\u0301\u0302\u0303\u0304tes": "must have at most 4 marks on a letter",
			"ń\u0316\u0317\u0318\u0319otes":       "must have at most 4 marks on a letter",
			"ne\u1d21":                            "looks like “new”, which is reserved",
			"a b":                                 "Spaces are not allowed",
		} {
			_, err := domain.ParseNewChannelName(s)
			var invalid *domain.InvalidError
			switch {
			case want == "" && err == nil:
			case !errors.As(err, &invalid) || invalid.Fields[0] != domain.FieldError{Field: "name", Detail: want}:
				t.Errorf("%+q is answered with %v, want %q", s, err, want)
			}
			if _, made := domain.NewChannel(s, domain.About{}, "ada"); (made == nil) != (err == nil) {
				t.Errorf("%+q: a channel is made with %v, and the name parsed with %v", s, made, err)
			}
		}
	})
	t.Run("that languages write is accepted", func(t *testing.T) {
		for _, s := range []string{
			"Café", "Straße", "œuvre", "Ťažký", "Tiếng-Việt", "İstanbul", "ığdır", "Hawaiʻi", "ﬁsh", "Москва-7", "Ελλάδα", "հայերեն-և", "ქართული", "עִבְרִית",
			"العربية", "مُحَمَّد-٣", "فارسی-۳", "हिन्दी-३", "বাংলা", "தமிழ்", "ไทยคำน้ำ", "ລາວຄຳ-ໜ", "မြန်မာ-လျှို့ဝှက်", "ខ្មែរ", "བསྒྲུབས", "ཧཱུྃ", "አማርኛ", "ᏣᎳᎩ", "ᠮᠣᠩᠭᠣᠯ",
			"漢字", "カメラ", "かなカナ漢字ABC", "ラーメン", "한국어", "ㅋㅋㅋ", "한글漢字abc", "注音ㄅㄆabc", "日々",
			"xʷməθkʷəy̓əm", "ʔəq̓ʷ", "Kʼicheʼ", "1º", "2ª", "العـربية",
		} {
			if _, err := domain.ParseNewChannelName(s); err != nil {
				t.Errorf("%s: %v", s, err)
			}
		}
	})
	t.Run("of ASCII is accepted if it is a name, and looks like no other", rapid.MakeCheck(func(t *rapid.T) {
		s := rapid.StringMatching(`[A-Za-z0-9]{1,20}([-_.][A-Za-z0-9]{1,20}){0,2}`).Draw(t, "name")
		name, err := domain.ParseChannelName(s)
		if again, refused := domain.ParseNewChannelName(s); again != name || (err == nil) != (refused == nil) || name.LookAlike() != "" {
			t.Errorf("%q is read with %v, and is new with %v; it looks like %q", s, err, refused, name.LookAlike())
		}
	}))
	t.Run("is one that can be read, in the same spelling", rapid.MakeCheck(func(t *rapid.T) {
		s := validNames().Draw(t, "name")
		name, err := domain.ParseNewChannelName(s)
		if read, unread := domain.ParseChannelName(s); err == nil && (read != name || unread != nil) {
			t.Errorf("%+q is new as %+q, and read as %+q, %v", s, name, read, unread)
		}
	}))
}

func TestLookAlike(t *testing.T) {
	t.Run("is what a reader sees", func(t *testing.T) {
		for name, want := range map[domain.ChannelName]domain.ChannelName{
			"сосо": "coco", "СОСО": "COCO", "ІВМ": "IBM", "а-рау.7": "a-pay.7", "ΤΟΜ": "TOM", "ꓠꓳꓔꓰꓢ": "NOTES", "notıce": "notice", "ɡo": "go",
			"ni\u0307ce": "nice", "nı\u0307ce": "nice", "٠١": ".1", "०": "0", "æon": "aeon", "ᎡᎬ": "RE",
			"He丨丨o": "Hello", "Heㅣㅣo": "Hello", "He\u1175\u1175o": "Hello", "ɴᴏᴛᴇꜱ": "notes", "ɱail": "mail", "1º": "1o", "noteʷ": "notew",
			"Notesˌ": "Notes", "Notesˑ": "Notes", "Notesꞏ": "Notes", "Notesˌˑ": "Notes", "Note\u0337s": "Notes", "N\u0335o\u0336te\u0338s": "Notes", "i\u0337\u0307": "i",
			"Hawaiʻi": "", "ˌ": "", "no\u0327tes": "",
			"coco": "", "Москва": "", "café": "", "cafe\u0301": "", "İstanbul": "", "ƙo": "", "漢字": "",
		} {
			if got := name.LookAlike(); got != want {
				t.Errorf("%s looks like %q, want %q", name, got, want)
			}
		}
	})
	t.Run("has a key", rapid.MakeCheck(func(t *rapid.T) {
		name := parsed(t, validNames().Draw(t, "name"))
		if like := name.LookAlike(); like != "" && !keyIsPlain(like.Key()) {
			t.Errorf("%+q looks like %+q", name, like)
		}
	}))
	t.Run("is of ASCII, and one for each letter that a new name can have", func(t *testing.T) {
		seen := map[rune]bool{}
		for line := range strings.Lines(lookAlikes) {
			text, letters, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			for _, r := range letters {
				if seen[r] || norm.NFKC.String(string(r)) != string(r) && !strings.ContainsRune("ㅣºªʷ", r) || !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
					t.Errorf("%U is like %s", r, text)
				}
				seen[r] = true
			}
			if !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(text) || letters == "" {
				t.Errorf("%q", line)
			}
		}
		if len(seen) != 483 {
			t.Errorf("%d letters look like others", len(seen))
		}
	})
}

//go:embed look_alikes.txt
var lookAlikes string

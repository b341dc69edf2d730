package domain

import (
	"errors"
	"strings"
	"testing"
)

func TestParseSite(t *testing.T) {
	type parser = func(string) (string, error)
	for sentence, c := range map[string]struct {
		parse   parser
		in, out string
		says    string
	}{
		"a name keeps its letters and loses the spaces around it":   {ParseSiteName, "  Ruderclub am See ", "Ruderclub am See", ""},
		"a name may have 60 characters":                             {ParseSiteName, strings.Repeat("ü", 60), strings.Repeat("ü", 60), ""},
		"a name may have a space that does not break":               {ParseSiteName, "Club\u00a01", "Club\u00a01", ""},
		"a name of 300 letters is refused with both numbers":        {ParseSiteName, strings.Repeat("a", 300), "", "must have at most 60 characters, this has 300"},
		"a name of two lines is refused":                            {ParseSiteName, "a\nb", "", "must not hold the control character U+000A"},
		"a name with a line separator is refused":                   {ParseSiteName, "a\u2028b", "", "must not hold the invisible character U+2028"},
		"a name with a letter that cannot be seen is refused":       {ParseSiteName, "a\u200bb", "", "must not hold the invisible character U+200B"},
		"a name that would turn the text around it is refused":      {ParseSiteName, "a\u202eb", "", "must not hold the invisible character U+202E"},
		"a name of spaces is refused":                               {ParseSiteName, "   ", "", "must not be blank"},
		"a name that is not UTF-8 is refused":                       {ParseSiteName, "a\xff", "", "is not valid UTF-8"},
		"a contact may be an address":                               {ParseContact, "the desk, desk@club.example", "the desk, desk@club.example", ""},
		"a contact of 201 characters is refused":                    {ParseContact, strings.Repeat("a", 201), "", "must have at most 200 characters, this has 201"},
		"a contact of two lines is refused":                         {ParseContact, "a\r\nb", "", "must not hold the control character U+000D"},
		"a text about the site has its lines in one form":           {ParseSiteAbout, "\ufeff# Club\r\n\r\n\tcode\r", "# Club\n\n\tcode\n", ""},
		"a text about the site that is not UTF-8 is refused":        {ParseSiteAbout, "a\xff", "", "is not valid UTF-8"},
		"a text about the site that says nothing is refused":        {ParseSiteAbout, " \n\u200b\n", "", "must not be blank"},
		"a text about the site with a control character is refused": {ParseSiteAbout, "a\x00b", "", "must not hold the control character U+0000"},
		"a text about the site of 100,001 characters is refused":    {ParseSiteAbout, strings.Repeat("a", 100_001), "", "must have at most 100000 characters, this has 100001"},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, err := c.parse(c.in)
			detail := ""
			if invalid, ok := errors.AsType[*InvalidError](err); ok {
				detail = invalid.Fields[0].Detail
			}
			if got != c.out || detail != c.says {
				t.Errorf("it is %q with %q, want %q with %q", got, detail, c.out, c.says)
			}
		})
	}
}

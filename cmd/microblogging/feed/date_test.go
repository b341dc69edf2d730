package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"microblogging/cmd/microblogging/feed"
)

func TestDate(t *testing.T) {
	t.Run("of Dublin Core's terms is read", termsAreRead)
	t.Run("that cannot be read is told from none", misdated)
	t.Run("is read in the forms of RFC 5322 and of feeds", formsAreRead)
}

func termsAreRead(t *testing.T) {
	const rss = `<rss xmlns:t="http://purl.org/dc/terms/"><channel><item><title>a</title>%s</item></channel></rss>`
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:t="http://purl.org/dc/terms/"><entry><title>a</title>%s</entry></feed>`
	for _, c := range []struct{ format, dates, want string }{
		{rss, "<t:created>2024-02-29T12:30:15.5+02:00</t:created>", "2024-02-29T10:30:15.5Z"},
		{rss, "<t:modified>2024-03-01</t:modified><t:issued>2024-02</t:issued>", "2024-02-01T00:00:00Z"},
		{rss, "<t:issued>soon</t:issued><t:created>2024</t:created>", "2024-01-01T00:00:00Z"},
		{rss, "<t:created>2023</t:created><t:issued>2024</t:issued>", "2024-01-01T00:00:00Z"},
		{rss, "<pubDate>1 Mar 2024 00:00:00 Z</pubDate><t:issued>2023</t:issued>", "2024-03-01T00:00:00Z"},
		{atom, "<t:date> 2024-02-29T12:30Z </t:date>", "2024-02-29T12:30:00Z"},
		{atom, "<updated>2024-03-01T00:00:00Z</updated><t:issued>2024</t:issued>", "2024-03-01T00:00:00Z"},
	} {
		got := readString(t, fmt.Sprintf(c.format, c.dates))
		if len(got.Posts) != 1 || got.Posts[0].Misdated || got.Posts[0].Published.Format(time.RFC3339Nano) != c.want {
			t.Errorf("%s: got %+v, want %s", c.dates, got.Posts, c.want)
		}
	}
}

func misdated(t *testing.T) {
	for dates, want := range map[string]bool{
		"": false, "<pubDate>1 Mar 2024 00:00:00 Z</pubDate>": false, "<pubDate> </pubDate>": false,
		"<pubDate>someday</pubDate>": true, "<pubDate>Mon, 01 Jan 0000 00:00:00 GMT</pubDate>": true,
		`<issued xmlns="http://purl.org/dc/terms/">soon</issued>`: true,
	} {
		got := readString(t, "<rss><channel><item><title>a</title>"+dates+"</item></channel></rss>")
		if len(got.Posts) != 1 || got.Posts[0].Misdated != want {
			t.Errorf("%s: got %+v, want %v", dates, got.Posts, want)
		}
	}
}

// A form that ends with ! names no time zone.
func formsAreRead(t *testing.T) {
	for form, want := range map[string]string{
		"27 Aug 2018 22:10 +0300":                            "2018-08-27T19:10:00Z",
		"Mon,\n 27 Aug 18 22:10:36 (a (nested) comment) EST": "2018-08-28T03:10:36Z",
		"Sat, 31 Dec 2016 23:59:60 GMT":                      "2017-01-01T00:00:00Z",
		"Fri, 21 Nov 1997 09(comment):   55  :  06 -0600":    "1997-11-21T15:55:06Z",
		"Monday, 02-Jan-06 15:04:05 MST":                     "2006-01-02T22:04:05Z",
		"Mon Jan  2 15:04:05 -0700 2006":                     "2006-01-02T22:04:05Z",
		"20180827T221036Z":                                   "2018-08-27T22:10:36Z",
		"2018-239T22:10:36Z":                                 "2018-08-27T22:10:36Z",
		"2018-08-27T22:10:36−05:00":                          "2018-08-28T03:10:36Z",
		"October 28th, 2023 at 8:28 p.m.!":                   "2023-10-28T20:28:00Z",
		"8/21/2018 9:00:00 AM!":                              "2018-08-21T09:00:00Z",
		"21/8/2018!":                                         "2018-08-21T00:00:00Z",
		"mar., 28 août 2018 22:10:36 +0200":                  "2018-08-28T20:10:36Z",
		"1535397036":                                         "2018-08-27T19:10:36Z",
		"946684799":                                          "1999-12-31T23:59:59Z",
		"946684799000":                                       "1999-12-31T23:59:59Z",
		"2020-01-06T10Z":                                     "2020-01-06T10:00:00Z",
		"2020-01-06T12+02:00":                                "2020-01-06T10:00:00Z",
		"2020-01-06T10.30.00":                                "",
		"27 Aug 2018 22:10 +2400!":                           "2018-08-27T22:10:00Z",
		"27 Aug 2018 13:00 AM!":                              "2018-08-27T13:00:00Z",
		"Di., 3. März 2020 10:00 +0100":                      "2020-03-03T09:00:00Z",
		"ven. 13 févr. 2015 10:00:00 GMT":                    "2015-02-13T10:00:00Z",
		"15 settembre 2015 10:00!":                           "2015-09-15T10:00:00Z",
		"15 Sept 2015 10:00:00 GMT":                          "2015-09-15T10:00:00Z",
		"2-Jan-06 15:04:05 GMT":                              "2006-01-02T15:04:05Z",
		"2020년 11월 3일 오후 3:04!":                              "2020-11-03T15:04:00Z",
		"2020. 11. 3. 오전 12:04:05 +0900":                     "2020-11-02T15:04:05Z",
		"2020年11月3日 下午3:04!":                                 "2020-11-03T15:04:00Z",
		"2020/11/03 午前9:04:00 +0900":                         "2020-11-03T00:04:00Z",
		"2020-11!":                                           "2020-11-01T00:00:00Z",
		"3. marraskuuta 2020 10:00":                          "", "2020 marraskuuta 3": "", "marraskuu 3 2020": "", "3 mayday 2020": "", "6 augur 2020": "",
		"6 janvier 2020 à 10h00": "", "６ Jan 2020": "",
		"2024-W05-1": "", "2024W051T101010Z": "", "Sat, 31 Feb 2015 10:00:00 GMT": "", "Mon, 01 Jan 2024 10:61:00 GMT": "",
	} {
		text, zoneless := strings.CutSuffix(form, "!")
		read, err := feed.Parse([]byte("<rss><channel><item><title>a</title><pubDate>" + text + "</pubDate></item></channel></rss>"))
		ok(t, err)
		if e := read.Entries[0]; e.Misdated != (want == "") || want != "" && e.Published.Format(time.RFC3339Nano) != want || e.Zoneless != zoneless {
			t.Errorf("%q: got %+v, want %s", form, e, want)
		}
	}
}

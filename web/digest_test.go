package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"microblogging/domain"
	"microblogging/web"
)

func TestDigest(t *testing.T) {
	t.Run("a digest without a day is of today", digestWithoutADayIsOfToday)
	t.Run("another zone on the page of today shows today there", anotherZoneShowsToday)
	t.Run("a bad day is shown again as it was typed", badDayIsShownAgainAsItWasTyped)
	t.Run("an address is shown once, replaced and revoked", addressIsShownOnceReplacedAndRevoked)
	t.Run("a planted secret is not shown", plantedSecretIsNotShown)
}

// digestOf returns a digest as one line: each channel with the texts of its posts.
func digestOf(a answer) string {
	a.t.Helper()
	var channels []string
	for _, channel := range a.get("channels").([]any) {
		var texts []string
		for _, item := range dig(channel, "items").([]any) {
			texts = append(texts, dig(item, "text").(string))
		}
		channels = append(channels, dig(channel, "name").(string)+": "+strings.Join(texts, ", "))
	}
	return strings.Join(channels, " | ")
}

func digestWithoutADayIsOfToday(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		bob := s.signUp("bob")
		channel := s.channel("Engines", "bob")
		s.post(channel, "bob", "at the turn of the millennium") // fake time begins here
		a := s.do("GET", digestPath, bearer(bob)).want(200)
		if a.text("day") != "2000-01-01" || digestOf(a) == "" {
			t.Errorf("the digest is %s", a.body)
		}
		a = s.do("GET", digestPath+"?tz=America/New_York", bearer(bob)).want(200)
		if a.text("day") != "1999-12-31" || digestOf(a) == "" {
			t.Errorf("in New York the digest is %s", a.body)
		}
		// A day begins earlier in the east.
		s.do("GET", digestPath+"?day=2000-01-02&tz=Pacific/Kiritimati", bearer(bob)).want(422).wantField("day")
		time.Sleep(10 * time.Hour)
		s.do("GET", digestPath+"?day=2000-01-02&tz=Pacific/Kiritimati", bearer(bob)).want(200)
		s.do("GET", digestPath+"?day=2000-01-02", bearer(bob)).want(422).wantField("day")
	})
}

// anotherZoneShowsToday goes from a zone that is 14 hours ahead of UTC to one that is 11
// hours behind: at no time do the two have the same date.
func anotherZoneShowsToday(t *testing.T) {
	b := newSite(t).signedIn("ada")
	today := func(zone string) string {
		day, err := domain.ParseDay("", zone, time.Now())
		ok(t, err)
		return day.Date
	}
	const ahead, behind = "Pacific/Kiritimati", "Pacific/Pago_Pago"
	b.open("/digest?tz=" + ahead).want(200)
	p := b.open("/digest?day=" + today(ahead) + "&tz=" + behind).want(200)
	input := one(p.doc, func(n *html.Node) bool { return attr(n, "id") == "day" })
	is(t, "the page is of", attr(input, "value"), today(behind))
	b.open("/digest").want(200).says("in " + behind)
}

func badDayIsShownAgainAsItWasTyped(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	for _, test := range []struct{ day, zone, field, detail string }{
		{"2999-01-01", "UTC", "day", "has not begun in UTC"},
		{"20-11-2026", "UTC", "day", "is not a date"},
		{"1500-01-01", "UTC", "day", "before the year 1601"},
		{"2026-10-05", "Mars", "tz", "is not a time zone"},
		{"2026-10-05", "Local", "tz", "is not a time zone"},
		{"2026-10-05", "../../etc/passwd", "tz", "is not a time zone"},
		{"2026-10-05", "\xff\x00", "tz", "is not a time zone"},
	} {
		typed := url.Values{"day": {test.day}, "tz": {test.zone}}
		p := b.open("/digest?"+typed.Encode()).want(422).heading("Digest").complains(test.field, test.detail)
		for name, want := range typed {
			input := one(p.doc, func(n *html.Node) bool { return attr(n, "id") == name })
			if got := attr(input, "value"); got != want[0] && utf8.ValidString(want[0]) {
				t.Errorf("%s is %q, want %q", name, got, want[0])
			}
		}
		p.follow("today").want(200)
	}
}

// address returns the address of the personal feed that the page shows.
func (p page) address() string {
	for _, n := range all(p.doc, tag("code")) {
		if text := seen(n); strings.Contains(text, "/feed.atom") {
			return text
		}
	}
	return ""
}

func addressIsShownOnceReplacedAndRevoked(t *testing.T) {
	base := &url.URL{Scheme: "https", Host: "micro.example"}
	s := newSiteWith(t, web.Options{BaseURL: base})
	b := s.browser()
	b.jar["__Host-session"] = s.signUp("ada")
	works := func(address string) bool {
		t.Helper()
		parts := strings.Split(address, "/")
		if !strings.HasPrefix(address, "https://micro.example/digest/ada/") || len(parts) != 7 || parts[6] != "feed.atom?tz=Europe%2FBerlin" {
			t.Fatalf("the address is %q", address)
		}
		return s.store.Accounts.CheckDigestAddress(t.Context(), "ada", parts[5]) == nil
	}
	const path = "/digest?day=2026-10-05&tz=Europe%2FBerlin"
	first := b.open(path).form("Make an address").press().at(path).says("shown this once", "feed reader")
	if !works(first.address()) {
		t.Error("the address does not work")
	}
	if again := b.open(path); again.address() != "" || again.hasForm("Make an address") {
		t.Error("the address is shown again, or forgotten")
	}
	second := b.open(path).form("Make a new address (the old one stops working)").press().at(path)
	if works(first.address()) || !works(second.address()) {
		t.Error("the old address works, or the new one does not")
	}
	b.open(path).form("Revoke").press().at(path).says("is revoked")
	if works(second.address()) || !b.open(path).hasForm("Make an address") {
		t.Error("the revoked address works, or none can be made")
	}
	b.open("/digest?tz=Mars").want(422).form("Make an address").press().want(422).says("shown this once", "feed.atom?tz=UTC")
}

func plantedSecretIsNotShown(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	b.jar["digest-secret"] = "PLANTED"
	b.open("/digest").want(200).saysNot("PLANTED")
	b.open("/digest").form("Make an address").press().want(200)
	b.jar["digest-secret"] = "PLANTED"
	b.open("/digest").want(200).saysNot("PLANTED", "shown this once")
	if cookie := b.do("POST", "/digest", b.cookies, posted(url.Values{"action": {"make"}})).header.Values("Set-Cookie"); !strings.Contains(fmt.Sprint(cookie), "HttpOnly; SameSite=Lax") ||
		!strings.Contains(fmt.Sprint(cookie), "Path=/digest") {
		t.Errorf("the cookie of the secret is %q", cookie)
	}
	s.browser().send("POST", "/digest", posted(url.Values{"action": {"make"}})).want(http.StatusUnauthorized)
}

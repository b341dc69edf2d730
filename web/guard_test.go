package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/web"
)

func TestGuard(t *testing.T) {
	t.Run("HTTPS stays on after the first use", httpsStaysOnAfterTheFirstUse)
	t.Run("a trusted proxy says whether the connection is secure", trustedProxySaysWhetherTheConnectionIsSecure)
	t.Run("the base URL is no other origin", baseURLIsNoOtherOrigin)
}

func httpsStaysOnAfterTheFirstUse(t *testing.T) {
	s := newSiteWith(t, web.Options{BaseURL: &url.URL{Scheme: "https", Host: "blog.example"}})
	if got := s.do("GET", "/healthz").header.Get("Strict-Transport-Security"); got == "" {
		t.Error("no Strict-Transport-Security")
	}
	token := s.signUp("ada")
	s.do("POST", "/api/v1/channels", header("Cookie", "session="+token), fields("name", "Engines")).want(401)
	s.do("POST", "/api/v1/channels", header("Cookie", "__Host-session="+token), fields("name", "Engines")).want(201)
}

func trustedProxySaysWhetherTheConnectionIsSecure(t *testing.T) {
	for _, trust := range []bool{true, false} {
		s := newSiteWith(t, web.Options{TrustProxy: trust})
		token := s.signUp("ada")
		a := s.do("DELETE", "/api/v1/sessions/current", header("X-Forwarded-Proto", "https"),
			header("Cookie", "__Host-session="+token+"; session="+token)).want(204)
		cleared, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
		ok(t, err)
		if cleared.Secure != trust || strings.HasPrefix(cleared.Name, "__Host-") != trust ||
			!cleared.HttpOnly || cleared.SameSite != http.SameSiteLaxMode || cleared.Path != "/" || cleared.Domain != "" {
			t.Errorf("trusted %t: %s", trust, cleared)
		}
	}
}

// A proxy may change the Host; the browser sends the origin of the base URL.
func baseURLIsNoOtherOrigin(t *testing.T) {
	s := newSiteWith(t, web.Options{BaseURL: &url.URL{Scheme: "https", Host: "blog.example"}})
	token := header("Cookie", "__Host-session="+s.signUp("ada"))
	create := func(name, origin string) answer {
		return s.do("POST", "/api/v1/channels", token, header("Origin", origin), fields("name", name))
	}
	create("Engines", "https://blog.example").want(201)
	create("Wheels", "https://evil.example").want(403)
}

func TestUnreadableRow(t *testing.T) {
	t.Run("fails no page", unreadableRowFailsNoPage)
}

func unreadableRowFailsNoPage(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { _ = db.Close() })
	s := newSiteOver(t, db, web.Options{Version: "test"})
	b := s.signedIn("ada")
	garden := s.channel("garden", "ada")
	s.post(garden, "ada", "one")
	of := func(i domain.Incarnation) driver.Property { return driver.String("Incarnation", i) }
	mine, active, on := driver.String("Owner", "ada"), driver.String("State", "active"), driver.Time("CreatedOn", domain.Now())
	meadow := domain.NewIncarnation()
	for _, row := range []struct {
		table, partition, row string
		properties            []driver.Property
	}{
		{"Blogs", "garden", "sub!", []driver.Property{of(garden.Incarnation)}},
		{"Blogs", "garden", "join!", []driver.Property{of(garden.Incarnation)}},
		{"Subscriptions", "ada", "!", nil},
		{"Subscriptions", "ada", "!x", []driver.Property{driver.String("State", "joined")}},
		{"Channels", "meadow", "", []driver.Property{of(meadow), mine, active, on}},
		{"Blogs", "meadow", "gate!open!" + string(meadow), []driver.Property{of(meadow)}},
		{"Channels", "asleep", "", []driver.Property{driver.String("Name", "Asleep"), of(domain.NewIncarnation()), mine}},
		{"Channels", "nobodys", "", []driver.Property{driver.String("Name", "Nobodys"), mine, active, on}},
		{"Users", "ada", "owned!", nil},
		{"Users", "ada", "asked!3155378975999999999!!x", nil},
	} {
		ok(t, driver.NewTable(db, row.table).Transact(t.Context(), row.partition, driver.Insert(row.row, row.properties...)))
	}
	for _, path := range []string{"/", "/channels", "/subscriptions", "/digest", "/users/ada", "/deletions", "/account",
		"/api/v1/channels", "/api/v1/feed", "/api/v1/subscriptions", "/api/v1/digest", "/api/v1/deletions"} {
		if a := s.do(http.MethodGet, path, b.cookies); a.status >= 500 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, name := range []string{"garden", "meadow", "asleep", "nobodys"} {
		for _, of := range []string{"", "/delete", "/rows", "/feed.atom", "/rating/0"} {
			if a := s.do(http.MethodGet, "/channels/"+name+of, b.cookies); a.status >= 500 {
				t.Errorf("/channels/%s%s: %d", name, of, a.status)
			}
		}
		if a := s.do(http.MethodGet, "/api/v1/channels/"+name+"/blogs", b.cookies); a.status >= 500 {
			t.Errorf("the posts of %s: %d", name, a.status)
		}
	}
	b.open("/channels/meadow").want(200).says("meadow")
}

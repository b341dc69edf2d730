package web_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"microblogging/storage/bolt"
	"microblogging/web"
)

func TestSite(t *testing.T) {
	t.Run("with a name of its own has no word about the program on a page", namedSiteDoesNotNameTheProgram)
	t.Run("has its name in feeds, in the description of the API and where it is installed", siteHasItsNameForPrograms)
	t.Run("of which nothing is said has no page about it", siteWithoutText)
	t.Run("shows its text and its rules", siteShowsItsText)
	t.Run("with another name or text has other tags for its pages", siteHasTagsOfItsName)
}

const clubText = "# About us\n\nWe row on the lake.\n\n## Rules\n\n1. No selling.\n"

func club() web.Options {
	return web.Options{Version: "test", SiteName: "Lakeside", SiteAbout: clubText, Contact: "the desk"}
}

func namedSiteDoesNotNameTheProgram(t *testing.T) {
	g := newStage(t, club(), furnish)
	program := regexp.MustCompile(`MicroBlogging|half gone|Short posts`)
	looked := 0
	look := func(name string, a answer) {
		looked++
		if found := program.FindString(string(a.plain())); found != "" {
			t.Errorf("%s: %d says %q", name, a.status, found)
		}
	}
	for _, r := range allRoutes() {
		if r.isStream() {
			continue
		}
		for _, s := range r.seeds {
			look(r.name, g.send(t, r, s))
			s.who = invalid
			look(r.name, g.send(t, r, s))
		}
	}
	look("a page that is not there", g.do("GET", "/nothing"))
	look("another site's name", g.do("GET", "/", func(r *http.Request) { r.Host = "evil.example" }).want(421))
	if looked < 200 {
		t.Errorf("only %d answers", looked)
	}
}

func siteHasItsNameForPrograms(t *testing.T) {
	s := newSiteWith(t, club())
	token := s.signUp("ada")
	s.post(s.channel("Engines", "ada"), "ada", "Hello")
	is(t, "the title of a feed", s.do("GET", "/channels/Engines/feed.json").want(200).text("title"), "Engines · Lakeside")
	s.do("GET", "/channels/Engines/feed.atom").want(200).has("<title>Engines · Lakeside</title>")
	digest := s.do("POST", "/api/v1/digest/address", bearer(token)).want(201).text("url")
	_, path, _ := strings.Cut(digest, "example.com")
	s.do("GET", path).want(200).has("<title>Daily digest of ada · Lakeside</title>")
	is(t, "the title of the API", s.do("GET", "/api/openapi.json").want(200).text("info.title"), "Lakeside")
	manifest := regexp.MustCompile(`/static/manifest\.[0-9a-f]+\.webmanifest`)
	url := manifest.FindString(string(s.do("GET", "/").body))
	a := s.do("GET", url).want(200).headed("Cache-Control", "public, max-age=31536000, immutable")
	is(t, "the name of what is installed", []string{a.text("name"), a.text("short_name"), a.text("description")}, []string{"Lakeside", "Lakeside", "We row on the lake."})
	is(t, "its start", a.text("start_url"), "/")

	exported := files(t, s.do("GET", "/account/export.zip", bearer(token)).want(200).body)["channels/Engines.json"]
	if !strings.Contains(exported, `"title":"Engines"`) {
		t.Errorf("import would take another title for the channel's: %.200s", exported)
	}

	unnamed := newSite(t)
	unnamed.channel("Engines", "ada")
	is(t, "the title of a feed without a name", unnamed.do("GET", "/channels/Engines/feed.json").text("title"), "Engines")
	is(t, "the title of the API without a name", unnamed.do("GET", "/api/openapi.json").text("info.title"), "MicroBlogging")
	if manifest.FindString(string(unnamed.do("GET", "/").body)) == url {
		t.Error("two contents have one address")
	}
}

func siteWithoutText(t *testing.T) {
	for _, options := range []web.Options{{}, {SiteName: "Lakeside"}} {
		s := newSiteWith(t, options)
		s.do("GET", "/about").want(404)
		s.browser().open("/").lacks(`href="/about`)
	}
}

func siteShowsItsText(t *testing.T) {
	s := newSiteWith(t, club())
	s.do("GET", "/about").want(200).has("<h1 dir=\"auto\">About us</h1>").has(`id="rules"`).has("the desk")
	for _, path := range []string{"/", "/channels", "/sign-in", "/nothing"} {
		s.do("GET", path).has(`<a href="/about">About <bdi>Lakeside</bdi></a>`).has(`<a href="/about#rules">Rules</a>`)
	}
	s.do("GET", "/sign-in").has("Ask <bdi>the desk</bdi> if you cannot sign in.")
	s.do("GET", "/account").want(401).has("Ask <bdi>the desk</bdi> if you cannot sign in.")
}

// A reader who has a page keeps it until its tag changes, and the store does not change with the options.
func siteHasTagsOfItsName(t *testing.T) {
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	first := newSiteOver(t, db, club())
	token := first.signUp("ada")
	first.post(first.channel("Engines", "ada"), "ada", "Hello")
	seen := map[string][]string{}
	renamed, withoutRules, otherContact := club(), club(), club()
	renamed.SiteName, withoutRules.SiteAbout, otherContact.Contact = "Seaside", "We row on the lake.", "the boathouse"
	for _, options := range []web.Options{club(), renamed, withoutRules, otherContact} {
		s := newSiteOver(t, db, options)
		for _, path := range []string{"/channels/Engines", "/sign-in", "/about"} {
			for who, changes := range map[string][]change{"a user": {header("Cookie", "session="+token)}, "anybody": nil} {
				if path == "/sign-in" && who == "a user" || options.Contact != "the desk" && path != "/about" {
					continue // which show no contact, or lead home
				}
				name := fmt.Sprint(path, " for ", who)
				tag := s.do("GET", path, changes...).want(200).header.Get("ETag")
				if tag != "" && slices.Contains(seen[name], tag) {
					t.Errorf("%s of %+v has the tag of another", name, options)
				}
				if again := newSiteOver(t, db, options).do("GET", path, changes...).header.Get("ETag"); again != tag {
					t.Errorf("%s has the tag %s, and %s in another process", name, tag, again)
				}
				seen[name] = append(seen[name], tag)
			}
		}
	}
}

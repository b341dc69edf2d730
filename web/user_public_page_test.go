package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"microblogging/web"
)

func TestUserPublicPage(t *testing.T) {
	t.Run("shows since when and the channels", userPageShowsSinceWhenAndTheChannels)
	t.Run("finds channels with a limit and without", userPageFindsChannelsWithALimitAndWithout)
	t.Run("has pages", userPageHasPages)
	t.Run("does not exist for unknown users", userPageDoesNotExistForUnknownUsers)
	t.Run("is named by each feed", authorsPageIsNamedByEachFeed)
}

func userPageShowsSinceWhenAndTheChannels(t *testing.T) {
	s := newSite(t)
	s.author("ada")
	b := s.signedIn("bob")
	b.open("/channels/new").form("Create channel").fill("name", "Gärten").press().want(200)
	p := s.browser().open("/users/bob").want(200).heading("@bob").says("Writes here since ", "Gärten")
	p.follow("Gärten").want(200).heading("Gärten").follow("@bob").want(200).heading("@bob")
	s.browser().open("/users/BOB").want(200).heading("@bob")
	s.browser().open("/users/ada").want(200).says("No channels of their own")
	if got := s.browser().open("/channels").follow("@bob").path; got != "/users/bob" {
		t.Errorf("the directory leads to %s", got)
	}
}

func userPageFindsChannelsWithALimitAndWithout(t *testing.T) {
	for _, limit := range []int{0, 10} {
		s := newSiteWith(t, web.Options{MaxChannelsPerOwner: limit})
		token := s.signUp("ada")
		s.do("POST", "/api/v1/channels", bearer(token), fields("name", "one")).want(201)
		s.do("POST", "/api/v1/channels", bearer(token), fields("name", "two"), header("Idempotency-Key", "k")).want(201)
		s.do("POST", "/api/v1/channels", bearer(token), fields("name", "two"), header("Idempotency-Key", "k")).want(200)
		p := s.browser().open("/users/ada").want(200)
		var names []string
		for _, n := range all(p.doc, tag("h3")) {
			names = append(names, seen(n))
		}
		if !slices.Equal(names, []string{"one", "two"}) {
			t.Errorf("with a limit of %d: %q", limit, names)
		}
	}
}

func userPageHasPages(t *testing.T) {
	s := newSite(t)
	ada := s.author("ada")
	for i := range 21 {
		channel := s.channel(fmt.Sprintf("c%02d", i), "ada")
		if err := s.store.ListChannel(t.Context(), channel); err != nil {
			t.Fatal(err)
		}
	}
	p := s.browser().open("/users/"+string(ada)).says("c00", "c19").saysNot("c20")
	p.follow("More channels →").says("c20").saysNot("c19").follow("← Back to the start").says("c00")
	s.browser().open("/users/ada?after=x").want(422)
}

func userPageDoesNotExistForUnknownUsers(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"nobody", "x", "not%20a%20name", "%C3%A4da", "a%2Fb", strings.Repeat("a", 33)} {
		s.browser().open("/users/" + name).want(404)
	}
}

func authorsPageIsNamedByEachFeed(t *testing.T) {
	s := newSite(t)
	channel := s.channel("Engines", string(s.author("ada")))
	s.post(channel, "ada", "Hello")
	atom, json := feedsOf(channel)
	if body := string(s.do("GET", atom).want(200).body); !strings.Contains(body, "<author><name>ada</name><uri>http://example.com/users/ada</uri></author>") {
		t.Errorf("Atom: %s", body)
	}
	if body := string(s.do("GET", json).want(200).body); !strings.Contains(body, `"authors":[{"name":"ada","url":"http://example.com/users/ada"}]`) {
		t.Errorf("JSON Feed: %s", body)
	}
}

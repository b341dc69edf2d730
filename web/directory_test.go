package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestChannelDirectoryPage(t *testing.T) {
	t.Run("the directory lists channels by name page by page", directoryListsChannelsByNamePageByPage)
	t.Run("the filter keeps what was typed and says what to do next", filterKeepsWhatWasTypedAndSaysWhatToDoNext)
}

func directoryListsChannelsByNamePageByPage(t *testing.T) {
	s := newSite(t)
	var want, got []string
	for i := range 45 {
		want = append(want, string(s.channel(fmt.Sprintf("go-%02d", i), "ada").Name))
	}
	s.channel("rust", "ada")
	s.askDeletion(s.channel("go-hidden", "ada"))
	pages := s.browser().open("/channels?contains=O-").walk("More channels →", func() {})
	for _, p := range pages {
		got = append(got, p.titles()...)
	}
	if !slices.Equal(got, want) || len(pages) != 3 {
		t.Errorf("in %d pages: %v", len(pages), got)
	}
	if first := pages[2].follow("← Back to the start").titles(); !slices.Equal(first, want[:20]) {
		t.Errorf("back at %v", first)
	}
}

func filterKeepsWhatWasTypedAndSaysWhatToDoNext(t *testing.T) {
	s := newSite(t)
	b := s.signedIn("ada")
	s.channel("Ärger", "ada")
	s.channel("Engines", "ada")
	for text, want := range map[string][]string{
		"ä": {"Ärger"}, "GER": {"Ärger"}, "n": {"Engines"}, "e": {"Ärger", "Engines"}, "": {"Ärger", "Engines"}, "ärger!": nil, "'": nil, "~": nil, "/": nil,
	} {
		p := b.open("/channels?contains=" + url.QueryEscape(text)).want(200)
		slices.Sort(want)
		got := slices.DeleteFunc(p.titles(), func(title string) bool { return strings.HasPrefix(title, "No channel") })
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q lists %q", text, got)
		}
	}
	p := b.open("/channels?contains=%3Cb%3Etea").says("No channel’s name contains “<b>tea”")
	if got := p.follow("create it").form("Create channel").values.Get("name"); got != "<b>tea" {
		t.Errorf("the new channel's name is %q", got)
	}
	for _, bad := range []string{"%FF", strings.Repeat("a", 300)} {
		b.open("/channels?contains=" + bad).want(422)
	}
}

func TestUserPublicPage(t *testing.T) {
	t.Run("shows since when and the channels", userPageShowsSinceWhenAndTheChannels)
	t.Run("has pages", userPageHasPages)
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

func userPageHasPages(t *testing.T) {
	s := newSite(t)
	ada := s.author("ada")
	for i := range 21 {
		channel := s.channel(fmt.Sprintf("c%02d", i), "ada")
		ok(t, s.store.ListChannel(t.Context(), channel))
	}
	p := s.browser().open("/users/"+string(ada)).says("c00", "c19").saysNot("c20")
	p.follow("More channels →").says("c20").saysNot("c19").follow("← Back to the start").says("c00")
	s.browser().open("/users/ada?after=x").want(422)
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

package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestChannelDirectoryPage(t *testing.T) {
	t.Run("the filter keeps what was typed and says what to do next", filterKeepsWhatWasTypedAndSaysWhatToDoNext)
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
	t.Run("has pages", userPageHasPages)
	t.Run("is named by each feed", authorsPageIsNamedByEachFeed)
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

package web_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestChannelAPI(t *testing.T) {
	t.Run("a new channel is found at its Location", newChannelIsFoundAtItsLocation)
	t.Run("a channel is found by every spelling of its name", channelIsFoundByEverySpellingOfItsName)
	t.Run("a bad channel is refused field by field", badChannelIsRefusedFieldByField)
	t.Run("a name in use and one being deleted are different conflicts", nameInUseAndOneBeingDeletedAreDifferentConflicts)
	t.Run("only the owner describes a channel", onlyTheOwnerDescribesAChannel)
	t.Run("channels are listed by name page by page", channelsAreListedByNamePageByPage)
}

func newChannelIsFoundAtItsLocation(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for _, name := range []string{"Engines", "Ärger.über_Öl", "日本語", "ελληνικά-2"} {
		created := s.do("POST", "/api/v1/channels", bearer(token), fields("name", name, "description", "  Words\r\nand wheels ")).want(201)
		if got := created.header.Get("Location"); got != "/api/v1/channels/"+url.PathEscape(name) {
			t.Errorf("Location %q", got)
		}
		read := s.do("GET", created.header.Get("Location")).want(200)
		if string(read.body) != string(created.body) {
			t.Errorf("read %s, created %s", read.body, created.body)
		}
		if got := read.text("description"); got != "Words\nand wheels" {
			t.Errorf("description %q", got)
		}
		if read.header.Get("ETag") != created.header.Get("ETag") {
			t.Error("the ETags differ")
		}
	}
}

func channelIsFoundByEverySpellingOfItsName(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	s.channel("Straße", "ada")
	for _, spelling := range []string{"Straße", "STRASSE", "stra%C3%9Fe", "%53tra%c3%9fe"} {
		if got := s.do("GET", "/api/v1/channels/"+spelling).want(200).text("name"); got != "Straße" {
			t.Errorf("%s is called %q", spelling, got)
		}
	}
}

func badChannelIsRefusedFieldByField(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for name, test := range map[string]struct{ name, description, field string }{
		"space":            {"a b", "", "name"},
		"reserved":         {"New", "", "name"},
		"long description": {"ok", strings.Repeat("é", 501), "description"},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.in(t)
			s.unwritten(func() answer {
				return s.do("POST", "/api/v1/channels", bearer(token),
					fields("name", test.name, "description", test.description))
			}).want(422).wantField(test.field)
		})
	}
}

func nameInUseAndOneBeingDeletedAreDifferentConflicts(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	channel := s.channel("Engines", "ada")
	create := func() answer {
		return s.do("POST", "/api/v1/channels", bearer(token), fields("name", "ENGINES"))
	}
	if got := s.unwritten(create).want(409).text("type"); got != "urn:microblogging:name-taken" {
		t.Errorf("type %q", got)
	}
	s.askDeletion(channel)
	if got := s.unwritten(create).want(409).text("type"); got != "urn:microblogging:still-deleting" {
		t.Errorf("type %q", got)
	}
	s.cascade(channel.Ref())
	if again := create().want(201); again.header.Get("ETag") == `"`+string(channel.Incarnation)+`"` {
		t.Error("two incarnations have one ETag")
	}
}

func onlyTheOwnerDescribesAChannel(t *testing.T) {
	s := newSite(t)
	ada, bob := s.signUp("ada"), s.signUp("bob")
	etag := `"` + string(s.channel("Engines", "ada").Incarnation) + `"`
	patch := func(who change, body change) answer {
		return s.do("PATCH", "/api/v1/channels/engines", who, body)
	}
	if got := patch(bearer(ada), fields("description", "New words")).want(200).text("description"); got != "New words" {
		t.Errorf("description %q", got)
	}
	for _, refused := range []struct {
		who    change
		body   change
		status int
	}{
		{bearer(bob), fields("description", "Mine"), 403},
		{cookie(""), fields("description", "Mine"), 401},
		{bearer(ada), fields(), 422},
		{bearer(ada), fields("description", strings.Repeat("x", 501)), 422},
		{bearer(ada), fields("description", "x", "name", "Other"), 422},
	} {
		s.unwritten(func() answer { return patch(refused.who, refused.body) }).want(refused.status)
	}
	for match, status := range map[string]int{`"AAAAAAAAAAAAAAAAAAAAAAAAAA"`: 412, "W/" + etag: 412, "unquoted": 400} {
		s.unwritten(func() answer {
			return s.do("PATCH", "/api/v1/channels/engines", bearer(ada), header("If-Match", match), fields("description", "x"))
		}).want(status)
	}
	s.do("PATCH", "/api/v1/channels/engines", bearer(ada), header("If-Match", etag), fields("description", "New words")).want(200)
	s.do("PATCH", "/api/v1/channels/nothing", bearer(ada), fields("description", "x")).want(404)
	if got := s.do("GET", "/api/v1/channels/Engines").want(200).text("description"); got != "New words" {
		t.Errorf("description %q", got)
	}
}

func channelsAreListedByNamePageByPage(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	var want []string
	for i := range 25 {
		want = append(want, string(s.channel(fmt.Sprintf("go-%02d", i), "ada").Name))
	}
	s.channel("rust", "ada")
	s.askDeletion(s.channel("go-hidden", "ada"))
	var got []string
	pages := 0
	for path := "/api/v1/channels?contains=O-"; path != ""; pages++ {
		a := s.do("GET", path).want(200)
		for _, item := range a.get("items").([]any) {
			got = append(got, item.(map[string]any)["name"].(string))
		}
		path = ""
		if next := a.text("next"); next != "" {
			path = "/api/v1/channels?contains=O-&after=" + url.QueryEscape(next)
		}
	}
	if !slices.Equal(got, want) || pages != 2 {
		t.Errorf("in %d pages: %v", pages, got)
	}
}

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
	t.Run("a name that no channel can have is not found", nameThatNoChannelCanHaveIsNotFound)
	t.Run("a bad channel is refused field by field", badChannelIsRefusedFieldByField)
	t.Run("a name in use and one being deleted are different conflicts", nameInUseAndOneBeingDeletedAreDifferentConflicts)
	t.Run("only the owner describes a channel", onlyTheOwnerDescribesAChannel)
	t.Run("channels are listed by name page by page", channelsAreListedByNamePageByPage)
	t.Run("an empty list is an empty array", emptyListIsAnEmptyArray)
	t.Run("a bad query is refused by parameter", badQueryIsRefusedByParameter)
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

func nameThatNoChannelCanHaveIsNotFound(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"nothing", "new", "n%65w", "a--b", "a%2Fb", "%2541da", "%FF", "%00", "..", strings.Repeat("a", 65), "a/b"} {
		s.do("GET", "/api/v1/channels/"+name).want(404)
	}
	for _, path := range []string{"/api/v1", "/api/v1/", "/api/v1/channels/", "/api/v2/channels", "/api/v1/nothing"} {
		s.do("GET", path).want(404)
	}
}

func badChannelIsRefusedFieldByField(t *testing.T) {
	s := newSite(t)
	token := s.signUp("ada")
	for name, test := range map[string]struct{ name, description, field string }{
		"empty name":             {"", "", "name"},
		"65 characters":          {strings.Repeat("é", 65), "", "name"},
		"control character":      {"a\x07b", "", "name"},
		"space":                  {"a b", "", "name"},
		"slash":                  {"a/b", "", "name"},
		"two separators":         {"a.-b", "", "name"},
		"separator at the end":   {"a-", "", "name"},
		"mark after nothing":     {"\u0301a", "", "name"},
		"reserved":               {"New", "", "name"},
		"long description":       {"ok", strings.Repeat("é", 501), "description"},
		"control in description": {"ok", "a\x00b", "description"},
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

func emptyListIsAnEmptyArray(t *testing.T) {
	a := newSite(t).do("GET", "/api/v1/channels").want(200)
	if got := string(a.body); got != `{"items":[]}`+"\n" {
		t.Errorf("body %s", got)
	}
}

func badQueryIsRefusedByParameter(t *testing.T) {
	s := newSite(t)
	s.signUp("ada")
	for i := range 3 {
		s.channel(fmt.Sprintf("go-%d", i), "ada")
	}
	engines, wheels := s.channel("Engines", "ada"), s.channel("Wheels", "ada")
	for i := range 3 {
		s.post(engines, "ada", fmt.Sprint(i))
		s.post(wheels, "ada", fmt.Sprint(i))
	}
	cursor := func(path string) string { return url.QueryEscape(s.do("GET", path).want(200).text("next")) }
	ofAll, ofGo := cursor("/api/v1/channels?limit=1"), cursor("/api/v1/channels?limit=1&contains=go")
	ofEngines := cursor("/api/v1/channels/engines/blogs?limit=1")
	for query, field := range map[string]string{
		"channels?limit=0":                                  "limit",
		"channels?limit=101":                                "limit",
		"channels?limit=-1":                                 "limit",
		"channels?limit=abc":                                "limit",
		"channels?limit=":                                   "limit",
		"channels?limit=1.5":                                "limit",
		"channels?limit=99999999999999999999":               "limit",
		"channels?after=made-up":                            "after",
		"channels?after=%00":                                "after",
		"channels?contains=%FF":                             "contains",
		"channels?contains=" + strings.Repeat("a", 300):     "contains",
		"channels?contains=go&after=" + ofAll:               "after",
		"channels?after=" + ofGo:                            "after",
		"channels?after=" + ofEngines:                       "after",
		"channels/wheels/blogs?after=" + ofEngines:          "after",
		"channels/engines/blogs?after=" + ofAll:             "after",
		"channels/engines/blogs?limit=0":                    "limit",
		"channels/engines/blogs?since=yesterday":            "since",
		"channels/engines/blogs?until=2026-01-01":           "until",
		"channels/engines/blogs?since=":                     "since",
		"channels/engines/blogs?until=0001-01-01T00:00:00Z": "until",
		"channels/engines/blogs?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z": "until",
	} {
		s.do("GET", "/api/v1/"+query).want(422).wantField(field)
	}
	s.do("GET", "/api/v1/channels?limit=100&unknown=1&after=").want(200)
}

package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestList(t *testing.T) {
	t.Run("goes on with its own token and refuses every other", listRefusesTheTokenOfAnother)
	t.Run("refuses a bad query by its parameter", listRefusesABadQuery)
	t.Run("of nothing is an empty array", listOfNothingIsAnEmptyArray)
}

// everyList has each list of the API that ada and bob can read, of more than one item, with its
// reader. Two that differ in their query or their reader are two lists.
func everyList(s *site) map[string]change {
	adas, bobs := bearer(s.signUp("ada")), bearer(s.signUp("bob"))
	s.signUp("barb")
	for _, name := range []string{"Engines", "Wheels"} {
		channel := s.channel(name, "ada")
		s.subscribe("bob", channel)
		for range 2 {
			s.postOn(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), channel, "Hello")
		}
		s.requestDeletion(s.channel("Going-"+name, "ada"))
	}
	lists := make(map[string]change)
	for _, path := range []string{
		"channels", "channels?contains=e", "users?contains=b", "latest", "channels/Engines/blogs", "channels/Wheels/blogs", "channels/Engines/blogs?order=rating",
		"channels/Engines/blogs?rating=0", "channels/Engines/blogs?find=hello", "deletions", "digest?day=2026-03-04&tz=Europe/Berlin",
	} {
		lists["/api/v1/"+path] = adas
	}
	for _, path := range []string{"subscriptions", "feed", "digest?day=2026-03-04"} {
		lists["/api/v1/"+path] = adas
		lists["/api/v1/"+path+"#bob"] = bobs
	}
	return lists
}

// queried adds a parameter to the path of a list.
func queried(path, parameter string) string {
	path, _, _ = strings.Cut(path, "#")
	if strings.Contains(path, "?") {
		return path + "&" + parameter
	}
	return path + "?" + parameter
}

func listRefusesTheTokenOfAnother(t *testing.T) {
	s := newSite(t)
	lists, tokens := everyList(s), map[string]string{}
	for path, reader := range lists {
		first := s.do("GET", queried(path, "limit=1"), reader).want(200)
		tokens[path] = first.text("next")
		next, linked := strings.CutSuffix(strings.TrimPrefix(first.header.Get("Link"), "<"), `>; rel="next"`)
		if tokens[path] == "" || !linked {
			t.Errorf("%s does not go on: %v", path, first.header)
			continue
		}
		second := s.do("GET", queried(path, "limit=1&after="+url.QueryEscape(tokens[path])), reader).want(200)
		if got := s.do("GET", next, reader).want(200); string(got.body) != string(second.body) {
			t.Errorf("%s links to %s, which is %s", path, next, got.body)
		}
	}
	for path, reader := range lists {
		mine := tokens[path]
		wrong := []string{"made-up", "!", "\x00", mine + "A", mine[1:]}
		for other, token := range tokens {
			if other != path {
				wrong = append(wrong, token)
			}
		}
		for _, token := range wrong {
			if a := s.do("GET", queried(path, "after="+url.QueryEscape(token)), reader); a.status != 422 {
				t.Errorf("%s goes on with %q: %d", path, token, a.status)
			} else {
				a.wantField("after")
			}
		}
		s.do("GET", queried(path, "after="+url.QueryEscape(mine)), reader).want(200)
		for _, limit := range []string{"0", "101", "-1", "x", "", "1.5", "99999999999999999999"} {
			s.do("GET", queried(path, "limit="+limit), reader).want(422).wantField("limit")
		}
	}
}

func listRefusesABadQuery(t *testing.T) {
	s, token, _ := engines(t, "ada")
	for query, field := range map[string]string{
		"channels?contains=%FF": "contains",
		"users":                 "contains",
		"users?contains=%20@":   "contains",
		"channels?contains=" + strings.Repeat("a", 300):                                "contains",
		"channels/Engines/blogs?since=yesterday":                                       "since",
		"channels/Engines/blogs?until=2026-01-01":                                      "until",
		"channels/Engines/blogs?since=":                                                "since",
		"channels/Engines/blogs?until=0001-01-01T00:00:00Z":                            "until",
		"channels/Engines/blogs?order=rating&since=2026-01-01T00:00:00Z":               "since",
		"channels/Engines/blogs?rating=3&until=2026-01-01T00:00:00Z":                   "until",
		"channels/Engines/blogs?order=date":                                            "order",
		"channels/Engines/blogs?order=":                                                "order",
		"channels/Engines/blogs?rating=-1":                                             "rating",
		"channels/Engines/blogs?rating=":                                               "rating",
		"channels/Engines/blogs?rating=1.5":                                            "rating",
		"channels/Engines/blogs?rating=%2B1":                                           "rating",
		"channels/Engines/blogs?rating=99999999999":                                    "rating",
		"channels/Engines/blogs?find=":                                                 "find",
		"channels/Engines/blogs?find=%20&limit=1":                                      "find",
		"channels/Engines/blogs?find=%FF%FF":                                           "find",
		"channels/Engines/blogs?find=" + strings.Repeat("%C3%9F", 101):                 "find",
		"channels/Engines/blogs?order=rating&find=hello":                               "find",
		"digest?day=9999-01-01":                                                        "day",
		"digest?day=2026-02-30":                                                        "day",
		"digest?tz=Local":                                                              "tz",
		"channels/Engines/blogs?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z": "until",
	} {
		s.do("GET", "/api/v1/"+query, bearer(token)).want(422).wantField(field)
	}
	for _, list := range []string{"channels", "users", "latest", "users/ada/blogs", "channels/Engines/blogs", "subscriptions", "feed", "deletions", "digest"} {
		s.do("GET", "/api/v1/"+list+"?limit=100&unknown=1&after=", bearer(token)).want(400)
	}
}

func listOfNothingIsAnEmptyArray(t *testing.T) {
	s := newSite(t)
	s.post(s.channel("Engines", string(s.author("ada"))), "ada", "Hello")
	bob := bearer(s.signUp("bob"))
	for _, path := range []string{"channels?contains=zz", "subscriptions", "feed", "deletions"} {
		if a := s.do("GET", "/api/v1/"+path, bob).want(200); string(a.body) != `{"items":[]}`+"\n" {
			t.Errorf("%s is %s", path, a.body)
		}
	}
}

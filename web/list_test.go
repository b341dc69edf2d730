package web_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	t.Run("refuses a bad query by its parameter", listRefusesABadQuery)
	t.Run("refuses a token that is not its own, and an unknown parameter", listRefusesAForeignToken)
	t.Run("links to its next part", listLinksToItsNextPart)
	t.Run("of nothing is an empty array", listOfNothingIsAnEmptyArray)
}

// The routes refuse the token of another list: see the seeds of TestRoutes, and FuzzCursor of package storage.
func listRefusesABadQuery(t *testing.T) {
	s, token, _ := engines(t, "ada")
	const blogs = "channels/Engines/blogs?"
	for field, queries := range map[string][]string{
		"after":    {blogs + "after=%00", blogs + "order=rating&after=x", "channels?order=activity&after=x"},
		"limit":    {"channels?limit=0", "subscriptions?limit=101", "feed?limit=-1", "deletions?limit=x", "digest?limit=", blogs + "limit=1.5", blogs + "limit=99999999999999999999"},
		"contains": {"users", "users?contains=%20@", "channels?contains=%FF", "channels?contains=" + strings.Repeat("a", 300)},
		"since":    {blogs + "since=yesterday", blogs + "since=", blogs + "order=rating&since=2026-01-01T00:00:00Z"},
		"until": {blogs + "until=2026-01-01", blogs + "until=0001-01-01T00:00:00Z", blogs + "rating=3&until=2026-01-01T00:00:00Z",
			blogs + "since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z"},
		"order":  {blogs + "order=date", blogs + "order="},
		"rating": {blogs + "rating=-1", blogs + "rating=", blogs + "rating=1.5", blogs + "rating=%2B1", blogs + "rating=99999999999"},
		"find":   {blogs + "find=", blogs + "find=%20&limit=1", blogs + "find=%FF%FF", blogs + "find=" + strings.Repeat("%C3%9F", 101), blogs + "order=rating&find=hello"},
		"day":    {"digest?day=9999-01-01", "digest?day=2026-02-30"},
		"tz":     {"digest?tz=Local"},
	} {
		for _, query := range queries {
			s.do("GET", "/api/v1/"+query, bearer(token)).want(422).wantField(field)
		}
	}
}

func listLinksToItsNextPart(t *testing.T) {
	s, token, _ := engines(t, "ada")
	s.channel("Wheels", "ada")
	first := s.do("GET", "/api/v1/channels?limit=1&contains=e", bearer(token)).want(200)
	next, linked := strings.CutSuffix(strings.TrimPrefix(first.header.Get("Link"), "<"), `>; rel="next"`)
	if !linked || !strings.Contains(next, "contains=e") || !strings.Contains(next, "after="+url.QueryEscape(first.text("next"))) {
		t.Fatalf("it links to %s", first.header.Get("Link"))
	}
	if last := s.do("GET", next, bearer(token)).want(200); last.header.Get("Link") != "" || !strings.Contains(string(last.body), "Wheels") {
		t.Errorf("the next part is %s, and links to %s", last.body, last.header.Get("Link"))
	}
}

// Each path whose description has the parameter is such a list.
func listRefusesAForeignToken(t *testing.T) {
	s, token, _ := engines(t, "ada")
	for path := range s.spec.paths() {
		parameters, _ := dig(s.spec.paths(), path+".get.parameters").([]any)
		for _, parameter := range parameters {
			if s.spec.resolve(parameter)["name"] == "after" {
				query := "?"
				if path == "/users" {
					query += "contains=e&" // which it requires
				}
				path = "/api/v1" + strings.NewReplacer("{name}", "Engines", "{user}", "ada").Replace(path) + query
				s.do("GET", path+"after=made-up", bearer(token)).want(422).wantField("after")
				s.do("GET", path+"limit=100&unknown=1&after=", bearer(token)).want(400)
			}
		}
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

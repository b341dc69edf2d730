package web_test

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/web"
)

func TestList(t *testing.T) {
	t.Run("refuses a bad query by its parameter", listRefusesABadQuery)
	t.Run("refuses a token that is not its own, and an unknown parameter", listRefusesAForeignToken)
	t.Run("holds its limit, and leads to its next part", listHoldsItsLimit)
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
		"find":   {blogs + "find=", blogs + "find=%20&limit=1", blogs + "find=**", blogs + "find=%FF%FF", blogs + "find=" + strings.Repeat("%C3%9F", 101), blogs + "order=rating&find=hello"},
		"day":    {"digest?day=9999-01-01", "digest?day=2026-02-30"},
		"tz":     {"digest?tz=Local"},
	} {
		for _, query := range queries {
			s.do("GET", "/api/v1/"+query, bearer(token)).want(422).wantField(field)
		}
	}
}

// lists are the paths whose descriptions have the parameter after, with a query to which more can be added. One is of a post
// in Engines.
func (o *openAPI) lists(post domain.BlogID) (lists []string) {
	for path := range o.paths() {
		parameters, _ := dig(o.paths(), path+".get.parameters").([]any)
		if slices.ContainsFunc(parameters, func(p any) bool { return o.resolve(p)["name"] == "after" }) {
			query := map[string]string{"/users": "?contains=b&", "/search": "?q=e&"}[path] // which it requires
			lists = append(lists, "/api/v1"+strings.NewReplacer("{name}", "Engines", "{user}", "ada", "{id}", string(post)).Replace(path)+cmp.Or(query, "?"))
		}
	}
	return lists
}

// listHoldsItsLimit follows the links from item to item. A page may have none: what it would show is being deleted.
func listHoldsItsLimit(t *testing.T) {
	g := newStage(t, web.Options{}, furnish)
	reader, several := bearer(g.tokens[ada]), 0
	for _, list := range g.spec.lists(g.newest) {
		want, _ := g.do("GET", list+"limit=100", reader).want(200).get("items").([]any)
		var got []any
		for next, linked := list+"limit=1", true; linked; {
			a := g.do("GET", next, reader).want(200)
			items, _ := a.get("items").([]any)
			got = append(got, items...)
			next, linked = strings.CutSuffix(strings.TrimPrefix(a.header.Get("Link"), "<"), `>; rel="next"`)
			if len(items) > 1 || linked != (a.get("next") != nil) || linked && !strings.Contains(next, "after="+url.QueryEscape(a.text("next"))) {
				t.Errorf("%s links to %q: %s", list, next, a.body)
			}
		}
		if several += min(len(want), 2) / 2; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s has\n%v one by one, and\n%v", list, got, want)
		}
	}
	if several < 6 {
		t.Errorf("%d lists have two items", several)
	}
}

func listRefusesAForeignToken(t *testing.T) {
	s := newSiteWith(t, web.Options{Operators: domain.Operators{"ada"}}) // some lists are theirs alone
	token := s.signUp("ada")
	post := s.post(s.channel("Engines", "ada"), "ada", "Hello")
	for _, list := range s.spec.lists(post.ID) {
		s.do("GET", list+"after=made-up", bearer(token)).want(422).wantField("after")
		s.do("GET", list+"limit=100&unknown=1&after=", bearer(token)).want(400)
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

package web_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"microblogging/web"
)

func TestCallPanel(t *testing.T) {
	t.Run("lists what a page has asked for", callPanelListsCalls)
}

func newTeachingSite(t testing.TB) *site {
	return newSiteWith(t, web.Options{Version: "test", Teach: true})
}

// callPanel returns the fold of a page, or nil.
func (p page) callPanel() *html.Node {
	return one(p.doc, func(n *html.Node) bool { return attr(n, "class") == "call-panel" })
}

// summary returns what the closed fold says.
func (p page) summary() string {
	p.t.Helper()
	fold := one(p.doc, func(n *html.Node) bool { return attr(n, "class") == "behind" })
	if fold == nil {
		p.t.Fatalf("%s has no fold:\n%s", p.path, p.body)
	}
	return seen(one(fold, tag("summary")))
}

// mustList fails the test unless the page ends in a list of so many calls, or has no list if it
// does not teach. What would tell which names exist has none either.
func (p page) mustList(teaches bool, calls int) {
	p.t.Helper()
	if !teaches || strings.Contains(p.path, "/:secret") || p.callPanel() == nil && p.status >= 400 {
		if p.callPanel() != nil || strings.Contains(string(p.body), "/static/call-panel.") {
			p.t.Error("the page has a fold")
		}
		return
	}
	if got, want := p.summary(), fmt.Sprintf("Behind this page · %d storage call", calls); !strings.HasPrefix(got, want) {
		p.t.Errorf("the fold says %q, want %q", got, want)
	}
	if listed := all(p.callPanel(), func(n *html.Node) bool { return attr(n, "class") == "call" }); len(listed) != calls {
		p.t.Errorf("the fold lists %d calls, want %d", len(listed), calls)
	}
	if words := seen(p.callPanel()); strings.Contains(words, "(of no form)") {
		p.t.Errorf("the fold does not say what a call asks for: %s", words)
	}
	if strings.Count(string(p.body), "/static/call-panel.") != 1 {
		p.t.Error("the page has not one style sheet for the fold")
	}
}

func callPanelListsCalls(t *testing.T) {
	s := newTeachingSite(t)
	channel := s.channel("Engines", string(s.author("ada")))
	for i := range 3 {
		s.post(channel, "ada", fmt.Sprint("Post ", i))
	}
	s.browser().open("/channels/Engines").want(200).says(
		"table Channels", "point", "PartitionKey = engines and RowKey = (empty)", "1 row read, 1 returned",
		"range", "RowKey like blog!<id>, the first 21", "3 rows read, 3 returned",
		"The store read 6 rows and returned 6", "A million views like this one cost $", "table calls each", "East US", "2026",
		"The time in its key counts down",
	)
	s.browser().open("/how-deletion-works").says("Behind this page · 0 storage calls, 0 ms").saysNot("A million views")
}

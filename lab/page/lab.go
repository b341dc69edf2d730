package page

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"microblogging/lab"
	"microblogging/lab/prove"
	"microblogging/templates"
)

// A Lab makes the pages of the lab. It is safe for concurrent use. It makes nothing before
// it is first asked for a page, and leaves no goroutine behind.
type Lab struct {
	// cases are all scenarios, in the order of the index.
	cases func() []prove.Case
	// known are what the explorer has found.
	known func() []prove.Record
	// stale tells that the code has changed since.
	stale             func() bool
	replays, searches turn
}

// New returns the pages of the lab.
func New() *Lab {
	return &Lab{
		cases: sync.OnceValue(prove.Cases),
		known: sync.OnceValue(func() []prove.Record {
			records, _ := prove.Known() // TestKnown reads all
			return records
		}),
		stale:   sync.OnceValue(func() bool { return lab.Fingerprint() != prove.KnownCode() }),
		replays: make(turn, maxReplays), searches: make(turn, 1),
	}
}

// handler is web.Handler.
type handler = func(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Answer, error)

// Routes returns the handlers by their paths, for web.Options.
func (l *Lab) Routes() map[string]handler {
	routes := map[string]handler{
		templates.LabIndexPath:                     l.index,
		templates.LabIndexPath + "/scenarios.json": l.scenarioList,
		templates.LabIndexPath + "/{name}":         l.scenario,
		templates.LabIndexPath + "/{name}/compare": l.compare,
	}
	for _, path := range []string{"", "/{name}", "/{name}/compare"} {
		routes[templates.LabIndexPath+path+"/"] = withoutSlash
	}
	return routes
}

// withoutSlash leads to the address without the slash at its end.
func withoutSlash(w http.ResponseWriter, r *http.Request, _ templates.Page) (templates.Answer, error) {
	address := strings.TrimRight(r.URL.EscapedPath(), "/")
	if r.URL.RawQuery != "" {
		address += "?" + r.URL.RawQuery
	}
	return redirect(w, r, address)
}

// find returns the scenario of that name.
func (l *Lab) find(name string) (prove.Case, error) {
	cases := l.cases()
	at := slices.IndexFunc(cases, func(c prove.Case) bool { return c.Name == name })
	if at < 0 {
		return prove.Case{}, &templates.Refusal{Problem: templates.Problem{
			Status: http.StatusNotFound, Title: "The lab has no such level",
			Detail: "The address may be mistyped.", Links: []templates.Link{labLink()},
		}}
	}
	return cases[at], nil
}

func labLink() templates.Link {
	return templates.Link{Label: "All levels", URL: templates.LabIndexPath}
}

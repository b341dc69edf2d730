package page

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/templates"
)

// A Lab makes the pages of the lab. It is safe for concurrent use. It makes nothing before it is first asked for a page.
type Lab struct {
	// cases are all scenarios, in the order of the index.
	cases func() []modelcheck.Case
	// known are what the model checker has found.
	known func() []modelcheck.Record
	// stale reports whether the code has changed since.
	stale             func() bool
	replays, searches turn
	// ownReplays and ownSearches are those of readers' own protocols.
	ownReplays, ownSearches turn
	// asked has what is being searched, so that all who ask for it in one moment get one answer.
	asked singleflight.Group
	// pages are the answers that were made, by their addresses. changes counts what was found since that pages say.
	pages   *otter.Cache[string, answered]
	changes atomic.Int64
	// reaches has the *lab.Reach of each scenario that was tried. It is nil if no search came to its end.
	reaches sync.Map
	// own are what a search has found in a reader's own protocols.
	own ownRecords
	// failures say of a reader's own protocol that failed when its page was made what was wrong, by its name.
	failures sync.Map
	// verdicts has the toy.Verdict of each clause that was checked, by its address.
	verdicts sync.Map
}

// New returns the pages of the lab.
func New() *Lab {
	return &Lab{
		cases: sync.OnceValue(func() []modelcheck.Case { return append(modelcheck.Cases(), modelcheck.OwnCases()...) }),
		known: sync.OnceValue(func() []modelcheck.Record {
			records, _ := modelcheck.Known() // TestKnown reads all
			return records
		}),
		stale:   sync.OnceValue(func() bool { return modelcheck.Stale() != nil }),
		replays: make(turn, maxReplays), searches: make(turn, 1), ownReplays: make(turn, maxReplays), ownSearches: make(turn, 1), pages: newKept(),
	}
}

// handler is web.Handler.
type handler = func(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error)

// Routes returns the handlers by their paths, for web.Options.
func (l *Lab) Routes() map[string]handler {
	routes := map[string]handler{
		templates.LabIndexPath:                     l.index,
		templates.LabIndexPath + "/scenarios.json": l.scenarioList,
		classPath:                          l.class,
		buildPath:                          l.build,
		templates.LabIndexPath + "/{name}": l.kept(l.scenario),
		ownPath:                            l.inOwn(l.scenario),
	}
	for path, answer := range routes {
		routes[path] = inTime(answer)
	}
	return routes
}

// ownPath is where a reader's own protocols are.
const ownPath = templates.LabIndexPath + "/" + lab.OwnPrefix + "{name}"

// inOwn looks for the name among a reader's own protocols. If the code panics, the answer says where.
func (l *Lab) inOwn(answer handler) handler {
	return func(w http.ResponseWriter, r *http.Request, page templates.Page) (response templates.Response, err error) {
		name := lab.OwnPrefix + r.PathValue("name")
		r.SetPathValue("name", name)
		defer func() {
			cause := recover()
			failure, is := cause.(error)
			if _, fault := cause.(runtime.Error); cause != nil && (fault || !is) {
				panic(cause)
			}
			var refusal *templates.Refusal
			switch {
			case errors.As(failure, &refusal), errors.Is(failure, context.DeadlineExceeded), errors.Is(failure, context.Canceled):
				err = failure // there was no time
			case failure != nil:
				words, _, _ := strings.Cut(failure.Error(), "\n") // the stack comes after that
				l.failures.Store(name, words)
				err = refuseCode(words)
			}
		}()
		return answer(w, r, page)
	}
}

// find returns the scenario of that name.
func (l *Lab) find(name string) (modelcheck.Case, error) {
	cases := l.cases()
	at := slices.IndexFunc(cases, func(c modelcheck.Case) bool { return c.Name == name })
	if at < 0 {
		return modelcheck.Case{}, &templates.Refusal{Problem: templates.Problem{
			Status: http.StatusNotFound, Title: "The lab has no such level",
			Detail: "The address may be mistyped.", Links: []templates.Link{labLink()},
		}}
	}
	if cases[at].Part != modelcheck.Own {
		return cases[at], nil
	}
	failure := l.recordOf(name).Failure
	if later, failed := l.failures.Load(name); failed {
		failure = later.(string)
	}
	if failure != "" { // its code is not run again
		return modelcheck.Case{}, refuseCode(failure)
	}
	return cases[at], nil
}

func refuseCode(failure string) error {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusUnprocessableEntity, Title: "The code of this protocol fails",
		Detail: "When it was run: " + failure + ". Mend it, and start the program again (make dev does).", Links: []templates.Link{labLink()},
	}}
}

func labLink() templates.Link {
	return templates.Link{Label: "All levels", URL: templates.LabIndexPath}
}

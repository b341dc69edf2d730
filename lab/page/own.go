package page

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
	"microblogging/templates"
)

// ownTime is how long each scenario of a reader's own protocol is searched, when it is first asked for.
const ownTime = 2 * time.Second

// beginTime is how long the first index waits for the search of all. Those that come with the lab take a part of that.
const beginTime = time.Second

// ownRecords are what a search has found in the reader's own protocols. It is safe for concurrent use. A page waits for its
// own protocol alone, and the index hardly at all.
type ownRecords struct {
	// protocols has a *ownProtocol for each name without a safeguard.
	protocols sync.Map
	all       sync.Once
}

// An ownProtocol is searched once.
type ownProtocol struct {
	once    sync.Once
	done    chan struct{}
	records []modelcheck.Record
}

// pageTime is how long the code of a reader's own protocol may take for one page.
const pageTime = 5 * time.Second

// inItsTurn works on a scenario when its turn has come. Readers' own protocols have turns of their own, so that one that
// takes long makes no page wait but theirs. They end with their request, and after pageTime.
func inItsTurn[T any](ctx context.Context, l *Lab, q request, work func(context.Context, request) (T, error)) (T, error) {
	if q.Part != modelcheck.Own {
		return inTurn(ctx, l.replays, func() (T, error) { return work(ctx, q) })
	}
	return inTurn(ctx, l.ownReplays, func() (T, error) {
		within, cancel := context.WithTimeoutCause(ctx, pageTime, refuseSlow(q.Name))
		defer cancel()
		q.Until = within
		return work(within, q)
	})
}

func refuseSlow(name string) error {
	return &templates.Refusal{Problem: templates.Problem{
		Status: http.StatusUnprocessableEntity, Title: "This protocol takes too long",
		Detail: "The code of " + name + " took longer than " + pageTime.String() + " for this page. Let it make fewer calls or write shorter values, and do less between two calls.",
		Links:  []templates.Link{labLink()},
	}}
}

// searchTurns are those in which a scenario is searched.
func (l *Lab) searchTurns(q request) turn {
	if q.Part == modelcheck.Own {
		return l.ownSearches
	}
	return l.searches
}

// protocolOf is the name of the protocol that a safeguard is taken out of, or the name as it is.
func protocolOf(name string) string {
	name, _, _ = strings.Cut(name, "-without-")
	return name
}

// search searches a protocol, or waits until another request has.
func (o *ownRecords) search(cases []modelcheck.Case, name string) []modelcheck.Record {
	p := o.protocol(name)
	p.once.Do(func() {
		var mine []modelcheck.Case
		for _, c := range cases {
			if c.Part == modelcheck.Own && protocolOf(c.Name) == protocolOf(name) {
				mine = append(mine, c)
			}
		}
		p.records = recordsOfOwn(mine)
		close(p.done)
	})
	return p.records
}

// known are the records of a protocol, if it was searched.
func (o *ownRecords) known(name string) (records []modelcheck.Record, searched bool) {
	p := o.protocol(name)
	select {
	case <-p.done:
		return p.records, true
	default:
		return nil, false
	}
}

func (o *ownRecords) protocol(name string) *ownProtocol {
	p, _ := o.protocols.LoadOrStore(protocolOf(name), &ownProtocol{done: make(chan struct{})})
	return p.(*ownProtocol)
}

// begin searches all of them, one after the other. Only its first call waits for that, for beginTime.
func (o *ownRecords) begin(cases []modelcheck.Case) {
	o.all.Do(func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, c := range cases {
				if c.Part == modelcheck.Own {
					o.search(cases, c.Name)
				}
			}
		}()
		select {
		case <-done:
		case <-time.After(beginTime):
		}
	})
}

// recordsOfOwn are what a search finds in the scenarios of each protocol. Code that has failed is not run again without a
// safeguard: a loop that does not end takes a processor for good.
func recordsOfOwn(cases []modelcheck.Case) (records []modelcheck.Record) {
	var failed modelcheck.Record
	for _, c := range cases {
		if failed.Name != "" && protocolOf(c.Name) == failed.Name {
			records = append(records, modelcheck.Record{Name: c.Name, Failure: "as " + failed.Name + ": " + failed.Failure})
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), ownTime)
		result, whole, err := c.Try(ctx)
		switch {
		case err != nil:
			failure, _, _ := strings.Cut(err.Error(), "\n") // the stack comes after that
			failed = modelcheck.Record{Name: c.Name, Failure: failure}
			records = append(records, failed)
		case result.Finding != nil || whole:
			records = append(records, result.Record())
		}
		cancel()
	}
	return records
}

// recordOf is what the model checker has found in a scenario. It is empty if that is nothing.
func (l *Lab) recordOf(name string) modelcheck.Record {
	record, found := modelcheck.About(l.known(), name)
	if !found && strings.HasPrefix(name, lab.OwnPrefix) {
		record, _ = modelcheck.About(l.own.search(l.cases(), name), name)
	}
	return record
}

// foundInOwn says what was found in a reader's own scenario, if it was searched by now.
func (l *Lab) foundInOwn(c modelcheck.Case) string {
	record, found := modelcheck.About(l.known(), c.Name)
	records, searched := l.own.known(c.Name)
	later, failed := l.failures.Load(c.Name)
	switch {
	case failed: // which only a page has shown
		record = modelcheck.Record{Failure: later.(string)}
	case found:
	case !searched:
		return "is being searched: load this page again"
	default:
		record, _ = modelcheck.About(records, c.Name)
	}
	return foundIn(c, record)
}

package page

import (
	"microblogging/lab/modelcheck"
	"microblogging/lab/toy"
)

// Judged is a lab that knows the verdict on a condition.
func (l *Lab) Judged(address string, v toy.Verdict) *Lab {
	l.verdicts.Store(address, v)
	return l
}

// With replaces the scenarios.
func (l *Lab) With(cases ...modelcheck.Case) *Lab {
	l.cases = func() []modelcheck.Case { return cases }
	return l
}

// Stale says whether the code has changed since its states were searched.
func (l *Lab) Stale(stale bool) *Lab {
	l.stale = func() bool { return stale }
	return l
}

// Knows makes these what the model checker has found.
func (l *Lab) Knows(records ...modelcheck.Record) *Lab {
	l.known = func() []modelcheck.Record { return records }
	return l
}

// Fails makes the code of a reader's own protocol one that fails.
func (l *Lab) Fails(name, failure string) *Lab {
	return l.Knows(modelcheck.Record{Name: name, Failure: failure})
}

// RecordsOfOwn are what a search finds in each case.
var RecordsOfOwn = recordsOfOwn

// FoundIn is what the index says about a reader's own protocol.
var FoundIn = foundIn

// FailsLater makes the code of a reader's own protocol one that has failed when its page was made.
func (l *Lab) FailsLater(name, failure string) *Lab {
	l.failures.Store(name, failure)
	return l
}

package page

import "microblogging/lab/modelcheck"

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

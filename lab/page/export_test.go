package page

import "microblogging/lab/prove"

// With replaces the scenarios.
func (l *Lab) With(cases ...prove.Case) *Lab {
	l.cases = func() []prove.Case { return cases }
	return l
}

// Stale says whether the code has changed since its states were searched.
func (l *Lab) Stale(stale bool) *Lab {
	l.stale = func() bool { return stale }
	return l
}

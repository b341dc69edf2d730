package page

import "microblogging/lab/prove"

// With replaces the scenarios.
func (l *Lab) With(cases ...prove.Case) *Lab {
	l.cases = func() []prove.Case { return cases }
	return l
}

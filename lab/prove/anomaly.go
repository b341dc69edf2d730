package prove

import (
	"slices"

	"microblogging/domain"
)

// An Anomaly is one of the four ways in which the textbook version is wrong.
type Anomaly struct {
	// Name is that of the textbook scenario that shows it: "A1".
	Name  string
	Title string
	// Laws are the laws of the shipped code whose breach is the same anomaly there.
	Laws []string
}

// Anomalies are the four. The laws of the textbook version have the anomalies' names; the
// invariants of package domain are finer:
//
//   - A1 is I1: a row is left of a channel that is gone.
//   - A2 is I2 and I3: the deletion of one incarnation hurts another, or what was
//     acknowledged is gone and nobody asked for that.
//   - A3 is I5: a deletion comes to no end.
//   - A4 is A4 and I7: a request is taken for somebody else's, so that its sender is told
//     that the name is taken, or that two posts are made.
//
// I4, I6, I8, I9 and I10 are about what the textbook version does not have.
func Anomalies() []Anomaly {
	return []Anomaly{
		{"A1", "orphan post", []string{"I1"}}, {"A2", "resurrection damage", []string{"I2", "I3"}},
		{"A3", "stuck intent", []string{"I5"}}, {"A4", "echo", []string{"A4", "I7"}},
	}
}

// shownBy is the first breach that is the anomaly, in a scenario of that part.
func (a Anomaly) shownBy(part Part, breaches []domain.Breach) (law string, ok bool) {
	laws := a.Laws
	if part == Textbook {
		laws = []string{a.Name}
	}
	at := slices.IndexFunc(breaches, func(b domain.Breach) bool { return slices.Contains(laws, b.Invariant) })
	if at < 0 {
		return "", false
	}
	return breaches[at].Invariant, true
}

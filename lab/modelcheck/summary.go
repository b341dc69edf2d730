package modelcheck

import (
	"fmt"

	"microblogging/lab"
)

// A Summary is the sum of results.
type Summary struct {
	lab.Counts
	// All counts the results of each part, and OK those that are as expected.
	All, OK [TextbookFault + 1]int
	// Shortfalls are the others.
	Shortfalls []Result
}

// Add adds one result.
func (s *Summary) Add(r Result) {
	s.Schedules += r.Schedules
	s.States += r.States
	s.Steps += r.Steps
	s.All[r.Part]++
	if r.OK() {
		s.OK[r.Part]++
	} else {
		s.Shortfalls = append(s.Shortfalls, r)
	}
}

func (s Summary) String() string {
	return fmt.Sprintf("schedules=%d states=%d steps=%d violations=%d textbook=%d/%d ablations=%d/%d textbook-faults=%d/%d",
		s.Schedules, s.States, s.Steps, s.All[Real]-s.OK[Real], s.OK[Textbook], s.All[Textbook],
		s.OK[Ablated], s.All[Ablated], s.OK[TextbookFault], s.All[TextbookFault])
}

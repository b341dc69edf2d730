package prove

import (
	"fmt"

	"microblogging/lab"
)

// A Summary is the sum of results.
type Summary struct {
	lab.Counts
	Violations            int
	Textbook, TextbookAll int
	Ablated, AblatedAll   int
	Mishap, MishapAll     int
	// Shortfalls are the results that are not the expected ones.
	Shortfalls []Result
}

// Add adds one result.
func (s *Summary) Add(r Result) {
	s.Counts = s.Counts.Plus(r.Counts)
	one := 1
	if !r.OK() {
		s.Shortfalls = append(s.Shortfalls, r)
		one = 0
	}
	switch r.Part {
	case Real:
		s.Violations += 1 - one
	case Textbook:
		s.Textbook += one
		s.TextbookAll++
	case Ablated:
		s.Ablated += one
		s.AblatedAll++
	case Mishap:
		s.Mishap += one
		s.MishapAll++
	}
}

func (s Summary) String() string {
	return fmt.Sprintf("schedules=%d states=%d steps=%d violations=%d textbook=%d/%d ablations=%d/%d mishaps=%d/%d",
		s.Schedules, s.States, s.Steps, s.Violations, s.Textbook, s.TextbookAll, s.Ablated, s.AblatedAll, s.Mishap, s.MishapAll)
}

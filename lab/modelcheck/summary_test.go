package modelcheck_test

import (
	"strings"
	"testing"

	"microblogging/lab/modelcheck"
)

func TestSummary(t *testing.T) {
	t.Run("a textbook fault counts, and one that breaks nothing is a shortfall", func(t *testing.T) {
		var cases []modelcheck.Case
		for _, c := range modelcheck.Cases() {
			if c.Part == modelcheck.TextbookFault {
				cases = append(cases, c)
			}
		}
		cases[0].Faults = 0
		s := modelcheck.All(cases, 1, func(modelcheck.Result) {})
		if got := s.String(); len(s.Shortfalls) != 1 || !strings.HasSuffix(got, " violations=0 textbook=0/0 ablations=0/0 textbook-faults=2/3") {
			t.Errorf("summary %s, shortfalls %v", got, s.Shortfalls)
		}
	})
}

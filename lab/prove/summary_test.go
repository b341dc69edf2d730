package prove_test

import (
	"strings"
	"testing"

	"microblogging/lab/prove"
)

func TestSummary(t *testing.T) {
	t.Run("each mishap counts in the last line", func(t *testing.T) {
		s := prove.All(mishaps(), 1, func(prove.Result) {})
		const want = " violations=0 textbook=0/0 ablations=0/0 mishaps=3/3"
		if got := s.String(); !strings.HasSuffix(got, want) {
			t.Errorf("the line is %s, want it to end in %s", got, want)
		}
	})
	t.Run("a mishap that breaks nothing is a shortfall", func(t *testing.T) {
		cases := mishaps()
		cases[0].Faults = 0
		if s := prove.All(cases, 1, func(prove.Result) {}); len(s.Shortfalls) != 1 || s.OK[prove.Mishap] != 2 {
			t.Errorf("summary %+v", s)
		}
	})
}

func mishaps() (list []prove.Case) {
	for _, c := range prove.Cases(true) {
		if c.Part == prove.Mishap {
			list = append(list, c)
		}
	}
	return list
}

package page_test

import (
	"regexp"
	"testing"
)

func TestWords(t *testing.T) {
	t.Run("a run is counted in steps, and in nothing else", runIsCountedInSteps)
	t.Run("a law is said in words wherever it is broken", lawIsSaidInWords)
}

// A step is a choice and what came of it: a call, or a mishap of the network.
func runIsCountedInSteps(t *testing.T) {
	s := newSite(t)
	other := regexp.MustCompile(`\d (call|choice)s?\b`)
	for _, path := range []string{
		"/lab", "/lab/A1", "/lab/A1?hint=1", "/lab/A1?s=ann&hint=1", "/lab/A1?s=ann,olga*2,w1*3,ann,w1*2", "/lab/A1?s=ann,olga*2,w1*3,ann,w1*2&show=1",
		"/lab/A1/compare", "/lab/late-copy?s=olga,olga:given-up,olga*2,w1*5,network:lands", "/lab/late-copy/compare", "/lab/open-gate/compare", "/lab/again",
	} {
		if found := other.FindString(s.get(path).want(200).text()); found != "" {
			t.Errorf("%s counts %q", path, found)
		}
	}
	s.get("/lab").says("par 9 steps")
	s.get("/lab/A1").says("Par: 9 steps.")
	s.get("/lab/A1?s=ann&hint=1").says("From here a shortest way has 8 steps.")
	s.get("/lab/A1?s=ann,olga*2,w1*3,ann,w1*2").says("Won in 9 steps.")
}

func lawIsSaidInWords(t *testing.T) {
	s := newSite(t)
	p := s.get("/lab").want(200).says("breaks I1 (“every row has its channel”)", "breaks I8 (“the indexes agree with the posts”) instead")
	if found := regexp.MustCompile(`breaks [IA]\d+ [^(]`).FindString(p.text()); found != "" {
		t.Errorf("the matrix says %q", found)
	}
}

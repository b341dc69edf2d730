package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"microblogging/lab"
	"microblogging/lab/modelcheck"
)

func TestShortfall(t *testing.T) {
	enough := lab.Counts{States: floorStates, Steps: floorSteps}
	for name, test := range map[string]struct {
		summary modelcheck.Summary
		fails   bool
	}{
		"all as expected passes":     {modelcheck.Summary{Counts: enough}, false},
		"an unexpected result fails": {modelcheck.Summary{Counts: enough, Shortfalls: []modelcheck.Result{{}}}, true},
		"too few states fails":       {modelcheck.Summary{Counts: lab.Counts{States: floorStates - 1, Steps: floorSteps}}, true},
		"too few steps fails":        {modelcheck.Summary{Counts: lab.Counts{States: floorStates, Steps: floorSteps - 1}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := shortfall(test.summary); errors.Is(err, errShortfall) != test.fails {
				t.Errorf("shortfall is %v", err)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	t.Run("the fingerprint is not written if the records are not", func(t *testing.T) {
		dir := t.TempDir()
		c := knownCmd{filepath.Join(dir, "known.json")}
		if err := os.Mkdir(c.File, 0o700); err != nil {
			t.Fatal(err)
		}
		err := c.write(nil)
		if _, missing := os.Stat(filepath.Join(dir, "known.code")); err == nil || missing == nil {
			t.Errorf("%v, and known.code is there: %t", err, missing == nil)
		}
	})
}

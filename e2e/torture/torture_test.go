package main

import (
	"testing"
	"time"

	"microblogging/e2e/program"
)

func TestTorture(t *testing.T) {
	t.Run("the program keeps its guarantees whatever happens to its processes", programKeepsGuarantees)
}

// The seed is always the same here; make torture takes any.
func programKeepsGuarantees(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes, which make check leaves to make test")
	}
	const length = 20 * time.Second
	err := inDir(func(dir string) error {
		binary, err := program.Build(t.Context(), dir, program.Raced)
		if err != nil {
			return err
		}
		report, err := Run(t.Context(), Options{Time: length, Seed: 1, Faults: allKinds, Binary: binary, Dir: dir, Tell: func(Report) {}})
		if err != nil {
			return err
		}
		t.Log(report)
		for _, v := range report.Violations {
			t.Error(v)
		}
		return verdict(report, length)
	})
	if err != nil {
		t.Error(err)
	}
}

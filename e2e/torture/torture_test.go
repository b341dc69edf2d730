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
	err := torture(t.Context(), Options{Time: 20 * time.Second, Seed: 1, Faults: allKinds, Race: program.Raced}, t.Output())
	if err != nil {
		t.Error(err)
	}
}

package main

import (
	"slices"
	"testing"
	"time"

	"microblogging/e2e/program"
)

// The program keeps its guarantees whatever happens to its processes.
//
// The seed is always the same here; make torture takes any. A wrong clock and a disk that hangs
// need all of Go's library compiled anew, so they are left to make torture.
func TestTorture(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes, which make check leaves to make test")
	}
	faults := slices.DeleteFunc(slices.Clone(allKinds), func(kind string) bool { return kind == "clock" || kind == "hang" })
	err := torture(t.Context(), Options{Time: 20 * time.Second, Seed: 1, Faults: faults, Race: program.Raced}, t.Output())
	if err != nil {
		t.Error(err)
	}
}

// Package e2e tests the program as its users meet it: the binary as a process of
// its own, over HTTP, on the embedded store and on a real Azurite.
//
// A process lives in a directory of its own and is asked for a free port, so
// that tests can run beside each other. Every process ends with its test, and
// fails it if it reported a data race.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is the program, built once for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "microblogging-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	binary = filepath.Join(dir, "microblogging")
	// Version control is left out: it may be missing, or refuse to look into a
	// checkout of another user.
	args := append([]string{"build", "-buildvcs=false", "-o", binary}, raceFlag...)
	build := exec.Command("go", append(args, "microblogging/cmd/microblogging")...)
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

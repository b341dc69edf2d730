// Package e2e tests the program as its users meet it: the binary as a process of
// its own, over HTTP, on the embedded store and on a real Azurite.
//
// A process lives in a directory of its own and is asked for a free port, so
// that tests can run beside each other. Every process ends with its test, and
// fails it if it reported a data race.
package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"microblogging/e2e/program"
)

// binary is the program, built once for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	flag.Parse()
	if testing.Short() {
		fmt.Println("every test here starts processes, which make check leaves to make test")
		return 0
	}
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
	if binary, err = program.Build(context.Background(), dir, program.Raced); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Package e2e tests the program as its users meet it.
//
// # The problem
//
// The tests of the other packages call functions. Flags, exit codes, signals, the
// Dockerfile, the compose file and the pages in a browser can be wrong although
// all functions are right.
//
// # The model
//
// Each test builds on the binary, which runs as a process and is reached over
// HTTP, on the embedded store or on a real Azurite. Package program supervises
// the processes, package client sends the requests; here both report to a test.
// The tests in browser/ are written for node's test runner, and each is shown as a
// subtest of TestBrowser. Command torture, which has a folder of its own, runs the
// program under load and faults.
//
// # What survives failure
//
// Each process has a working directory of its own and picks a free port, so tests
// run in parallel. A process ends with its test, and fails the test if it reported
// a data race. If a test binary is killed with SIGKILL, the processes that it
// started go on.
package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"microblogging/e2e/program"
)

// binary is the program, built once for all tests, and unraced is the same without the race
// detector, which takes several times the time and the memory.
var binary, unraced string

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
	if unraced, err = program.Build(context.Background(), dir, false); err == nil {
		binary = unraced
	}
	if err == nil && program.Raced {
		binary, err = program.Build(context.Background(), dir, true)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

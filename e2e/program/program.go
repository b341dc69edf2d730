// Package program builds MicroBlogging and supervises it as a process.
//
// # The problem
//
// The end-to-end tests and the torture both run the real binary: they build it,
// start it, wait until it listens, and stop, kill or freeze it. The tests report
// failures to a test, the torture to its history.
//
// # The model
//
// A [Setup] says which binary runs on which store. [Run] runs a command to its
// end. [Start] starts a process that goes on, and returns a [Process] to wait
// for and to signal. Every function returns an error; the caller decides whom
// to tell.
//
// # What survives failure
//
// No wait is longer than [Patience]. A process that does not end when it is
// asked to is killed. A process outlives its supervisor only if the supervisor
// is killed, so a caller that starts one must call its [Process.Kill].
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Patience bounds every wait for a process. The program does not promise to be
// that fast: it is when a test gives up on a busy machine.
const Patience = time.Minute

// Build builds the program into a directory, with the race detector if asked to and with
// more flags, and returns the file. It must be called inside the repository.
func Build(ctx context.Context, dir string, race bool, flags ...string) (binary string, err error) {
	binary = filepath.Join(dir, "microblogging")
	if race {
		binary += "-race"
	}
	// No version control: git may be missing, or may refuse to read a checkout
	// that belongs to another user.
	args := append([]string{"build", "-buildvcs=false", "-o", binary}, flags...)
	// As a release is built, or as the tests are (.ci/test), so that each package is compiled once.
	cgo := "CGO_ENABLED=0"
	if race {
		cgo = "CGO_ENABLED=1"
		args = append(args, "-race", "-gcflags=golang.org/x/crypto/argon2=-race=false")
	}
	build := exec.CommandContext(ctx, "go", append(args, "microblogging/cmd/microblogging")...)
	build.Env = append(os.Environ(), cgo)
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program (only possible inside its repository): %w\n%s", err, output)
	}
	return binary, nil
}

// A Setup says how to run the program: which binary, on which store.
type Setup struct {
	Binary string
	// Flags follow the name of the command.
	Flags []string
	// Environment is added to the caller's own.
	Environment []string
}

// Command prepares a command of the program: its name, then its arguments. It is
// killed when the context ends.
func (s Setup) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.Binary, slices.Concat([]string{name}, s.Flags, args)...)
	environment := slices.DeleteFunc(os.Environ(), func(variable string) bool { // those that set flags of the program
		return strings.HasPrefix(variable, "MICROBLOGGING_") || strings.HasPrefix(variable, "AZURE_")
	})
	cmd.Env = append(environment, s.Environment...)
	return cmd
}

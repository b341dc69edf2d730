package e2e

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/e2e/program"
)

// A setup is a program.Setup that reports to a test.
type setup struct{ program.Setup }

// run runs a command to its end.
func (s setup) run(t testing.TB, args ...string) program.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), program.Patience)
	defer cancel()
	cmd := s.Command(ctx, args[0], args[1:]...)
	cmd.Dir = t.TempDir()
	r, err := program.Run(cmd)
	ok(t, err)
	failOnRace(t, r.Stderr)
	return r
}

// mustRun is run for a command that has to succeed.
func (s setup) mustRun(t testing.TB, args ...string) program.Result {
	t.Helper()
	r := s.run(t, args...)
	if r.Code != 0 {
		t.Fatalf("%s: exit %d\n%s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
	}
	return r
}

// A process is a program.Process that reports to a test, and ends with it.
type process struct {
	*program.Process
	stderr *program.Log
	// url is where a web role listens; empty for anything else.
	url string
}

// start starts a role. A web role accepts requests when start returns.
func (s setup) start(t testing.TB, args ...string) *process {
	t.Helper()
	if (args[0] == "serve" || args[0] == "web") && !slices.Contains(args, "--undo") {
		args = append(slices.Clip(args), "--undo", "0") // so that a worker has something to do immediately
	}
	cmd := s.Command(context.WithoutCancel(t.Context()), args[0], args[1:]...)
	cmd.Dir = t.TempDir()
	p := launch(t, cmd)
	if args[0] != "worker" {
		var err error
		if p.url, err = p.AwaitURL(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// launch starts a process that ends with its test.
func launch(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{stderr: &program.Log{}}
	cmd.Stderr = p.stderr
	var err error
	if p.Process, err = program.Start(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.kill(t)
		failOnRace(t, p.stderr.String())
		if t.Failed() {
			t.Logf("%s wrote:\n%s", p, p.stderr)
		}
	})
	return p
}

// await waits until the process has written what the pattern matches, and
// returns the group of the pattern.
func (p *process) await(t testing.TB, log *program.Log, pattern string) string {
	t.Helper()
	group, err := p.Await(t.Context(), log, pattern)
	ok(t, err)
	return group
}

// endCleanly terminates a process that has no reason to complain.
func (p *process) endCleanly(t testing.TB) {
	t.Helper()
	if err := p.Terminate(); err != nil {
		t.Errorf("%s: %v\n%s", p, err, p.stderr)
	}
}

// kill is kill -9. It does nothing to a process that has ended.
func (p *process) kill(t testing.TB) {
	t.Helper()
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
}

// installed returns the file of a program that the test needs. In CI it must be there.
func installed(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatal(err)
	default:
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	}
	return path
}

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func failOnRace(t testing.TB, stderr string) {
	t.Helper()
	if strings.Contains(stderr, "WARNING: DATA RACE") {
		t.Errorf("data race:\n%s", stderr)
	}
}

// eventually waits until the condition holds and fails the test with its last
// error if that takes too long.
func eventually(t testing.TB, condition func() error) {
	t.Helper()
	deadline := time.After(program.Patience)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		err := condition()
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("after %s: %v", program.Patience, err)
		}
	}
}

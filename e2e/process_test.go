package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"microblogging/e2e/program"
)

// patience bounds every wait. It is no promise of the program but the point at
// which a test gives up, on a machine that is busy with others.
const patience = time.Minute

// A setup is how to run the program: the file, and where it finds its store.
type setup struct {
	binary string
	// flags follow the command.
	flags []string
	// environment is added to the test's own.
	environment []string
}

func (s setup) command(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	command, rest := args[0], args[1:]
	cmd := exec.CommandContext(ctx, s.binary, append(append([]string{command}, s.flags...), rest...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(program.Environ(), s.environment...)
	return cmd
}

// A result is what a command that has ended leaves behind.
type result struct {
	code           int
	stdout, stderr string
}

// run runs a command to its end.
func (s setup) run(t *testing.T, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := s.command(ctx, t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	failOnRace(t, stderr.String())
	return result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
}

// mustRun is run for a command that has to succeed.
func (s setup) mustRun(t *testing.T, args ...string) result {
	t.Helper()
	r := s.run(t, args...)
	if r.code != 0 {
		t.Fatalf("%s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}

// A process is one that was started and may still run.
type process struct {
	// url is where a web role listens; empty for anything else.
	url            string
	cmd            *exec.Cmd
	stdout, stderr *journal
	// ended is closed once the process has been waited for.
	ended chan struct{}
}

// start starts a role. A web role accepts requests when start returns.
func (s setup) start(t *testing.T, args ...string) *process {
	t.Helper()
	p := launch(t, s.command(context.WithoutCancel(t.Context()), t, args...))
	if args[0] != "worker" {
		p.url = p.await(t, p.stdout, `(?m)^listening on (http://\S+)$`)
	}
	return p
}

// launch starts a process that ends with its test.
func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, stdout: &journal{}, stderr: &journal{}, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // the exit code says it all
	}()
	t.Cleanup(func() {
		p.kill(t)
		failOnRace(t, p.stderr.String())
		if t.Failed() {
			t.Logf("%s wrote:\n%s", cmd, p.stderr)
		}
	})
	return p
}

// await waits until the process has written what the pattern matches, and
// returns the group in it.
func (p *process) await(t *testing.T, where *journal, pattern string) string {
	t.Helper()
	expression := regexp.MustCompile(pattern)
	var match []string
	eventually(t, func() error {
		if match = expression.FindStringSubmatch(where.String()); match != nil {
			return nil
		}
		select {
		case <-p.ended:
			t.Fatalf("ended with exit code %d before it wrote %q", p.cmd.ProcessState.ExitCode(), pattern)
		default:
		}
		return fmt.Errorf("it has not written %q", pattern)
	})
	return match[len(match)-1]
}

// terminate asks the process to end, as systemd or Docker do, and returns its
// exit code.
func (p *process) terminate(t *testing.T) int {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatalf("still runs %s after SIGTERM", patience)
	}
	return p.cmd.ProcessState.ExitCode()
}

// endCleanly is terminate for a process that has no reason to complain.
func (p *process) endCleanly(t *testing.T) {
	t.Helper()
	if code := p.terminate(t); code != 0 {
		t.Errorf("%s: exit %d after SIGTERM\n%s", p.cmd, code, p.stderr)
	}
}

// kill is kill -9. It does nothing to a process that has ended.
func (p *process) kill(t *testing.T) {
	t.Helper()
	p.signal(t, syscall.SIGKILL)
	<-p.ended
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
}

func failOnRace(t *testing.T, stderr string) {
	t.Helper()
	if strings.Contains(stderr, "WARNING: DATA RACE") {
		t.Errorf("data race:\n%s", stderr)
	}
}

// A journal keeps what a process writes, for reading while it still runs.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// eventually waits until the condition holds and fails the test with its last
// complaint if that takes too long.
func eventually(t *testing.T, condition func() error) {
	t.Helper()
	deadline := time.After(patience)
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
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}

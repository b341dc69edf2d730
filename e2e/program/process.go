package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// poll is the pause between two looks at what a process has written.
const poll = 10 * time.Millisecond

// A Result is what a command left behind when it ended.
type Result struct {
	// Code is the exit code.
	Code           int
	Stdout, Stderr string
}

// Run runs a command to its end. An exit code other than zero is no error; a
// command that could not start or was killed is one.
func Run(cmd *exec.Cmd) (Result, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		err = nil
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.String())
	}
	return Result{Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}, nil
}

// A Process is one that was started and may still run.
type Process struct {
	// Stdout is what it has written to standard output.
	Stdout Log

	cmd *exec.Cmd
	// ended is closed once the process has been waited for.
	ended chan struct{}
}

// Start starts a process and keeps its standard output. The caller decides about
// standard error, in the command.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	cmd.Stdout = &p.Stdout
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // the exit code says it all
	}()
	return p, nil
}

func (p *Process) String() string { return p.cmd.String() }

// Dir is the working directory of the process.
func (p *Process) Dir() string { return p.cmd.Dir }

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// State says how a process ended. It must not be called before that.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// AwaitURL waits until the process accepts requests, and returns its URL.
func (p *Process) AwaitURL(ctx context.Context) (string, error) {
	return p.Await(ctx, &p.Stdout, `(?m)^listening on (http://\S+)$`)
}

// Await waits until a log of the process matches a pattern. It returns the last
// group of the match, or all of the match if the pattern has no group. It fails
// after Patience, and when the process ends before.
func (p *Process) Await(ctx context.Context, log *Log, pattern string) (string, error) {
	expression := regexp.MustCompile(pattern)
	deadline := time.After(Patience)
	again := time.NewTicker(poll)
	defer again.Stop()
	for {
		ended := p.hasEnded() // before the look: what it wrote last counts
		if match := expression.FindStringSubmatch(log.String()); match != nil {
			return match[len(match)-1], nil
		}
		if ended {
			return "", fmt.Errorf("ended before it wrote %q: %v", pattern, p.State())
		}
		select {
		case <-again.C:
		case <-deadline:
			return "", fmt.Errorf("did not write %q within %s", pattern, Patience)
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Signal sends a signal. A process that has ended returns [os.ErrProcessDone].
func (p *Process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// Kill is kill -9, and waits for the end. It does nothing to a process that has
// ended.
func (p *Process) Kill() error {
	if err := p.Signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("SIGKILL: %w", err)
	}
	<-p.ended
	return nil
}

// Terminate asks the process to end, as systemd and Docker do, and waits for the
// end. The error says what was not clean about it: the process had ended before,
// took longer than Patience and was killed, or returned an exit code other than
// zero.
func (p *Process) Terminate() error {
	var err error
	if signalErr := p.Signal(syscall.SIGTERM); signalErr != nil {
		err = fmt.Errorf("SIGTERM: %w", signalErr)
	}
	select {
	case <-p.ended:
	case <-time.After(Patience):
		err = errors.Join(fmt.Errorf("still runs %s after SIGTERM", Patience), p.Kill())
	}
	if p.hasEnded() && !p.State().Success() {
		err = errors.Join(err, fmt.Errorf("%v after SIGTERM", p.State()))
	}
	return err
}

// A Log keeps what a process writes, and can be read while the process runs.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"microblogging/e2e/program"
)

// patience bounds every wait for a process.
const patience = time.Minute

// A role is one place in a site that a process takes: killed, another takes its
// place.
type role struct {
	name        string
	program     []string
	environment []string
	// tables and queue are what its process reaches its store by; nil on the
	// embedded one.
	tables, queue *wire
	// log keeps the standard error of all its processes.
	log string
	// moments are when it is worth hurting.
	moments *moments
	// accuse is told what a process did that none should.
	accuse func(format string, args ...any)

	mu      sync.Mutex
	process *process
}

// A process is one that was started.
type process struct {
	cmd *exec.Cmd
	// url is where it serves; empty if it is a worker.
	url string
	// ended is closed when the process has been waited for.
	ended chan struct{}
	// doomed is closed before somebody ends it.
	doomed chan struct{}
}

// serves tells whether the role answers requests.
func (r *role) serves() bool { return r.program[1] != "worker" }

// fronts tells whether the role is a web role and nothing else.
func (r *role) fronts() bool { return r.program[1] == "web" }

// works tells whether the role is a worker and nothing else.
func (r *role) works() bool { return r.program[1] == "worker" }

// cascades tells whether the role carries out deletions.
func (r *role) cascades() bool { return r.program[1] != "web" }

// wired tells whether the role reaches its store by wires.
func (r *role) wired() bool { return r.tables != nil }

// start starts a process and waits until it accepts requests.
func (r *role) start(ctx context.Context) error {
	log, err := os.OpenFile(r.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the process has its own descriptor
	cmd := exec.Command(r.program[0], r.program[1:]...)
	cmd.Dir = filepath.Dir(r.log)
	cmd.Env = append(program.Environ(), r.environment...)
	cmd.Stderr = log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p := &process{cmd: cmd, ended: make(chan struct{}), doomed: make(chan struct{})}
	listening := make(chan string, 1)
	go r.watch(p, stdout, listening)
	if r.serves() {
		if p.url, err = p.await(ctx, listening); err != nil {
			p.end()
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	r.mu.Lock()
	r.process = p
	r.mu.Unlock()
	return nil
}

// watch reads what the process prints, waits for its end, and accuses it if
// nobody wanted that.
func (r *role) watch(p *process, stdout io.Reader, listening chan<- string) {
	defer close(p.ended)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			listening <- url
		}
	}
	_, _ = io.Copy(io.Discard, stdout) // a line too long for the scanner, which nobody needs
	err := p.cmd.Wait()
	select {
	case <-p.doomed:
	default:
		r.accuse("%s ended by itself: %v", r.name, err)
	}
}

func (p *process) await(ctx context.Context, listening <-chan string) (string, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case url := <-listening:
		return url, nil
	case <-p.ended:
		return "", errors.New("it ended before it listened")
	case <-timer.C:
		return "", fmt.Errorf("it does not listen after %s", patience)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// current is the process in this place; nil while there is none.
func (r *role) current() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process
}

// take is current, and leaves the place empty.
func (r *role) take() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.process
	r.process = nil
	return p
}

// kill is kill -9. It reports whether there was a process.
func (r *role) kill() bool {
	p := r.take()
	if p == nil {
		return false
	}
	p.end()
	return true
}

func (p *process) end() {
	close(p.doomed)
	_ = p.cmd.Process.Kill() // fails if it has ended, which watch reports
	<-p.ended
}

// stop freezes the process until the function that it returns is called, which
// tells whether that woke it: another fault may have killed it meanwhile.
func (r *role) stop() (wake func() bool) {
	p := r.current()
	if p == nil || p.cmd.Process.Signal(syscall.SIGSTOP) != nil {
		return func() bool { return false }
	}
	return func() bool {
		return p.cmd.Process.Signal(syscall.SIGCONT) == nil && r.current() == p
	}
}

// terminate asks the process to end, as systemd or Docker do, and accuses it if
// it does not do so cleanly.
func (r *role) terminate() {
	p := r.take()
	if p == nil {
		return
	}
	close(p.doomed)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.accuse("%s: SIGTERM: %v", r.name, err)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.ended:
	case <-timer.C:
		r.accuse("%s still runs %s after SIGTERM", r.name, patience)
		_ = p.cmd.Process.Kill() // fails if it has ended
		<-p.ended
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		r.accuse("%s: exit %d after SIGTERM", r.name, code)
	}
}

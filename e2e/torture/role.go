package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"microblogging/e2e/program"
)

// A role is one place in a site, which one process at a time takes. When that
// is killed, another takes its place.
type role struct {
	name string
	site *site
	// setup, command and args are how its processes are started.
	setup   program.Setup
	command string
	args    []string
	// tables and queue are the wires between its process and the store; nil on the
	// embedded store.
	tables, queue *wire
	// ahead is how far the clock of its process is ahead of the site's time.
	ahead time.Duration
	// replacing is held while one process takes the place of another.
	replacing sync.Mutex
	// log keeps the standard error of all its processes.
	log string

	mu      sync.Mutex
	process *process
}

// A process is one that was started, and is expected to go on until the torture
// ends it.
type process struct {
	*program.Process
	// url is where it serves; empty if it is a worker.
	url string
	// doomed is closed before the torture ends it.
	doomed chan struct{}
	// logged is how long the log was when it was started.
	logged int64
	// judged is closed once it has ended and was accused if the torture did not end it.
	judged chan struct{}
}

// serves reports whether the role answers requests.
func (r *role) serves() bool { return r.command != "worker" }

// works reports whether the role is a worker and nothing else.
func (r *role) works() bool { return r.command == "worker" }

// deletes reports whether the role carries out deletions.
func (r *role) deletes() bool { return r.command != "web" }

// wired reports whether the role reaches its store by wires.
func (r *role) wired() bool { return r.tables != nil }

// embeds reports whether the role has the store in its process.
func (r *role) embeds() bool { return r.tables == nil }

// start starts a process and waits until it accepts requests.
func (r *role) start(ctx context.Context) error {
	log, err := os.OpenFile(r.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the process has its own descriptor
	before, err := log.Stat()
	if err != nil {
		return err
	}
	args := r.args
	if r.serves() {
		args = append(slices.Clip(args), "--undo", r.site.undoTime().String(), "--undo-account", r.site.undoAccount.String())
	}
	cmd := r.setup.Command(context.WithoutCancel(ctx), r.command, args...)
	cmd.Env = append(cmd.Env, r.site.clockOf(r.ahead)...)
	cmd.Dir, cmd.Stderr = filepath.Dir(r.log), log
	started, err := program.Start(cmd)
	if err != nil {
		return err
	}
	p := &process{Process: started, doomed: make(chan struct{}), logged: before.Size(), judged: make(chan struct{})}
	go r.watch(p)
	if r.serves() {
		if p.url, err = p.AwaitURL(ctx); err != nil {
			close(p.doomed)
			return errors.Join(p.Kill(), fmt.Errorf("%s: %w", r.name, err))
		}
	}
	r.mu.Lock()
	r.process = p
	r.mu.Unlock()
	return nil
}

// watch waits for the end of a process, and accuses it if the torture did not end it.
func (r *role) watch(p *process) {
	defer close(p.judged)
	<-p.Ended()
	select {
	case <-p.doomed:
	default:
		r.site.history.accuse("%s ended by itself: %v", r.name, p.State())
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
func (r *role) kill() bool { return r.end((*program.Process).Kill) }

// terminate asks the process to end, and accuses it if it does not end cleanly.
func (r *role) terminate() { r.end((*program.Process).Terminate) }

func (r *role) end(how func(*program.Process) error) bool {
	p := r.take()
	if p == nil {
		return false
	}
	close(p.doomed)
	if err := how(p.Process); err != nil && !r.unbegun(p) {
		r.site.history.accuse("%s: %v", r.name, err)
		return true
	}
	<-p.judged
	return true
}

// unbegun reports whether SIGTERM ended a process that had not come to where it takes signals, which
// takes a second on a busy machine. It has logged nothing.
func (r *role) unbegun(p *process) bool {
	status, ok := p.State().Sys().(syscall.WaitStatus)
	log, err := os.Stat(r.log)
	return ok && status.Signal() == syscall.SIGTERM && err == nil && log.Size() == p.logged
}

// freeze stops the process with SIGSTOP until wake is called. wake reports
// whether the process slept until then: another fault may have killed it.
func (r *role) freeze() (wake func() bool) {
	p := r.current()
	if p == nil || p.Signal(syscall.SIGSTOP) != nil {
		return func() bool { return false }
	}
	return func() bool {
		return p.Signal(syscall.SIGCONT) == nil && r.current() == p
	}
}

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"golang.org/x/sync/errgroup"

	"microblogging/cmd/microblogging/telemetry"
	"microblogging/storage/bolt"
	"microblogging/web"
	"microblogging/worker"
)

// memoryShare is how much of the control group's memory limit Go may use. The rest is for what
// it does not count: the kernel's buffers, and pages of files that are in use.
const memoryShare = 0.8

// garbage is how much of it, in percent of what is in use, there may be before Go collects it. Go's own 100
// took 7 % more of a page's processor time.
const garbage = 200

type serveCommand struct {
	webFlags     `embed:""`
	workerFlags  `embed:""`
	roleFlags    `embed:""`
	storageFlags `embed:""`
}

// Run serves both roles until ctx ends.
func (c serveCommand) Run(ctx context.Context, console *console) error {
	return process{c.storageFlags, c.roleFlags, &c.webFlags, &c.workerFlags}.run(ctx, console)
}

type webCommand struct {
	webFlags     `embed:""`
	roleFlags    `embed:""`
	storageFlags `embed:""`
}

// Run serves the web role until ctx ends.
func (c webCommand) Run(ctx context.Context, console *console) error {
	return process{c.storageFlags, c.roleFlags, &c.webFlags, nil}.run(ctx, console)
}

type workerCommand struct {
	workerFlags  `embed:""`
	roleFlags    `embed:""`
	storageFlags `embed:""`
}

// Run serves the worker role until ctx ends.
func (c workerCommand) Run(ctx context.Context, console *console) error {
	return process{c.storageFlags, c.roleFlags, nil, &c.workerFlags}.run(ctx, console)
}

// A process is one with a role, or with both. A role that it has not is nil.
type process struct {
	storageFlags
	roleFlags
	web    *webFlags
	worker *workerFlags
}

// run opens the store, starts the roles, and waits until all has ended: when one part fails,
// or after the delay when ctx ends.
func (p process) run(ctx context.Context, console *console) (err error) {
	signal.Ignore(syscall.SIGPIPE) // a role whose log or output has lost its reader goes on
	log, stop := p.logger(console.stderr)
	defer stop()
	began, told := time.Now(), ctx
	var b *backend
	defer func() {
		if b == nil { // it did not start, and standard error has the reason
			return
		}
		if err != nil {
			log.ErrorContext(ctx, "process stopped", "uptime", time.Since(began), "error", err)
			return
		}
		log.InfoContext(ctx, "process stopped", "uptime", time.Since(began), "reason", context.Cause(told))
	}()
	defer context.AfterFunc(told, func() {
		log.InfoContext(told, "process stopping", "reason", context.Cause(told), "drain_delay", p.DrainDelay)
	})()
	for _, name := range console.unknown {
		log.WarnContext(ctx, "unknown environment variable has no effect", "variable", name)
	}
	// A busy site makes much garbage and keeps little.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	// Before it needs much: Go then collects garbage instead of being killed. Without a limit,
	// or with GOMEMLIMIT, nothing changes.
	if _, err := memlimit.Set(memlimit.WithRatio(memoryShare)); err != nil {
		log.InfoContext(ctx, "could not read the memory limit of this process", "error", err)
	}
	var meter *telemetry.Telemetry
	if p.AdminListen != "" || p.HealthListen != "" {
		meter = telemetry.New(telemetry.Options{Version: buildVersion(), Role: p.role(), Log: log})
	}
	at, err := p.listen() // before there is a store
	defer at.close()      // a server that has ended has closed its own already
	if err != nil {
		return err
	}
	there, unknown := bolt.Exists(p.Data)
	b, start, err := p.openStore(ctx, log, meter, at)
	if b == nil {
		return err
	}
	logAlways(ctx, log, "process started", "role", p.role(), "version", buildVersion(), "instance", rand.Text(),
		"store", b.name, "listen", addressOf(at.web), "health_listen", addressOf(at.health), "admin_listen", addressOf(at.admin))
	defer func() { err = errors.Join(err, b.close()) }()
	if b.local && p.role() != "serve" {
		log.WarnContext(ctx, "the embedded store has one process, so the other role cannot run: use serve, which has both", "role", p.role())
	}
	if b.local && !there && unknown == nil {
		log.InfoContext(ctx, "the directory had no store: created a new store, which is empty", "data", p.Data)
	}
	b.draining = ctx.Done()
	ctx, cancel := delayed(ctx, p.DrainDelay)
	defer cancel()
	run, ctx := errgroup.WithContext(ctx)
	prepared := b.local                            // by openStore
	if p.web != nil && p.web.Sample && !prepared { // the sample is written before the first request
		if err := start.prepare(ctx, b); err != nil || ctx.Err() != nil {
			return err
		}
		prepared = true
	}
	run.Go(func() error {
		if !prepared {
			if err := start.prepare(ctx, b); err != nil {
				return err
			}
		}
		return start.watch(ctx, b)
	})
	if p.web != nil {
		b.site, b.address = p.web.BaseURL.url, publicAddress(at.web.Addr())
	}
	stopOperators := at.serveOperators(ctx, b, p.hosts(), log)
	defer func() { err = errors.Join(err, stopOperators()) }()
	run.Go(func() error {
		watchClock(ctx, start.tried, b.under.Capabilities().Clock, log)
		return nil
	})
	run.Go(func() error { return p.start(ctx, console, log, b, at.web, run) })
	return run.Wait()
}

// role returns the name of the command.
func (p process) role() string {
	switch {
	case p.worker == nil:
		return "web"
	case p.web == nil:
		return "worker"
	}
	return "serve"
}

// hosts are the names that the listeners answer to.
func (p process) hosts() web.Hosts {
	var site *url.URL
	if p.web != nil {
		site = p.web.BaseURL.url
	}
	var names []string
	for _, name := range p.Host {
		names = append(names, string(name))
	}
	return web.NewHosts(site, names)
}

// addressOf returns the address of a listener, for the log.
func addressOf(listener net.Listener) string {
	if listener == nil {
		return "off"
	}
	return listener.Addr().String()
}

// listeners are where a process listens. A listener that the flags do not name is nil. A client that connects while the
// store is being opened waits for its answer.
type listeners struct{ health, admin, web net.Listener }

// listen listens at the addresses of the flags. The listeners must be closed, also after an error.
func (p process) listen() (at listeners, err error) {
	if p.HealthListen != "" {
		at.health, err = listen("--health-listen", p.HealthListen)
	}
	if err == nil && p.AdminListen != "" {
		at.admin, err = listen("--admin-listen", p.AdminListen)
	}
	if err == nil && p.web != nil {
		at.web, err = listen("--listen", p.web.Listen)
	}
	return at, err
}

// close frees the addresses.
func (at listeners) close() {
	for _, listener := range []net.Listener{at.health, at.admin, at.web} {
		if listener != nil {
			_ = listener.Close() // nothing was written
		}
	}
}

// start starts the roles in the group.
func (p process) start(ctx context.Context, console *console, log *slog.Logger, b *backend, at net.Listener, run *errgroup.Group) error {
	if p.worker != nil {
		options := p.worker.options(log)
		if b.told != nil {
			options.Observer = b.told
		}
		log.InfoContext(ctx, "worker started", "lease", options.Lease, "concurrency", options.Concurrency)
		run.Go(func() error {
			worker.New(b.Steps, options).Run(ctx)
			return nil
		})
	}
	if p.web == nil {
		return nil
	}
	return p.web.serve(ctx, console, log, b, p.hosts(), at, run)
}

// delayed returns a context that ends when ctx has ended a while ago, or when cancel is called.
func delayed(ctx context.Context, delay time.Duration) (later context.Context, cancel context.CancelFunc) {
	later, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(delay):
		case <-later.Done():
		}
		end()
	})
	return later, func() { stop(); end() }
}

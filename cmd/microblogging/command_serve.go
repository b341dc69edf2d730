package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"golang.org/x/sync/errgroup"

	"microblogging/cmd/microblogging/metrics"
	"microblogging/storage/bolt"
	"microblogging/worker"
)

// memoryShare is how much of the control group's memory limit Go may use. The rest is for what
// it does not count: the kernel's buffers, and pages of files that are in use.
const memoryShare = 0.8

type serveCommand struct {
	storageFlags `embed:""`
	webFlags     `embed:""`
	workerFlags  `embed:""`
	stopFlags    `embed:""`
	adminFlags   `embed:""`
	teachFlags   `embed:""`
	logFlags     `embed:""`
}

// Validate is called by kong. It is not called for embedded flags.
func (c serveCommand) Validate() error {
	return errors.Join(c.webFlags.Validate(), c.workerFlags.Validate())
}

// Run serves both roles until ctx ends.
func (c serveCommand) Run(ctx context.Context, console *console) error {
	log, stop := c.logger(console.stderr)
	defer stop()
	return c.serve(ctx, console, c.stopFlags, c.adminFlags, metrics.Roles{Web: true, Worker: true}, log, func(ctx context.Context, b *backend, run *errgroup.Group) error {
		teach := c.Teach || c.Sample
		c.work(ctx, log, b, run, teach)
		return c.listen(ctx, console, log, b, run, teach)
	})
}

type webCommand struct {
	storageFlags `embed:""`
	webFlags     `embed:""`
	stopFlags    `embed:""`
	adminFlags   `embed:""`
	teachFlags   `embed:""`
	logFlags     `embed:""`
}

// Run serves the web role until ctx ends.
func (c webCommand) Run(ctx context.Context, console *console) error {
	log, stop := c.logger(console.stderr)
	defer stop()
	return c.serve(ctx, console, c.stopFlags, c.adminFlags, metrics.Roles{Web: true}, log, func(ctx context.Context, b *backend, run *errgroup.Group) error {
		return c.listen(ctx, console, log, b, run, c.Teach || c.Sample)
	})
}

type workerCommand struct {
	storageFlags `embed:""`
	workerFlags  `embed:""`
	HealthListen string `placeholder:"ADDR" help:"The address to answer /healthz and /readyz on. Port 0 picks a free port. Without it they are not answered."`
	stopFlags    `embed:""`
	adminFlags   `embed:""`
	teachFlags   `embed:""`
	logFlags     `embed:""`
}

// Run serves the worker role until ctx ends. The probes are answered until the work
// has ended.
func (c workerCommand) Run(ctx context.Context, console *console) error {
	log, stop := c.logger(console.stderr)
	defer stop()
	return c.serve(ctx, console, c.stopFlags, c.adminFlags, metrics.Roles{Worker: true}, log, func(ctx context.Context, b *backend, run *errgroup.Group) error {
		probes, workEnded := context.WithCancel(context.WithoutCancel(ctx))
		if c.HealthListen != "" {
			if err := listenHealth(probes, c.HealthListen, log, b, run); err != nil {
				workEnded()
				return err
			}
		}
		log.InfoContext(ctx, "worker started", "lease", c.Lease, "concurrency", c.Concurrency)
		run.Go(func() error {
			defer workEnded()
			c.worker(log, b, c.Teach).Run(ctx)
			return nil
		})
		return nil
	})
}

// work starts the worker role in the group.
func (f workerFlags) work(ctx context.Context, log *slog.Logger, b *backend, run *errgroup.Group, teach bool) {
	run.Go(func() error {
		f.worker(log, b, teach).Run(ctx)
		return nil
	})
}

// worker returns a worker on the store.
func (f workerFlags) worker(log *slog.Logger, b *backend, teach bool) *worker.Worker {
	options := f.options(log, teach)
	options.Observer = worker.Observers(b.observers.deliveries...)
	return worker.New(b.Store, options)
}

// serve opens the store, calls start, and waits until all that start put into
// the group has ended. The group ends when one part fails, or after the delay when
// ctx ends. If the process is told a second time to stop, the delay ends.
func (f storageFlags) serve(ctx context.Context, console *console, stop stopFlags, operator adminFlags, roles metrics.Roles, log *slog.Logger,
	start func(context.Context, *backend, *errgroup.Group) error,
) (err error) {
	if stop.DrainDelay < 0 {
		return cannotRunError{fmt.Errorf("--drain-delay must be 0s or more, not %s", stop.DrainDelay)}
	}
	// Before it needs much: Go then collects garbage instead of being killed. Without a limit,
	// or with GOMEMLIMIT, nothing changes.
	if _, err := memlimit.Set(memlimit.WithRatio(memoryShare)); err != nil {
		log.InfoContext(ctx, "the memory limit of this process is not known", "error", err)
	}
	observed, err := f.startTraces(ctx, log)
	if err != nil {
		return err
	}
	defer observed.traces.Stop()
	admin, err := operator.open(roles, log)
	if err != nil {
		return err
	}
	options := bolt.Options{Log: log}
	admin.observe(f, &observed, &options)
	there, unknown := bolt.Exists(f.Data)
	b, err := f.openObserved(options, observed)
	if err != nil {
		return errors.Join(err, admin.stop())
	}
	if b.local && !there && unknown == nil {
		log.InfoContext(ctx, "no store was here: this is a new store, and it is empty", "data", f.Data)
	}
	defer func() { err = errors.Join(err, b.close()) }()
	b.draining = ctx.Done()
	ctx, cancel := delayed(ctx, stop.DrainDelay, console.again)
	defer cancel()
	run, ctx := errgroup.WithContext(ctx)
	defer func() { err = errors.Join(err, admin.stop()) }()
	if b.local {
		if err := b.Prepare(ctx); err != nil {
			return cannotRunError{err}
		}
	} else {
		run.Go(func() error { b.prepareLater(ctx, log); return nil })
	}
	admin.serve(ctx, b)
	run.Go(func() error {
		if err := start(ctx, b, run); err != nil {
			return err
		}
		if err := giveBack(); err != nil {
			log.InfoContext(ctx, "memory that the start needed is not given back", "error", err)
		}
		return nil
	})
	return run.Wait()
}

// delayed returns a context that ends when ctx has ended a while ago, or has ended and
// now is closed, or when cancel is called.
func delayed(ctx context.Context, delay time.Duration, now <-chan struct{}) (later context.Context, cancel context.CancelFunc) {
	if delay == 0 {
		return context.WithCancel(ctx)
	}
	later, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
			end()
		case <-now:
			end()
		case <-later.Done():
		}
	})
	return later, func() { stop(); end() }
}

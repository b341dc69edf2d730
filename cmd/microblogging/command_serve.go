package main

import (
	"context"
	"errors"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"microblogging/worker"
)

type serveCommand struct {
	storageFlags `embed:""`
	webFlags     `embed:""`
	workerFlags  `embed:""`
	logFlags     `embed:""`
}

// Validate is called by kong. It is not called for embedded flags.
func (c serveCommand) Validate() error {
	return errors.Join(c.webFlags.Validate(), c.workerFlags.Validate())
}

// Run serves both roles until ctx ends.
func (c serveCommand) Run(ctx context.Context, console *console) error {
	log := c.logger(console.stderr)
	return c.serve(ctx, log, func(ctx context.Context, b *backend, run *errgroup.Group) error {
		c.work(ctx, log, b, run)
		return c.listen(ctx, console, log, b, run)
	})
}

type webCommand struct {
	storageFlags `embed:""`
	webFlags     `embed:""`
	logFlags     `embed:""`
}

// Run serves the web role until ctx ends.
func (c webCommand) Run(ctx context.Context, console *console) error {
	log := c.logger(console.stderr)
	return c.serve(ctx, log, func(ctx context.Context, b *backend, run *errgroup.Group) error {
		return c.listen(ctx, console, log, b, run)
	})
}

type workerCommand struct {
	storageFlags `embed:""`
	workerFlags  `embed:""`
	logFlags     `embed:""`
}

// Run serves the worker role until ctx ends.
func (c workerCommand) Run(ctx context.Context, console *console) error {
	log := c.logger(console.stderr)
	return c.serve(ctx, log, func(ctx context.Context, b *backend, run *errgroup.Group) error {
		log.InfoContext(ctx, "worker started", "lease", c.Lease, "concurrency", c.Concurrency)
		c.work(ctx, log, b, run)
		return nil
	})
}

// work starts the worker role in the group.
func (f workerFlags) work(ctx context.Context, log *slog.Logger, b *backend, run *errgroup.Group) {
	run.Go(func() error {
		worker.New(b.Store, f.options(log)).Run(ctx)
		return nil
	})
}

// serve opens the store, calls start, and waits until all that start put into
// the group has ended. The group ends when ctx ends or one part fails.
func (f storageFlags) serve(ctx context.Context, log *slog.Logger,
	start func(context.Context, *backend, *errgroup.Group) error,
) (err error) {
	b, err := f.open(log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	run, ctx := errgroup.WithContext(ctx)
	if b.local {
		if err := b.Prepare(ctx); err != nil {
			return cannotRunError{err}
		}
	} else {
		run.Go(func() error { b.prepareLater(ctx, log); return nil })
	}
	run.Go(func() error { return start(ctx, b, run) })
	return run.Wait()
}

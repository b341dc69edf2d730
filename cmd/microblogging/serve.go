package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/web"
	"microblogging/worker"
)

type serveCommand struct {
	storageFlags `embed:""`
	webFlags     `embed:""`
	workerFlags  `embed:""`
	logFlags     `embed:""`
}

// Validate is called by kong.
func (c serveCommand) Validate() error {
	return errors.Join(c.webFlags.Validate(), c.workerFlags.Validate())
}

// Run serves both roles until ctx ends.
func (c serveCommand) Run(ctx context.Context, console *console) error {
	log := c.logger(console.stderr)
	return c.serve(ctx, log, func(ctx context.Context, b *backend, run *errgroup.Group) error {
		run.Go(func() error {
			worker.New(b.Store, c.options(log)).Run(ctx)
			return nil
		})
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
		run.Go(func() error {
			worker.New(b.Store, c.options(log)).Run(ctx)
			return nil
		})
		return nil
	})
}

// serve opens the store, starts what start puts into the group, and waits until
// all of it has ended: because ctx did, or because one part failed.
func (f storageFlags) serve(ctx context.Context, log *slog.Logger,
	start func(context.Context, *backend, *errgroup.Group) error,
) (err error) {
	b, err := f.open()
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

const (
	// readTime bounds how long a request may take to arrive, against clients
	// that hold a connection by sending a byte now and then.
	readHeaderTime = 10 * time.Second
	readTime       = 30 * time.Second
	idleTime       = 2 * time.Minute
	// writeTime bounds what the HTTP server itself sends. The web role sets a deadline
	// for each of its responses; this one is later than any of them begins.
	writeTime = time.Minute
	// drainTime is how long requests in hand may take to end.
	drainTime = 10 * time.Second
)

// listen starts the web role in the group and announces its address.
func (f webFlags) listen(ctx context.Context, console *console, log *slog.Logger, b *backend, run *errgroup.Group) error {
	base, err := f.baseURL()
	if err != nil {
		return cannotRunError{err}
	}
	handler, err := web.New(b.Store, web.Options{
		BaseURL:             base,
		TrustProxy:          f.TrustProxy.any,
		TrustedNetworks:     f.TrustProxy.networks,
		WriteRate:           f.WriteRate,
		WriteBurst:          f.WriteBurst,
		MaxChannelsPerOwner: f.MaxChannelsPerOwner,
		Logger:              log,
		Version:             buildVersion(),
		Stopping:            ctx.Done(),
	})
	if err != nil {
		return err
	}
	var sampleUser string
	if f.Sample {
		if sampleUser, err = fillSample(ctx, b); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", f.Listen)
	if err != nil {
		return cannotRunError{fmt.Errorf("--listen: %w", err)}
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	run.Go(func() error { return ignoreClosed(server.Serve(listener)) })
	run.Go(func() error { return stopServer(ctx, log, server) })
	address := publicAddress(listener.Addr())
	fmt.Fprintf(console.stdout, "listening on %s\n", address)
	if sampleUser != "" {
		return printSignInLink(ctx, console, b, address, sampleUser)
	}
	return nil
}

// stopServer waits for ctx to end, and then for the requests in hand. It cuts off those
// that do not end in drainTime: a client that sends or reads nothing must not decide
// how the process ends.
func stopServer(ctx context.Context, log *slog.Logger, server *http.Server) error {
	<-ctx.Done()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		log.WarnContext(ctx, "requests did not end in time and are cut off", "after", drainTime)
		err = server.Close()
	}
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// publicAddress is the URL of a listener, on this machine if it listens on
// every address.
func publicAddress(address net.Addr) string {
	host, port, err := net.SplitHostPort(address.String())
	if err != nil {
		return "http://" + address.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func buildVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		return programVersion(build)
	}
	return "unknown"
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/web"
)

const (
	// readHeaderTime and readTime bound how long a request may take to arrive. A
	// client that sends a byte now and then would hold a connection for ever.
	readHeaderTime = 10 * time.Second
	readTime       = 30 * time.Second
	idleTime       = 2 * time.Minute
	// drainTime is how long requests under way may take to end.
	drainTime = 10 * time.Second
)

// listen starts the web role in the group and prints its address.
func (f webFlags) listen(ctx context.Context, console *console, log *slog.Logger, b *backend, run *errgroup.Group) error {
	base, err := f.baseURL()
	if err != nil {
		return cannotRunError{err}
	}
	handler, err := web.New(b.Store, web.Options{
		BaseURL:    base,
		TrustProxy: f.TrustProxy,
		SignUps:    f.SignUps,
		Logger:     log,
		Version:    buildVersion(),
		Stopping:   ctx.Done(),
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
		IdleTimeout:       idleTime,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	run.Go(func() error { return ignoreClosed(server.Serve(listener)) })
	run.Go(func() error { return stopServer(ctx, server) })
	address := publicAddress(listener.Addr())
	fmt.Fprintf(console.stdout, "listening on %s\n", address)
	if sampleUser != "" {
		return printSignInLink(ctx, console, b, address, sampleUser)
	}
	return nil
}

// stopServer waits until ctx ends, and then until the requests under way end.
func stopServer(ctx context.Context, server *http.Server) error {
	<-ctx.Done()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return errors.Join(fmt.Errorf("requests did not end in time: %w", err), server.Close())
	}
	return nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// publicAddress returns the URL of a listener. The host is 127.0.0.1 if it listens
// on every address.
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

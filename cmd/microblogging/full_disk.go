package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/cmd/microblogging/telemetry"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/web"
)

// fullPause is how long a role waits before it tries again to open its store on a full disk.
const fullPause = 5 * time.Second

// openStore opens the store of the role, and prepares it if it is the embedded one. While the disk is full
// it tries again. Without an error, the backend is nil if ctx has ended meanwhile.
func (p process) openStore(ctx context.Context, log *slog.Logger, meter *telemetry.Telemetry, at listeners) (b *backend, start *starter, err error) {
	b, start, err = p.tryStore(ctx, log, meter)
	if !bolt.FullDisk(err) {
		return b, start, err
	}
	stop := at.answerNotReady(ctx, log)
	defer stop()
	for bolt.FullDisk(err) {
		log.ErrorContext(ctx, "the store cannot be opened on a full disk, trying again", "every", fullPause, "error", err)
		select {
		case <-time.After(fullPause):
		case <-ctx.Done():
			return nil, nil, nil
		}
		b, start, err = p.tryStore(ctx, log, meter)
	}
	return b, start, err
}

// tryStore is openStore for one attempt.
func (p process) tryStore(ctx context.Context, log *slog.Logger, meter *telemetry.Telemetry) (*backend, *starter, error) {
	start := newStarter(log)
	options := storage.Options{Around: []driver.Around{start.around}}
	if p.web != nil {
		options.Undo, options.UndoAccount = p.web.Undo, p.web.UndoAccount
	}
	b, err := p.open(ofThisVersion(log), meter, options)
	if err != nil {
		return nil, nil, err
	}
	if b.local {
		if err := start.prepare(ctx, b); err != nil {
			return nil, nil, errors.Join(err, b.close())
		}
	}
	return b, start, nil
}

// answerNotReady answers that the process lives and is not ready, at each listener, until stop is
// called. Afterwards the listeners are as they were.
func (at listeners) answerNotReady(ctx context.Context, log *slog.Logger) (stop func()) {
	full := errors.New("the disk is full")
	probes := web.Health{Store: func(context.Context) error { return full }, Logger: log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", probes.Live)
	mux.HandleFunc("GET /readyz", probes.Ready)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", strconv.Itoa(int(fullPause/time.Second)))
		http.Error(w, "The disk of this server is full. Try again later.", http.StatusServiceUnavailable)
	})
	answering, end := context.WithCancel(context.WithoutCancel(ctx))
	var run errgroup.Group
	var lent []lentListener
	for _, listener := range []net.Listener{at.health, at.admin, at.web} {
		if tcp, ok := listener.(*net.TCPListener); ok {
			lent = append(lent, lentListener{tcp})
			serveHTTP(answering, newServer(mux, log), lentListener{tcp}, adminDrainTime, log, &run)
		}
	}
	return func() {
		end()
		err := run.Wait()
		for _, listener := range lent {
			err = errors.Join(err, listener.SetDeadline(time.Time{}))
		}
		if err != nil {
			log.WarnContext(ctx, "could not end the answers of a role that waits", "error", err)
		}
	}
}

// A lentListener is open after its server has closed it, for the next server.
type lentListener struct{ *net.TCPListener }

// Close makes Accept fail until there is another deadline.
func (l lentListener) Close() error { return l.SetDeadline(time.Unix(1, 0)) }

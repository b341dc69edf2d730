package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"microblogging/cmd/microblogging/metrics"
	"microblogging/storage/bolt"
	"microblogging/web"
)

// adminFlags are what all roles share.
type adminFlags struct {
	AdminListen string `placeholder:"ADDR" help:"The address for an operator, such as 127.0.0.1:9090: /metrics for Prometheus, /debug/pprof/ for profiles, /healthz and /readyz, and /backup for the command backup. Port 0 picks a free port. Anybody who reaches it may read all of that and needs no password, so do not publish it; /backup answers programs on the same machine alone. Off by default: then nothing is measured."`
}

// adminWriteTime bounds how long an answer to an operator may take to send. A profile takes
// as long as it was asked for. An answer that takes longer sets a deadline of its own.
const adminWriteTime = 5 * time.Minute

// adminDrainTime is how long answers under way may take to end, once the role has ended.
// What takes long was told before, when the role was.
const adminDrainTime = time.Second

// An admin answers the operator, on a listener of its own. It answers from before the role
// begins until it has ended. A nil *admin is off.
type admin struct {
	listener net.Listener
	metrics  *metrics.Metrics
	log      *slog.Logger
	server   *http.Server
	// ended is closed when the server has stopped.
	ended chan struct{}
}

// open listens, and answers nothing yet. It returns nil if the listener is off.
func (f adminFlags) open(roles metrics.Roles, log *slog.Logger) (*admin, error) {
	if f.AdminListen == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", f.AdminListen)
	if err != nil {
		return nil, cannotRunError{fmt.Errorf("--admin-listen: %w", err)}
	}
	return &admin{listener: listener, metrics: metrics.New(buildVersion(), roles, log), log: log}, nil
}

// observe adds what the metrics are made of to the observers, and to the options of the
// embedded store.
func (a *admin) observe(f storageFlags, o *observers, opts *bolt.Options) {
	if a == nil {
		return
	}
	o.calls = append(o.calls, a.metrics.Calls)
	o.deliveries = append(o.deliveries, a.metrics.Deliveries())
	o.requests = a.metrics.Requests()
	if f.Storage == "azure" {
		o.tries = a.metrics.Tries()
		return
	}
	opts.CountFree, opts.Committed = true, a.metrics.Commits()
}

// routes registers what is answered.
func (a *admin) routes(mux *http.ServeMux, b *backend) {
	health := web.Health{Ready: b.Ready, Alive: b.health, Draining: b.draining, Logger: a.log}
	mux.Handle("/healthz", health)
	mux.Handle("/readyz", health)
	mux.Handle(backupPath, newBackupHandler(b, a.log))
	mux.Handle("GET /metrics", a.metrics.Handler())
	mux.HandleFunc("GET /{$}", listAdmin)
	// Not the command line, which may hold a connection string.
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
}

// listAdmin lists what is answered, for somebody who opens the address in the log.
func listAdmin(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, strings.Join([]string{"/metrics", "/healthz", "/readyz", backupPath, "/debug/pprof/"}, "\n"))
}

// serve answers until stop is called. What takes long, such as a profile, ends when ctx
// ends.
func (a *admin) serve(ctx context.Context, b *backend) {
	if a == nil {
		return
	}
	mux := http.NewServeMux()
	a.metrics.Read(ctx, b, b.space)
	a.routes(mux, b)
	a.server = &http.Server{
		Handler:           guardAdmin(a.listener.Addr(), mux),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: readHeaderTime,
		ReadTimeout:       readTime,
		WriteTimeout:      adminWriteTime,
		IdleTimeout:       idleTime,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	a.ended = make(chan struct{})
	go func() {
		defer close(a.ended)
		if err := ignoreClosed(a.server.Serve(a.listener)); err != nil {
			a.log.Error("the operator is not answered any more", "error", err)
		}
	}()
	a.log.InfoContext(ctx, "answering the operator", "address", publicAddress(a.listener.Addr()))
}

// stop ends the answers, those under way after a while.
func (a *admin) stop() error {
	switch {
	case a == nil:
		return nil
	case a.server == nil: // it never answered
		return a.listener.Close()
	}
	drain, cancel := context.WithTimeout(context.Background(), adminDrainTime)
	defer cancel()
	err := a.server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = a.server.Close()
	}
	<-a.ended
	return err
}

// guardAdmin refuses what a web page made a browser send to the listener. On a loopback
// address it also refuses names of hosts but localhost: a page's own name can be made to
// lead to this machine, and then the page could read the answer.
func guardAdmin(at net.Addr, next http.Handler) http.Handler {
	tcp, ok := at.(*net.TCPAddr)
	local := ok && tcp.IP.IsLoopback()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := r.Header.Get("Sec-Fetch-Site")
		if site == "cross-site" || site == "same-site" || local && !namesThisMachine(r.Host) {
			http.Error(w, "not from a page of another site", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// namesThisMachine tells whether a Host header has an IP address or localhost.
func namesThisMachine(host string) bool {
	name := host
	if bare, _, err := net.SplitHostPort(host); err == nil {
		name = bare
	}
	return strings.EqualFold(name, "localhost") || net.ParseIP(strings.Trim(name, "[]")) != nil
}

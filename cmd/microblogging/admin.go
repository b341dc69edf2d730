package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"microblogging/web"
)

// adminWriteTime bounds how long an answer to an operator may take to send. A profile takes
// as long as it was asked for. An answer that takes longer sets a deadline of its own.
const adminWriteTime = 5 * time.Minute

// adminDrainTime is how long answers under way may take to end, once the role has ended. What takes
// longer, such as a profile, is cut off.
const adminDrainTime = time.Second

// serveOperators answers at --health-listen and --admin-listen until stop is called, which waits for the
// end.
func (o listeners) serveOperators(ctx context.Context, b *backend, log *slog.Logger) (stop func() error) {
	answering, end := context.WithCancel(context.WithoutCancel(ctx))
	var run errgroup.Group
	answer := func(name string, listener net.Listener, routes http.Handler) {
		server := newServer(guardAdmin(listener.Addr(), routes), log)
		server.ConnState = web.LimitConnections(false, nil)
		server.WriteTimeout = adminWriteTime
		serveHTTP(answering, server, listener, adminDrainTime, log, &run)
		log.InfoContext(ctx, name+" listener started", "address", publicAddress(listener.Addr()))
	}
	if o.health != nil || o.admin != nil {
		b.told.Read(ctx, b.Operator, b.embedded, b.under.Capabilities().Clock)
	}
	if o.health != nil {
		answer("health", o.health, healthRoutes(b, log))
	}
	if o.admin != nil {
		answer("admin", o.admin, adminRoutes(b, log))
	}
	return func() error { end(); return run.Wait() }
}

// healthRoutes are what --health-listen answers.
func healthRoutes(b *backend, log *slog.Logger) *http.ServeMux {
	mux, probes := http.NewServeMux(), web.Health{Store: b.Health.Ready, Alive: b.health, Draining: b.draining, Logger: log}
	mux.HandleFunc("GET /healthz", probes.Live)
	mux.HandleFunc("GET /readyz", probes.Ready)
	mux.Handle("GET /metrics", b.told.Metrics())
	return mux
}

// adminRoutes are what --admin-listen answers.
func adminRoutes(b *backend, log *slog.Logger) http.Handler {
	mux := healthRoutes(b, log)
	backups := &backupHandler{backend: b, log: log}
	mux.Handle("GET "+backupPath, backups)
	mux.Handle("POST "+backupPath, backups)
	// Not the command line, which may hold a connection string.
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
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

// namesThisMachine reports whether a Host header has an IP address or localhost.
func namesThisMachine(host string) bool {
	name := host
	if bare, _, err := net.SplitHostPort(host); err == nil {
		name = bare
	}
	return strings.EqualFold(name, "localhost") || net.ParseIP(strings.Trim(name, "[]")) != nil
}

package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
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
func (o listeners) serveOperators(ctx context.Context, b *backend, hosts web.Hosts, log *slog.Logger) (stop func() error) {
	answering, end := context.WithCancel(context.WithoutCancel(ctx))
	var run errgroup.Group
	answer := func(name string, listener net.Listener, routes http.Handler) {
		server := newServer(guardAdmin(hosts, routes), log)
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

// guardAdmin refuses what a page of another site made a browser send to the listener.
func guardAdmin(hosts web.Hosts, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := r.Header.Get("Sec-Fetch-Site")
		if why := hosts.Refusal(r); why != "" {
			http.Error(w, why, http.StatusMisdirectedRequest)
		} else if site == "cross-site" || site == "same-site" {
			http.Error(w, "not from a page of another site", http.StatusForbidden)
		} else {
			next.ServeHTTP(w, r)
		}
	})
}

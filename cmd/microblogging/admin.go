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

	"microblogging/web"
)

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
	log      *slog.Logger
	server   *http.Server
	// ended is closed when the server has stopped.
	ended chan struct{}
}

// openAdmin listens, and answers nothing yet. It returns nil if the listener is off.
func (f roleFlags) openAdmin(log *slog.Logger) (*admin, error) {
	if f.AdminListen == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", f.AdminListen)
	if err != nil {
		return nil, cannotRunError{fmt.Errorf("--admin-listen: %w", err)}
	}
	return &admin{listener: listener, log: log}, nil
}

// routes registers what is answered.
func (a *admin) routes(mux *http.ServeMux, b *backend) {
	health := web.Health{Ready: b.Ready, Alive: b.health, Draining: b.draining, Logger: a.log}
	mux.Handle("/healthz", health)
	mux.Handle("/readyz", health)
	mux.Handle(backupPath, newBackupHandler(b, a.log))
	mux.Handle("GET /metrics", b.told.Metrics())
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
	b.told.Read(ctx, b, b.space)
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

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync"
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
		answer("admin", o.admin, adminRoutes(ctx, b, log))
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
func adminRoutes(ctx context.Context, b *backend, log *slog.Logger) http.Handler {
	mux := healthRoutes(b, log)
	acts := adminHandlers(ctx, b, log)
	mux.Handle(backupPath, acts)
	mux.Handle(commandPath, acts)
	// Not the command line, which may hold a connection string.
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", http.NotFound)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// adminHandlers answer the commands that have --admin.
func adminHandlers(ctx context.Context, b *backend, log *slog.Logger) *http.ServeMux {
	mux := http.NewServeMux()
	var backups, commands http.Handler = notEmbedded(errNoSnapshot), notEmbedded(errNoAdmin)
	if b.local {
		secret := newAdminSecret(ctx, b.data, log)
		backups = secret.ask(&backupHandler{backend: b, log: log})
		commands = secret.ask(&commandHandler{backend: b, log: log})
	}
	mux.Handle("GET "+backupPath, backups)
	mux.Handle("POST "+backupPath, backups)
	mux.Handle("POST "+commandPath, commands)
	return mux
}

// errNoAdmin is why a server does nothing for the client of a store on the network.
var errNoAdmin = errors.New("the store of this server is in Azure; run the command without --admin, with --storage azure")

// notEmbedded answers requests that only a server with the embedded store can carry out.
func notEmbedded(why error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, why.Error(), http.StatusNotImplemented) })
}

// A commandHandler does tasks for clients.
type commandHandler struct {
	backend *backend
	log     *slog.Logger
}

// maxCommand is how many bytes a commandRequest may have.
const maxCommand = 64 << 10

// ServeHTTP does one task, and sends what it writes. A client that goes away ends it, as an interrupt would.
func (h *commandHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, asked, err := decodeCommand(http.MaxBytesReader(w, r.Body, maxCommand))
	if err != nil {
		http.Error(w, "the server does not know this command; is it of another version? "+err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), adminTime)
	defer cancel()
	w.Header().Set("Content-Type", commandType)
	w.Header().Set("Cache-Control", "no-store")
	sent := &answerWriter{lines: json.NewEncoder(w), controller: http.NewResponseController(w)}
	err = errors.Join(sent.controller.SetWriteDeadline(time.Now().Add(adminTime)), sent.controller.Flush())
	if err != nil {
		h.log.WarnContext(ctx, "command not begun", "command", name, "error", err)
		return
	}
	errs := answerStream{sent, func(text []byte) commandAnswer { return commandAnswer{Stderr: text} }}
	out := answerStream{sent, func(text []byte) commandAnswer { return commandAnswer{Stdout: text} }}
	code := exitCode(asked.do(ctx, h.backend, &console{stdout: out, stderr: errs}), errs)
	h.log.InfoContext(ctx, "command of an operator ended", "command", name, "arguments", asked, "exit", code)
	_ = sent.send(commandAnswer{Exit: &code}) // the client has gone
}

// decodeCommand reads a commandRequest to its end. So the server notices if the client goes away.
func decodeCommand(body io.Reader) (name string, asked task, err error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return "", nil, err
	}
	var request commandRequest
	if err := json.Unmarshal(text, &request); err != nil {
		return "", nil, err
	}
	for _, t := range tasks() {
		if t.command() == request.Command {
			fields := json.NewDecoder(bytes.NewReader(request.Arguments))
			fields.DisallowUnknownFields()
			return request.Command, t, fields.Decode(t)
		}
	}
	return "", nil, fmt.Errorf("%q", request.Command)
}

// An answerWriter sends each answer immediately. The first that fails ends the connection, and so the task.
type answerWriter struct {
	mu         sync.Mutex
	lines      *json.Encoder
	controller *http.ResponseController
}

func (a *answerWriter) send(answer commandAnswer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.lines.Encode(answer)
	if err == nil {
		err = a.controller.Flush()
	}
	return err
}

// An answerStream is a stream of a console, which sends what is written to it.
type answerStream struct {
	to     *answerWriter
	answer func(text []byte) commandAnswer
}

// Write implements io.Writer.
func (s answerStream) Write(text []byte) (int, error) {
	if err := s.to.send(s.answer(text)); err != nil {
		return 0, err
	}
	return len(text), nil
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

package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
	// readyTimeout is how long a readiness probe waits for the store.
	readyTimeout = 2 * time.Second
)

// Health answers the probes of an orchestrator, which starts a process again that fails
// /healthz, and sends no requests to one that fails /readyz. A web role answers them
// among its pages. A process without one can serve Health alone: it answers each path
// but these two with 404.
type Health struct {
	// Ready fails if the store does not answer. It must be set. A process that is not alive is not
	// ready either.
	Ready func(ctx context.Context) error
	// Alive fails if the process must be started again to go on. Nil never fails.
	Alive func() error
	// Draining is closed when the process was told to stop: it is then not ready,
	// though it answers. Nil means never.
	Draining <-chan struct{}
	// Logger gets the cause of each failure. Nil logs nothing.
	Logger *slog.Logger
}

// ServeHTTP implements http.Handler.
func (h Health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var fault string
	var err error
	switch {
	case !isRead(r.Method):
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	case r.URL.Path == healthPath:
		fault, err = h.alive()
	case r.URL.Path == readyPath:
		fault, err = h.ready(r.Context())
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set(echo.HeaderContentType, echo.MIMETextPlainCharsetUTF8)
	answer := "ok"
	if err != nil {
		if h.Logger != nil {
			h.Logger.WarnContext(r.Context(), "probe failed", "path", r.URL.Path, "error", err)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		answer = fault
	}
	// If the probe has gone, the failed write does not matter.
	_, _ = io.WriteString(w, answer+"\n")
}

// alive returns why the process must be started again, in words for everybody, if it must.
func (h Health) alive() (fault string, err error) {
	if h.Alive != nil {
		err = h.Alive()
	}
	return "the store does not write any more", err
}

// ready returns why the process should get no requests, in words for everybody, if it should not. One
// that cannot write is not ready, although its store can be read.
func (h Health) ready(ctx context.Context) (fault string, err error) {
	if fault, err := h.alive(); err != nil {
		return fault, err
	}
	select {
	case <-h.Draining:
		return "shutting down", errors.New("the process was told to stop")
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return "the store is not ready", h.Ready(ctx)
}

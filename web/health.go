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

// Health answers the probes of an orchestrator, which starts a process again that fails Live, and
// sends no requests to one that fails Ready.
type Health struct {
	// Store fails if the store does not answer. It must be set.
	Store func(ctx context.Context) error
	// Alive fails if the process must be started again to go on. Nil never fails.
	Alive func() error
	// Draining is closed when the process was told to stop: it is then not ready,
	// though it answers. Nil means never.
	Draining <-chan struct{}
	// Logger gets the cause of each failure.
	Logger *slog.Logger
}

// Live answers /healthz.
func (h Health) Live(w http.ResponseWriter, r *http.Request) {
	fault, err := h.alive()
	h.answer(w, r, fault, err)
}

// Ready answers /readyz. While the store only refuses writes, as on a full disk, the process is ready:
// no other process could write either.
func (h Health) Ready(w http.ResponseWriter, r *http.Request) {
	fault, err := h.alive()
	select {
	case <-h.Draining:
		fault, err = "shutting down", errors.New("the process was told to stop")
	default:
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		fault, err = "the store is not ready", h.Store(ctx)
	}
	h.answer(w, r, fault, err)
}

// alive returns why the process must be started again, in words for everybody, if it must.
func (h Health) alive() (fault string, err error) {
	if h.Alive != nil {
		err = h.Alive()
	}
	return "the store cannot be used any more", err
}

// answer says ok, or what is wrong.
func (h Health) answer(w http.ResponseWriter, r *http.Request, fault string, err error) {
	if err == nil {
		w.Header().Set(echo.HeaderContentType, echo.MIMETextPlainCharsetUTF8)
		_, _ = io.WriteString(w, "ok\n") // if the probe has gone, that does not matter
		return
	}
	h.Logger.WarnContext(r.Context(), "probe failed", "path", r.URL.Path, "error", err)
	http.Error(w, fault, http.StatusServiceUnavailable)
}

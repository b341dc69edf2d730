package web

import (
	"cmp"
	"context"
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
	// Ready fails if the store does not answer. It must be set.
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
	switch {
	case !isRead(r.Method):
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	case r.URL.Path == healthPath:
		fault = h.fault(w, r)
	case r.URL.Path == readyPath:
		fault = h.unready(w, r)
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set(echo.HeaderContentType, echo.MIMETextPlainCharsetUTF8)
	if fault != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	// If the probe has gone, nobody misses the answer.
	_, _ = io.WriteString(w, cmp.Or(fault, "ok")+"\n")
}

// fault returns why the process must be started again, in words for everybody.
func (h Health) fault(w http.ResponseWriter, r *http.Request) string {
	if h.Alive == nil {
		return ""
	}
	if err := h.Alive(); err != nil {
		h.log(w, r, "not healthy", err)
		return "the store does not write any more"
	}
	return ""
}

// unready returns why the process should get no requests, in words for everybody.
func (h Health) unready(w http.ResponseWriter, r *http.Request) string {
	select {
	case <-h.Draining:
		return "shutting down"
	default:
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if err := h.Ready(ctx); err != nil {
		h.log(w, r, "not ready", err)
		return "storage does not answer"
	}
	return ""
}

func (h Health) log(w http.ResponseWriter, r *http.Request, message string, err error) {
	if h.Logger != nil {
		h.Logger.WarnContext(r.Context(), message, "id", w.Header().Get(echo.HeaderXRequestID), "error", err)
	}
}

// healthRoutes registers the probes.
func healthRoutes(r router, health Health) {
	for _, path := range []string{healthPath, readyPath} {
		get(r, path, func(c echo.Context) error {
			health.ServeHTTP(c.Response(), c.Request())
			return nil
		})
	}
}

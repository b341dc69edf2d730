package web

import (
	"context"
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

type readiness interface {
	Ready(ctx context.Context) error
}

// healthRoutes registers the probes. An orchestrator restarts a process that fails
// healthPath, and sends no requests to one that fails readyPath.
func healthRoutes(r router, store readiness, log *slog.Logger) {
	get(r, healthPath, func(c echo.Context) error {
		return c.String(http.StatusOK, "ok\n")
	})
	get(r, readyPath, func(c echo.Context) error {
		ctx, cancel := context.WithTimeout(c.Request().Context(), readyTimeout)
		defer cancel()
		if err := store.Ready(ctx); err != nil {
			log.WarnContext(ctx, "not ready", "id", c.Response().Header().Get(echo.HeaderXRequestID), "error", err)
			return c.String(http.StatusServiceUnavailable, "storage does not answer\n")
		}
		return c.String(http.StatusOK, "ok\n")
	})
}

package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// RequestID returns the id of the request to which ctx belongs, or "". The log has it in each line
// of a request, and so have its error pages.
func RequestID(ctx context.Context) string {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x.id
	}
	return ""
}

// loggedPath returns a path as the log may hold it: without the secret in the address of a
// personal feed. The address may be mistyped, or changed by a program that passed it on. So the log has
// no path where no page is, and of others nothing that follows the word "digest". The secret of a sign-in
// link is in the query, which is not logged.
func loggedPath(c echo.Context) string {
	const word = "digest"
	path, route := c.Request().URL.Path, c.Path()
	if route == "" || strings.HasSuffix(route, "*") && c.Response().Status == http.StatusNotFound {
		return "…"
	}
	for i := range len(path) - len(word) {
		if (path[i] == 'd' || path[i] == 'D') && strings.EqualFold(path[i:i+len(word)], word) {
			return path[:i+len(word)] + "…"
		}
	}
	return path
}

// clientAttr is the address of a client. It is personal data, so the log has it only if the operator
// asks for it.
func (s *server) clientAttr(c echo.Context) slog.Attr {
	return slog.String("client", string(s.admission.clientAddress(c.Request())))
}

// logAccess writes the line of a request that has been answered.
func (s *server) logAccess(c echo.Context, start time.Time) {
	r, level := c.Request(), slog.LevelInfo
	if c.Path() == healthPath || c.Path() == readyPath { // which would fill the log
		level = slog.LevelDebug
	}
	if !s.Logger.Enabled(r.Context(), level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 6),
		slog.String("method", r.Method),
		slog.String("path", loggedPath(c)),
		slog.Int("status", c.Response().Status),
		slog.Float64("duration", time.Since(start).Seconds()))
	if s.LogAddresses {
		attrs = append(attrs, s.clientAttr(c))
	}
	if user := exchangeOf(c).user; user != "" {
		attrs = append(attrs, slog.String("user", string(user)))
	}
	s.Logger.LogAttrs(r.Context(), level, "request", attrs...)
}

// logRefused logs a sign-in that was refused, or a sign-up that had the key of an account
// and not its password. It names the account only if there is one:
// what was typed as the name may be a password.
func (s *server) logRefused(c echo.Context, err error) {
	var reason string
	var throttled *domain.ThrottledError
	var wrong *domain.WrongPasswordError
	switch {
	case errors.As(err, &throttled) && !throttled.SignUps:
		reason = "too many attempts"
	case errors.As(err, &wrong), errors.Is(err, domain.ErrNotSignedIn):
		reason = "wrong credentials"
	default:
		return
	}
	attrs := []slog.Attr{slog.String("reason", reason)}
	if s.LogAddresses {
		attrs = append(attrs, s.clientAttr(c))
	}
	if wrong != nil {
		attrs = append(attrs, slog.String("account", string(wrong.User)))
	}
	s.Logger.LogAttrs(c.Request().Context(), slog.LevelWarn, "sign-in refused", attrs...)
}

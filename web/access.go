package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// userKey is where a request's context keeps the name of its user for the log.
const userKey = "user"

// clientNames names the clients in the log. An address is personal data, so the log has
// a keyed hash of it. The key is random and another each UTC day, and is in memory
// alone: requests of one client on one day can be told to belong together, and nobody
// can find the address by trying all. Processes have keys of their own.
type clientNames struct {
	guard *guard
	// plain logs the addresses themselves.
	plain bool

	mu sync.Mutex
	// ends is when the key's day ends.
	ends time.Time
	key  [sha256.Size]byte
}

// keyTime is how long a key is in use.
const keyTime = 24 * time.Hour

// name returns the name of the client of a request that ended at a time.
func (n *clientNames) name(r *http.Request, at time.Time) string {
	address := n.guard.clientAddress(r)
	if n.plain {
		return string(address)
	}
	// Eight bytes of a hash cannot be made longer, so that it needs no HMAC, which costs more
	// than the rest of the line.
	key := n.keyAt(at)
	hash := sha256.Sum256(append(key[:], address...))
	return hex.EncodeToString(hash[:8])
}

// keyAt returns the key of the day of a time. If that day is over, it is the next day's,
// because its own is forgotten.
func (n *clientNames) keyAt(at time.Time) [sha256.Size]byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !at.Before(n.ends) || at.Before(n.ends.Add(-2*keyTime)) { // or the clock was a day ahead
		n.ends = at.UTC().Truncate(keyTime).Add(keyTime)
		rand.Read(n.key[:]) // it never fails
	}
	return n.key
}

// LoggedPath returns a path as logs and traces may hold it: it removes the secret of a
// personal feed's address. It does so for all paths below /digest/, because a mistyped
// address can hold the secret too. The secret of a sign-in link is in the query, which is
// not logged.
func LoggedPath(path string) string {
	if strings.HasPrefix(path, templates.DigestPath+"/") {
		return templates.DigestPath + "/…"
	}
	return path
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
	now := time.Now()
	attrs := append(make([]slog.Attr, 0, 7),
		slog.String("method", r.Method),
		slog.String("path", LoggedPath(r.URL.Path)),
		slog.Int("status", c.Response().Status),
		slog.Duration("duration", now.Sub(start)),
		slog.String("id", c.Response().Header().Get(echo.HeaderXRequestID)),
		slog.String("client", s.clients.name(r, now)))
	if user, ok := c.Get(userKey).(domain.UserName); ok {
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
	attrs := []slog.Attr{
		slog.String("client", s.clients.name(c.Request(), time.Now())),
		slog.String("reason", reason),
		slog.String("id", c.Response().Header().Get(echo.HeaderXRequestID)),
	}
	if wrong != nil {
		attrs = append(attrs, slog.String("account", string(wrong.User)))
	}
	s.Logger.LogAttrs(c.Request().Context(), slog.LevelWarn, "sign-in refused", attrs...)
}

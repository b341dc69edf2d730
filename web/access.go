package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// userKey is where a request's context keeps the name of its user for the log.
const userKey = "user"

// clientNames names the clients in the log. An address is personal data, so the log has
// a keyed hash of it. The key is random and another each UTC day, and is in memory
// alone: requests of one client on one day can be told to belong together, and nobody
// can find the address by trying all. Processes have keys of their own.
type clientNames struct {
	// plain logs the addresses themselves.
	plain bool

	mu  sync.Mutex
	day time.Time
	key []byte
	// named has the names of the clients that came last that day.
	named *simplelru.LRU[string, string]
}

// maxNamed is how many names are remembered, because to make one costs more than the rest
// of a line of the log. They take about 1 MB.
const maxNamed = 5000

// name returns the name of the client with that address.
func (n *clientNames) name(address string, now time.Time) string {
	if n.plain {
		return address
	}
	day := now.UTC().Truncate(24 * time.Hour)
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.day.Equal(day) || n.key == nil {
		n.turn(day)
	}
	if name, ok := n.named.Get(address); ok {
		return name
	}
	mac := hmac.New(sha256.New, n.key)
	mac.Write([]byte(address))
	name := hex.EncodeToString(mac.Sum(nil)[:8])
	n.named.Add(strings.Clone(address), name)
	return name
}

// turn begins a day.
func (n *clientNames) turn(day time.Time) {
	n.day, n.key = day, make([]byte, sha256.Size)
	rand.Read(n.key) // it never fails
	named, err := simplelru.NewLRU[string, string](maxNamed, nil)
	if err != nil {
		panic(err) // only if maxNamed is not positive
	}
	n.named = named
}

// who returns the attributes of a line of the log that say who sent the request.
func (n *clientNames) who(c echo.Context) []slog.Attr {
	return n.appendWho(nil, c)
}

// appendWho appends them.
func (n *clientNames) appendWho(attrs []slog.Attr, c echo.Context) []slog.Attr {
	attrs = append(attrs, slog.String("client", n.name(c.RealIP(), time.Now())))
	if user, ok := c.Get(userKey).(domain.UserName); ok {
		attrs = append(attrs, slog.String("user", string(user)))
	}
	return attrs
}

// logAccess writes the line of a request that has been answered. It makes the record itself:
// a Logger would find out which line of the program asks, which takes longer than the rest.
func (s *server) logAccess(c echo.Context, start time.Time, id string) {
	ctx, level, handler := c.Request().Context(), accessLevel(c), s.log.Handler()
	if !handler.Enabled(ctx, level) {
		return
	}
	now := time.Now()
	record := slog.NewRecord(now, level, "request", 0)
	var attrs [7]slog.Attr
	record.AddAttrs(s.clients.appendWho(append(attrs[:0],
		slog.String("method", c.Request().Method),
		slog.String("path", LoggedPath(c.Request().URL.Path)),
		slog.Int("status", c.Response().Status),
		slog.Duration("duration", now.Sub(start)),
		slog.String("id", id),
	), c)...)
	_ = handler.Handle(ctx, record) // a Logger has nobody to tell it either
}

// logRefused logs a sign-in that was refused, or a sign-up that had the key of an account
// and not its password. It names the account only if there is one:
// what was typed as the name may be a password.
func (s *sessions) logRefused(c echo.Context, err error) {
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
	attrs := append(s.clients.who(c),
		slog.String("reason", reason),
		slog.String("id", c.Response().Header().Get(echo.HeaderXRequestID)))
	if wrong != nil {
		attrs = append(attrs, slog.String("account", string(wrong.User)))
	}
	s.log.LogAttrs(c.Request().Context(), slog.LevelWarn, "sign-in refused", attrs...)
}

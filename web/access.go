package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/logline"
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
	key  []byte
	// named has the names of that day that were asked for last, by what NameClient was given.
	named *simplelru.LRU[string, string]
}

// keyTime is how long a key is in use.
const keyTime = 24 * time.Hour

// maxNamed is how many names are remembered, because to make one costs more than the rest
// of a line of the log. They take about 1 MB.
const maxNamed = 5000

// seen returns what NameClient needs to know of a request. Without proxies that is its
// connection, because the address, which costs more, is the same for all requests of one.
func (n *clientNames) seen(r *http.Request) string {
	if n.guard.proxies.none() {
		return r.RemoteAddr
	}
	return string(n.guard.clientAddress(r))
}

// NameClient implements logline.Namer. A request that ended just before midnight may be named
// just after it, by the new key: the old one is forgotten.
func (n *clientNames) NameClient(seen string, at time.Time) string {
	if n.plain {
		return string(peerAddress(seen))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !at.Before(n.ends) || at.Before(n.ends.Add(-2*keyTime)) { // or the clock was a day ahead
		n.turn(at)
	}
	if name, ok := n.named.Get(seen); ok {
		return name
	}
	mac := hmac.New(sha256.New, n.key)
	mac.Write([]byte(peerAddress(seen)))
	name := hex.EncodeToString(mac.Sum(nil)[:8])
	n.named.Add(strings.Clone(seen), name)
	return name
}

// turn begins the day of a time.
func (n *clientNames) turn(at time.Time) {
	n.ends, n.key = at.UTC().Truncate(keyTime).Add(keyTime), make([]byte, sha256.Size)
	rand.Read(n.key) // it never fails
	named, err := simplelru.NewLRU[string, string](maxNamed, nil)
	if err != nil {
		panic(err) // only if maxNamed is not positive
	}
	n.named = named
}

// logAccess writes the line of a request that has been answered.
func (s *server) logAccess(c echo.Context, start time.Time, id string) {
	r, level, handler := c.Request(), accessLevel(c), s.log.Handler()
	if !handler.Enabled(r.Context(), level) {
		return
	}
	now := time.Now()
	user, _ := c.Get(userKey).(domain.UserName)
	line := logline.Request{
		Level: level, Ended: now, Took: now.Sub(start),
		Method: r.Method, Path: LoggedPath(r.URL.Path), Status: c.Response().Status, ID: id,
		Client: s.clients.seen(r), Names: s.clients, User: string(user),
	}
	_ = line.Log(r.Context(), handler) // a Logger has nobody to tell it either
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
	attrs := []slog.Attr{
		slog.String("client", s.clients.NameClient(s.clients.seen(c.Request()), time.Now())),
		slog.String("reason", reason),
		slog.String("id", c.Response().Header().Get(echo.HeaderXRequestID)),
	}
	if wrong != nil {
		attrs = append(attrs, slog.String("account", string(wrong.User)))
	}
	s.log.LogAttrs(c.Request().Context(), slog.LevelWarn, "sign-in refused", attrs...)
}

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

// clientName returns the name in the log of the client that sent a request.
func (s *server) clientName(r *http.Request, now time.Time) string {
	return s.clients.name(string(s.guard.clientAddress(r)), now)
}

// A requestLine is what the log says of a request that has been answered. It becomes words
// when the line is written, which package logline does a little later, for many lines at
// once: that takes half of what it takes between two requests.
type requestLine struct {
	site    *server
	request *http.Request
	user    domain.UserName
	id      string
	status  int
	ended   time.Time
	took    time.Duration
}

// LogValue implements slog.LogValuer.
func (l *requestLine) LogValue() slog.Value {
	var attrs []slog.Attr
	for key, value := range l.words {
		attrs = append(attrs, slog.Attr{Key: key, Value: value})
	}
	return slog.GroupValue(attrs...)
}

// AppendWords implements logline.Words.
func (l *requestLine) AppendWords(line []byte) (_ []byte, ok bool) {
	for key, value := range l.words {
		if line, ok = logline.AppendWord(line, key, value); !ok {
			return nil, false
		}
	}
	return line, true
}

// words yields the attributes.
func (l *requestLine) words(yield func(string, slog.Value) bool) {
	_ = yield("method", slog.StringValue(l.request.Method)) &&
		yield("path", slog.StringValue(LoggedPath(l.request.URL.Path))) &&
		yield("status", slog.IntValue(l.status)) &&
		yield("duration", slog.DurationValue(l.took)) &&
		yield("id", slog.StringValue(l.id)) &&
		yield("client", slog.StringValue(l.site.clientName(l.request, l.ended))) &&
		(l.user == "" || yield("user", slog.StringValue(string(l.user))))
}

// logAccess writes the line of a request that has been answered. It makes the record itself:
// a Logger would find out which line of the program asks, which takes longer than the rest.
func (s *server) logAccess(c echo.Context, start time.Time, line *requestLine) {
	ctx, level, handler := c.Request().Context(), accessLevel(c), s.log.Handler()
	if !handler.Enabled(ctx, level) {
		return
	}
	now := time.Now()
	line.site, line.request, line.status, line.ended, line.took = s, c.Request(), c.Response().Status, now, now.Sub(start)
	line.user, _ = c.Get(userKey).(domain.UserName)
	record := slog.NewRecord(now, level, "request", 0)
	record.AddAttrs(slog.Any("", line)) // without a name of its own, its parts stand alone
	_ = handler.Handle(ctx, record)     // a Logger has nobody to tell it either
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
		slog.String("client", s.clients.name(c.RealIP(), time.Now())),
		slog.String("reason", reason),
		slog.String("id", c.Response().Header().Get(echo.HeaderXRequestID)),
	}
	if wrong != nil {
		attrs = append(attrs, slog.String("account", string(wrong.User)))
	}
	s.log.LogAttrs(c.Request().Context(), slog.LevelWarn, "sign-in refused", attrs...)
}

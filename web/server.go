package web

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/static"
	"microblogging/storage"
	"microblogging/templates"
)

// Options are what an operator decides about the web role.
type Options struct {
	// BaseURL is where browsers reach this server, if that is not where it
	// listens. With https, cookies are Secure and browsers are told to stay on it.
	BaseURL *url.URL
	// TrustProxy says that every request comes through one proxy, which sets
	// X-Forwarded-For and X-Forwarded-Proto. Without one, anybody could.
	TrustProxy bool
	// Logger takes one line per request, and the cause of each failure. Nil logs
	// nothing.
	Logger *slog.Logger
	// Version is what the API's description gives as its version.
	Version string
	// Stopping is closed when the process begins to shut down: event streams end
	// then, so that no shutdown waits for their readers. Nil is never.
	Stopping <-chan struct{}
}

// server is what all handlers share.
type server struct {
	store    *storage.Store
	log      *slog.Logger
	guard    *guard
	sessions *sessions
	assets   templates.Assets
	base     *url.URL
	stopping <-chan struct{}
}

// New is the web role on a store that has been prepared. The handler is safe
// for concurrent use and starts no goroutine. Its only response without an end
// is the event stream of a deletion, so that a server around it may limit the
// time to read a request, but not the time to write a response.
func New(store *storage.Store, options Options) (http.Handler, error) {
	files, err := static.New(static.Files)
	if err != nil {
		return nil, fmt.Errorf("embedded assets: %w", err)
	}
	guard, err := newGuard(options)
	if err != nil {
		return nil, err
	}
	s := &server{
		store:    store,
		log:      cmp.Or(options.Logger, slog.New(slog.DiscardHandler)),
		guard:    guard,
		sessions: &sessions{store: store, guard: guard},
		assets: templates.Assets{
			Stylesheet: files.URL("app.css"),
			Script:     files.URL("app.js"),
			Icon:       files.URL("favicon.svg"),
		},
		base:     options.BaseURL,
		stopping: options.Stopping,
	}
	e := s.newEcho()
	get(e, static.Prefix+"*", serveStatic(files))
	healthRoutes(e, store, s.log)
	s.pageRoutes(e)
	s.feedRoutes(e)
	if err := s.apiRoutes(e, options.Version); err != nil {
		return nil, err
	}
	return e, nil
}

// newEcho is a router that decides nothing by itself: what it cannot route, and
// what handlers return, goes through this package's own errors, and it writes
// to no output of its own.
func (s *server) newEcho() *echo.Echo {
	e := echo.New()
	e.Logger.SetOutput(io.Discard)
	e.HTTPErrorHandler = s.respondError
	e.IPExtractor = s.guard.clientAddress
	e.Use(s.observe)
	return e
}

// router is what routes are registered on: the whole, or a group under a prefix.
type router interface {
	Add(method, path string, handler echo.HandlerFunc, middleware ...echo.MiddlewareFunc) *echo.Route
}

// get registers a handler for GET, and for HEAD, of which net/http drops the
// body.
func get(r router, path string, h echo.HandlerFunc) {
	r.Add(http.MethodGet, path, h)
	r.Add(http.MethodHead, path, h)
}

// serveStatic serves the embedded assets, which say themselves how long to keep
// them, and are the same for everyone.
func serveStatic(files *static.Assets) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Del(echo.HeaderVary)
		files.ServeHTTP(c.Response(), c.Request())
		return nil
	}
}

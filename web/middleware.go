package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

const (
	// requestTimeout bounds the work on one request. It ends the request's context:
	// the store gives up, and the handler answers 503.
	requestTimeout = 10 * time.Second
	// busyInterval is how often the log says that requests are refused for want of room.
	busyInterval = time.Minute
	// statusClientGone is the status in the log when the client did not wait for the
	// answer, or did not read it. It is sent if nothing else was: a client that has only
	// stopped sending would read 200 otherwise.
	statusClientGone = 499
)

// observe is the only middleware. It wraps every request: it sets the security
// headers and the time limits, counts the calls of the store, turns errors and panics
// into responses, writes the access log, and tells the observer.
func (s *server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		id := rand.Text()
		header := c.Response().Header()
		s.guard.protect(header, c.Request())
		s.letGo(header)
		c.Request().Pattern = c.Path()
		x := &exchange{id: [1]string{id}}
		header[headerRequestID] = x.id[:]
		if s.hoods != nil {
			s.hoods.list(c, &x.cost)
		}
		c.Response().Before(func() {
			if s.hoods != nil {
				s.hoods.keep(c)
			}
			s.guard.show(header, c.Response().Status)
			x.cost.tell(header, c.Request(), c.Response().Status)
			boundWriting(c.Response())
		})
		ctx := c.Request().Context()
		if s.observer != nil {
			observed, end := s.observer.Request(ctx, c.Request().Method, c.Path())
			defer func() { end(c.Response().Status) }()
			ctx = observed
		}
		x.limit.Context, x.limit.deadline = x.cost.ledger.Context(ctx), start.Add(requestTimeout)
		c.SetRequest(c.Request().WithContext(&x.limit))
		defer x.limit.end()
		if err := s.handle(next, c); err != nil {
			c.Error(err)
		}
		s.logAccess(c, start, id)
		return nil
	}
}

// letGo ends the connection with its answer once the process was told to stop. Otherwise the
// client would send its next request while the connection is being closed.
func (s *server) letGo(h http.Header) {
	select {
	case <-s.draining:
		h.Set(echo.HeaderConnection, "close")
	default:
	}
}

// An exchange is what observe needs for one request, in one allocation.
type exchange struct {
	cost  cost
	limit timeLimit
	id    [1]string
}

// headerRequestID is as net/http spells it.
const headerRequestID = "X-Request-Id"

// unlimitTime takes requestTimeout from the request. It is for a response that lasts: its
// handler calls it when there is something to send, and sets limits of its own.
func unlimitTime(c echo.Context) {
	if limit, ok := c.Request().Context().(*timeLimit); ok {
		c.SetRequest(c.Request().WithContext(limit.Context))
	}
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

// accessLevel is slog.LevelDebug for the probes of an orchestrator, which would fill
// the log.
func accessLevel(c echo.Context) slog.Level {
	if c.Path() == healthPath || c.Path() == readyPath {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// handle calls next if the guard admits the request. It turns a panic into an error.
func (s *server) handle(next echo.HandlerFunc, c echo.Context) (err error) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if aborted, ok := cause.(error); ok && errors.Is(aborted, http.ErrAbortHandler) {
			panic(cause) // net/http drops the connection silently
		}
		err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}()
	release, err := s.guard.admit(c.Response().Writer, c.Request(), bodyLimit(c.Path()))
	if err != nil {
		return err
	}
	defer release()
	return next(c)
}

// respondError answers a request that failed. Handlers return their errors and do not log
// them: the cause of a failure on the server's side is logged once, here.
func (s *server) respondError(err error, c echo.Context) {
	left := errors.Is(err, context.Canceled) && errors.Is(c.Request().Context().Err(), context.Canceled)
	if left || unread(c.Response(), err) {
		if !c.Response().Committed {
			c.Response().WriteHeader(statusClientGone)
		}
		c.Response().Status = statusClientGone
		return
	}
	p := problemOf(err)
	p.RequestID = c.Response().Header().Get(echo.HeaderXRequestID)
	var refused *refusal
	switch {
	case p.Type == busyType && !errors.Is(err, domain.ErrUnavailable) && !c.Response().Committed:
		s.logBusy(c, err)
	case p.Status >= http.StatusInternalServerError && !errors.As(err, &refused), c.Response().Committed:
		s.logFailure(c, "request failed", err)
	}
	if c.Response().Committed {
		return // a part of the response is already sent
	}
	p.setHeaders(c.Response().Header())
	if err := s.writeProblem(c, p); err != nil {
		s.logFailure(c, "writing a problem", err)
	}
}

func (s *server) writeProblem(c echo.Context, p problem) error {
	if wantsJSON(c) {
		return writeJSON(c, p.Status, problemType, p.forPrograms(c.Request().Method))
	}
	return s.pages().problemPage(c, p)
}

func (s *server) logFailure(c echo.Context, message string, err error) {
	s.log.LogAttrs(c.Request().Context(), slog.LevelError, message,
		slog.String("id", c.Response().Header().Get(echo.HeaderXRequestID)),
		slog.Any("error", err))
}

// logBusy logs once in busyInterval that requests are refused for want of room. Each of
// them has its line in the access log.
func (s *server) logBusy(c echo.Context, err error) {
	now := time.Now()
	last := s.busy.Load()
	if last != nil && now.Sub(*last) < busyInterval || !s.busy.CompareAndSwap(last, &now) {
		return
	}
	s.log.LogAttrs(c.Request().Context(), slog.LevelWarn, "too busy: some requests are refused",
		slog.String("id", c.Response().Header().Get(echo.HeaderXRequestID)),
		slog.Any("error", err))
}

package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
)

const (
	// requestTimeout bounds the work on one request. It ends the request's context:
	// the store gives up, and the handler answers 503.
	requestTimeout = 10 * time.Second
	// statusClientGone is the status in the log when the client did not wait for the
	// answer, or did not read it. It is sent if nothing else was: a client that has only
	// stopped sending would read 200 otherwise.
	statusClientGone = 499
)

// An exchange is what a request has besides its echo.Context: for the log, for the page that says why
// it failed, and what it cost.
type exchange struct {
	id        string
	callLog   storage.CallLog
	admission *admission
	// release stops to count the body, of which the answer may have a draft.
	release func()
	// client is whose turns and answers it takes.
	client client
	// leave ends the turn of a request that reads. It is nil if it has had none.
	leave  func()
	writer patientWriter
	// unlimited is the request's context without requestTimeout, for a stream.
	unlimited context.Context
	// user is the user's name, for the log.
	user domain.UserName
	// visitor is who sent the request, if its handler failed. It is nil if it reached none.
	visitor *visitor
	// channel is the one that the request is about, once it was read.
	channel domain.Channel
	// draft is nil unless the request sent one.
	draft *draft
}

// exchangeKey is the key of a *exchange in the context of its request.
type exchangeKey struct{}

func exchangeOf(c echo.Context) *exchange {
	return c.Request().Context().Value(exchangeKey{}).(*exchange)
}

// observe is the only middleware. It wraps every request: it sets the security
// headers and the time limits, counts the calls of the store, turns errors and panics
// into responses, writes the access log, and tells the observer.
func (s *server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start, x, h := time.Now(), &exchange{admission: s.admission, client: s.admission.clientOf(c.Request(), visitor{}), release: func() {}}, c.Response().Header()
		ignoreOtherSchemes(c.Request().Header)
		s.admission.protect(h, c.Request())
		x.id = rand.Text()
		h.Set(echo.HeaderXRequestID, x.id)
		select {
		case <-s.Draining: // or the client would send its next request while the connection is being closed
			h.Set(echo.HeaderConnection, "close")
		default:
		}
		c.Request().Pattern = c.Path()
		if s.Teach && !s.wantsJSON(c) { // the page lists them
			x.callLog.List(listedCalls)
		}
		c.Response().Before(func() {
			s.admission.show(h, c.Response().Status)
			tellCost(c, x)
			x.endTurn()
			x.writer = patientWriter{c.Response().Writer}
			c.Response().Writer = &x.writer
		})
		ctx := context.WithValue(c.Request().Context(), exchangeKey{}, x)
		if s.Observer != nil {
			end := s.Observer.Request(c.Request(), c.Path())
			defer func() { end(c.Response().Status) }()
		}
		x.unlimited = x.callLog.Context(ctx)
		limited, cancel := context.WithTimeout(x.unlimited, requestTimeout)
		defer cancel()
		c.SetRequest(c.Request().WithContext(limited))
		defer func() { x.endTurn(); x.release() }()
		if err := s.handle(next, c); err != nil {
			c.Error(err)
		}
		s.logAccess(c, start)
		return nil
	}
}

// handle calls next if the admission allows the request. It turns a panic into an error.
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
	release, err := s.admission.admit(c.Response().Writer, c.Request(), cmp.Or(s.bodies[c.Path()], maxBody))
	if err != nil {
		return err
	}
	exchangeOf(c).release = release
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
	if path, slash := strings.CutSuffix(c.Request().URL.EscapedPath(), "/"); slash && errors.Is(err, echo.ErrNotFound) && isRead(c.Request().Method) && !s.wantsJSON(c) && localPath(path) != "" {
		if query := c.Request().URL.RawQuery; query != "" {
			path += "?" + query
		}
		_ = seeOther(c, path)
		return
	}
	if p.Status == http.StatusServiceUnavailable && p.Detail == "" && !isRead(c.Request().Method) && exchangeOf(c).callLog.Totals().Writes == 0 {
		p.Detail = "The site cannot reach its data. Nothing was saved. Try again."
	}
	p.RequestID = c.Response().Header().Get(echo.HeaderXRequestID)
	switch {
	case errors.Is(err, domain.ErrGone): // a feed of a channel that is being deleted is answered 503, which is no failure
	case p.Type == busyType && !errors.Is(err, domain.ErrUnavailable) && !c.Response().Committed:
		s.logFailure(c, slog.LevelWarn, "too busy", err)
	case p.Status >= http.StatusInternalServerError, c.Response().Committed:
		s.logFailure(c, slog.LevelError, "request failed", err)
	}
	if c.Response().Committed {
		return // a part of the response is already sent
	}
	p.setHeaders(c.Response().Header())
	if s.wantsJSON(c) {
		err = writeJSON(c, p.Status, problemType, p.forClients(c.Request().Method))
	} else {
		err = s.problemPage(c, err, p)
	}
	if err == nil {
		return
	}
	s.logFailure(c, slog.LevelError, "writing a problem", err)
	if !c.Response().Committed { // else net/http would answer 200
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(seconds(unavailableRetry)))
		http.Error(c.Response(), "The answer could not be made. Look whether what you sent was saved, and try again.", http.StatusServiceUnavailable)
	}
}

// unread reports whether a response failed because its client did not accept it: the
// client was too slow, or left, or the process stopped first. That is no fault of this server.
func unread(response *echo.Response, err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return response.Committed && ok && failed.Op == "write" && !errors.Is(err, domain.ErrUnavailable)
}

func (s *server) logFailure(c echo.Context, level slog.Level, message string, err error) {
	s.Logger.LogAttrs(c.Request().Context(), level, message, slog.Any("error", err))
}

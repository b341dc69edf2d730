package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

const (
	// watchInterval is how often a deletion that is watched is read. A worker records its
	// progress as often.
	watchInterval = time.Second
	// watchLifetime bounds a stream. A browser that is still interested opens a new
	// one.
	watchLifetime = 5 * time.Minute
	// keepAlive is how long a stream may be silent before it sends a comment. The
	// comment keeps proxies from closing it, and shows whether the reader has left.
	keepAlive = 15 * time.Second
	// reopenAfter is how long a browser waits before it opens a stream again.
	reopenAfter = 2 * time.Second
	// sessionAge is how long ago a stream may have looked at its session when it sends a part.
	sessionAge = 5 * time.Second
	// streamRetry is the Retry-After of a stream that finds no room.
	streamRetry = 30 * time.Second
)

// streamDeletion streams the progress of a deletion to the user who asked for it: an event
// "progress" after each change, "end" when it is over or is not the visitor's any more, and "again"
// when the session has ended, or the stream has lasted so long that the browser is to open a new
// one. A poisoned deletion is not over: an operator can requeue it. What is wrong with the request
// is found before the stream begins, and is its answer.
func (s *server) streamDeletion(c echo.Context, v visitor) error {
	client := s.admission.clientAddress(c.Request())
	if !s.streams.take(client, 1) {
		return refuseFor(streamRetry, http.StatusServiceUnavailable, "Too many live pages",
			"This page cannot update by itself now, because too many other pages do. Reload it to see the current state.")
	}
	defer s.streams.give(client, 1)
	now, err := s.namedDeletion(c.Request().Context(), c, v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(exchangeOf(c).unlimited, watchLifetime)
	defer cancel()
	stream, err := s.openEventStream(c, v)
	if err == nil {
		err = s.follow(ctx, c, v, stream, now)
	}
	if errors.Is(err, errReaderLeft) {
		return nil
	}
	return err
}

// follow sends each change until it is over, the session or the context ends, or the process
// stops.
func (s *server) follow(ctx context.Context, c echo.Context, v visitor, stream *eventStream, now domain.Deletion) error {
	var unread error
	for {
		var unsent error
		switch err := cmp.Or(stream.look(), unread); {
		case err == nil:
			unsent = stream.show(ctx, "progress", templates.DeletionProgress(templates.Deletion{Deletion: now, By: v.actor()}))
			if unsent == nil && now.Over() {
				return stream.send("end", nil)
			}
		case errors.Is(err, domain.ErrNotSignedIn):
			return stream.send("again", nil)
		case errors.Is(err, domain.ErrForbidden), errors.Is(err, domain.ErrNotFound):
			return stream.send("end", nil)
		case ctx.Err() == nil: // the next look asks again, so the reader misses nothing
			s.Logger.LogAttrs(ctx, slog.LevelWarn, "could not watch a deletion", slog.Any("error", err))
			unsent = stream.keepAlive()
		}
		if unsent != nil {
			return unsent
		}
		select {
		case <-time.After(watchInterval):
		case <-ctx.Done():
			return stream.send("again", nil)
		case <-s.Stopping:
			return nil
		}
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		now, unread = s.namedDeletion(limited, c, v)
		cancel()
	}
}

// A stream is a response that is sent while the store is still being read. A visitor may end their
// session meanwhile, and then the stream ends too.
type stream struct {
	response *echo.Response
	control  *http.ResponseController
	// session returns domain.ErrNotSignedIn if the session has ended.
	session func() error
	// looked is when the session was read last.
	looked time.Time
}

// openStream sends the headers of a stream that can be written until ctx ends, which is made of the unlimited context
// of the exchange. A request without a stream has requestTimeout.
func (s *server) openStream(ctx context.Context, c echo.Context, v visitor, mediaType string) *stream {
	c.SetRequest(c.Request().WithContext(ctx))
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, mediaType)
	header.Set(echo.HeaderCacheControl, noStore)
	c.Response().WriteHeader(http.StatusOK)
	return &stream{response: c.Response(), control: http.NewResponseController(c.Response().Writer), session: func() error {
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		_, err := s.store.Accounts.Session(limited, v.Token, v.User)
		return err
	}}
}

// look reads the session. It returns domain.ErrNotSignedIn if that has ended, and another error if the
// store does not say. A handler calls it before it sends what it has read.
func (w *stream) look() error {
	now := time.Now()
	err := w.session()
	if err == nil {
		w.looked = now
	}
	return err
}

// Write sends a part of the response. It looks at the session before, unless that was done within the
// last sessionAge.
func (w *stream) Write(part []byte) (int, error) {
	if time.Since(w.looked) >= sessionAge {
		if err := w.look(); err != nil {
			return 0, err
		}
	}
	return w.send(part)
}

// send sends a part that says nothing of what the session may read. It returns errReaderLeft if the reader
// did not accept it in time.
func (w *stream) send(part []byte) (int, error) {
	n, err := w.response.Write(part)
	if err != nil {
		err = fmt.Errorf("%w: %w", errReaderLeft, err)
	}
	return n, err
}

// errReaderLeft ends a stream whose reader has closed the connection. It is not a
// failure, and is not logged.
var errReaderLeft = errors.New("the reader has left")

// An eventStream writes Server-Sent Events (HTML Standard, section 9.2).
type eventStream struct {
	*stream
	last   time.Time
	shown  []byte
	buffer bytes.Buffer
}

// openEventStream sends the headers, and how long the browser waits before it opens the
// stream again.
func (s *server) openEventStream(c echo.Context, v visitor) (*eventStream, error) {
	c.Response().Header().Set("X-Accel-Buffering", "no") // stops nginx from buffering events
	e := &eventStream{stream: s.openStream(exchangeOf(c).unlimited, c, v, "text/event-stream")}
	fmt.Fprintf(&e.buffer, "retry: %d\n\n", reopenAfter.Milliseconds())
	return e, e.flush()
}

// show sends what the component renders as the data of an event, unless it was sent before.
func (s *eventStream) show(ctx context.Context, event string, content templ.Component) error {
	rendered := templ.GetBuffer()
	defer templ.ReleaseBuffer(rendered)
	if err := content.Render(context.WithoutCancel(ctx), rendered); err != nil {
		return err
	}
	if bytes.Equal(rendered.Bytes(), s.shown) {
		return s.keepAlive()
	}
	s.shown = bytes.Clone(rendered.Bytes())
	return s.send(event, s.shown)
}

func (s *eventStream) send(event string, data []byte) error {
	fmt.Fprintf(&s.buffer, "event: %s\n", event)
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		fmt.Fprintf(&s.buffer, "data: %s\n", line)
	}
	s.buffer.WriteByte('\n')
	return s.flush()
}

// keepAlive sends a comment if the stream was silent for that long.
func (s *eventStream) keepAlive() error {
	if time.Since(s.last) < keepAlive {
		return nil
	}
	s.buffer.WriteString(":\n\n")
	return s.flush()
}

// flush sends the buffer, or returns errReaderLeft.
func (s *eventStream) flush() error {
	defer s.buffer.Reset()
	s.last = time.Now()
	if _, err := s.stream.send(s.buffer.Bytes()); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errReaderLeft, err)
	}
	return nil
}

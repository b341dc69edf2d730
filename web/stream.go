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
	// sendTimeout is how long the connection may take to accept what is sent.
	sendTimeout = 10 * time.Second
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
	unlimitTime(c)
	ctx, cancel := context.WithTimeout(c.Request().Context(), watchLifetime)
	defer cancel()
	stream, err := openStream(c.Response())
	if err == nil {
		err = s.follow(ctx, c, v, stream, now)
	}
	if err == nil {
		err = stream.allowSending() // time to tell the reader that the stream is complete
	}
	if errors.Is(err, errReaderLeft) {
		return nil
	}
	return err
}

// follow sends each change until it is over, the session or the context ends, or the process
// stops.
func (s *server) follow(ctx context.Context, c echo.Context, v visitor, stream *eventStream, now domain.Deletion) error {
	for {
		if err := stream.show(ctx, "progress", templates.DeletionProgress(templates.Deletion{Deletion: now})); err != nil {
			return err
		}
		if now.Over() {
			return stream.send("end", nil)
		}
		select {
		case <-time.After(watchInterval):
		case <-ctx.Done():
			return stream.send("again", nil)
		case <-s.Stopping:
			return nil
		}
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		next, err := s.namedDeletion(limited, c, v)
		_, ended := s.store.Accounts.Session(limited, v.Token, v.User)
		cancel()
		switch err := cmp.Or(ended, err); {
		case err == nil:
			now = next
		case errors.Is(err, domain.ErrNotSignedIn):
			return stream.send("again", nil)
		case errors.Is(err, domain.ErrForbidden), errors.Is(err, domain.ErrNotFound):
			return stream.send("end", nil)
		case ctx.Err() == nil: // the next look asks again, so the reader misses nothing
			s.Logger.LogAttrs(ctx, slog.LevelWarn, "could not watch a deletion", slog.Any("error", err))
		}
	}
}

// errReaderLeft ends a stream whose reader has closed the connection. It is not a
// failure, and is not logged.
var errReaderLeft = errors.New("the reader has left")

// An eventStream writes Server-Sent Events (HTML Standard, section 9.2).
type eventStream struct {
	response *echo.Response
	control  *http.ResponseController
	last     time.Time
	shown    []byte
	buffer   bytes.Buffer
}

// openStream sends the headers, and how long the browser waits before it opens the
// stream again.
func openStream(response *echo.Response) (*eventStream, error) {
	s := &eventStream{response: response, control: http.NewResponseController(response.Writer)}
	header := response.Header()
	header.Set(echo.HeaderContentType, "text/event-stream")
	header.Set(echo.HeaderCacheControl, noStore)
	header.Set("X-Accel-Buffering", "no") // stops nginx from buffering events
	response.WriteHeader(http.StatusOK)
	fmt.Fprintf(&s.buffer, "retry: %d\n\n", reopenAfter.Milliseconds())
	return s, s.flush()
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

// flush sends the buffer, or returns errReaderLeft. It sets its own write deadline
// each time, so that the server's limit for a whole response does not cut the
// stream.
func (s *eventStream) flush() error {
	defer s.buffer.Reset()
	s.last = time.Now()
	if err := s.allowSending(); err != nil {
		return err
	}
	_, err := s.response.Write(s.buffer.Bytes())
	if err == nil {
		err = s.control.Flush()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errReaderLeft, err)
	}
	return nil
}

// allowSending sets a write deadline from now. It returns errReaderLeft if the connection
// is closed.
func (s *eventStream) allowSending() error {
	err := s.control.SetWriteDeadline(time.Now().Add(sendTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) { // a test's recorder has no deadlines
		return fmt.Errorf("%w: %w", errReaderLeft, err)
	}
	return nil
}

package web

import (
	"bytes"
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
	// watchInterval is how often a watched deletion is read: as often as a worker
	// records its progress.
	watchInterval = time.Second
	// keepAlive is how long a stream may be silent before a comment is sent, so
	// that proxies keep it open and a reader that has left is noticed.
	keepAlive = 15 * time.Second
	// watchLifetime bounds a stream. A browser that still wants one opens it
	// again, and is asked again who it is.
	watchLifetime = 5 * time.Minute
	// reopenAfter is how long a browser waits before it opens a stream again.
	reopenAfter = 2 * time.Second
	// sendTimeout is how long a reader may take to accept what is sent.
	sendTimeout = 10 * time.Second
)

// errReaderLeft ends a stream that nobody reads any more. It is no failure.
var errReaderLeft = errors.New("the reader has left")

// events streams the progress of a deletion to who asked for it: an event
// "progress" whenever it changed, and "end" once it will not change any more.
func (h *deletionPages) events(c echo.Context, v visitor) error {
	d, err := namedDeletion(c, h.store, v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), watchLifetime)
	defer cancel()
	stream, err := openStream(c.Response())
	if err == nil {
		err = h.follow(ctx, stream, d)
	}
	if errors.Is(err, errReaderLeft) {
		return nil
	}
	return err
}

// follow sends what changes, until nothing will, or the context ends, or the
// process stops.
func (h *deletionPages) follow(ctx context.Context, stream *eventStream, d domain.Deletion) error {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	var sent templates.Deletion
	for {
		var err error
		if now := deletionOf(d); now != sent {
			sent = now
			err = stream.send(ctx, "progress", templates.DeletionProgress(time.Now(), now))
		} else {
			err = stream.keepAlive()
		}
		if err != nil {
			return err
		}
		if d.State == domain.DeletionDone { // what is poisoned goes on once it is requeued
			return stream.send(ctx, "end", templ.NopComponent)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		case <-h.stopping:
			return nil
		}
		d = h.reread(ctx, d)
	}
}

// reread is the deletion as it is now, or as it was if the store does not answer
// this time: it is asked again in a moment, and the reader misses nothing.
func (h *deletionPages) reread(ctx context.Context, d domain.Deletion) domain.Deletion {
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	now, err := h.store.Deletion(limited, d.Channel, d.RequestedBy)
	if err != nil {
		if ctx.Err() == nil {
			h.log.LogAttrs(ctx, slog.LevelWarn, "watching a deletion", slog.Any("error", err))
		}
		return d
	}
	return now
}

// An eventStream writes Server-Sent Events (HTML Standard, section 9.2).
type eventStream struct {
	response *echo.Response
	control  *http.ResponseController
	last     time.Time
	buffer   bytes.Buffer
}

// openStream begins the response.
func openStream(response *echo.Response) (*eventStream, error) {
	s := &eventStream{response: response, control: http.NewResponseController(response.Writer)}
	header := response.Header()
	header.Set(echo.HeaderContentType, "text/event-stream")
	header.Set(echo.HeaderCacheControl, "no-store")
	header.Set("X-Accel-Buffering", "no") // nginx would collect events otherwise
	response.WriteHeader(http.StatusOK)
	fmt.Fprintf(&s.buffer, "retry: %d\n\n", reopenAfter.Milliseconds())
	return s, s.flush()
}

// send sends an event whose data is what the component renders.
func (s *eventStream) send(ctx context.Context, event string, content templ.Component) error {
	rendered := templ.GetBuffer()
	defer templ.ReleaseBuffer(rendered)
	if err := content.Render(context.WithoutCancel(ctx), rendered); err != nil {
		return err
	}
	fmt.Fprintf(&s.buffer, "event: %s\n", event)
	for line := range bytes.SplitSeq(rendered.Bytes(), []byte("\n")) {
		fmt.Fprintf(&s.buffer, "data: %s\n", line)
	}
	s.buffer.WriteByte('\n')
	return s.flush()
}

// keepAlive sends a comment if nothing has been sent for a while.
func (s *eventStream) keepAlive() error {
	if time.Since(s.last) < keepAlive {
		return nil
	}
	s.buffer.WriteString(":\n\n")
	return s.flush()
}

// flush sends what is in the buffer, or is errReaderLeft. Each time it allows
// for itself as long as it may take: what a server allows for a whole response
// must not end it half way.
func (s *eventStream) flush() error {
	defer s.buffer.Reset()
	s.last = time.Now()
	err := s.control.SetWriteDeadline(s.last.Add(sendTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) { // a test's recorder has no deadlines
		return err
	}
	_, err = s.response.Write(s.buffer.Bytes())
	if err == nil {
		err = s.control.Flush()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errReaderLeft, err)
	}
	return nil
}

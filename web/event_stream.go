package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

const (
	// keepAlive is how long a stream may be silent before a comment is sent, so
	// that proxies keep it open and a reader that has left is noticed.
	keepAlive = 15 * time.Second
	// reopenAfter is how long a browser waits before it opens a stream again.
	reopenAfter = 2 * time.Second
	// sendTimeout is how long a reader may take to accept what is sent.
	sendTimeout = 10 * time.Second
)

// errReaderLeft ends a stream that nobody reads any more. It is no failure.
var errReaderLeft = errors.New("the reader has left")

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

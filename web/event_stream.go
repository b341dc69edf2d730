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
	// keepAlive is how long a stream may be silent before it sends a comment. The
	// comment keeps proxies from closing it, and shows whether the reader has left.
	keepAlive = 15 * time.Second
	// reopenAfter is how long a browser waits before it opens a stream again.
	reopenAfter = 2 * time.Second
	// sendTimeout is how long the connection may take to accept what is sent.
	sendTimeout = 10 * time.Second
)

// errReaderLeft ends a stream whose reader has closed the connection. It is not a
// failure, and is not logged.
var errReaderLeft = errors.New("the reader has left")

// An eventStream writes Server-Sent Events (HTML Standard, section 9.2).
type eventStream struct {
	response *echo.Response
	control  *http.ResponseController
	last     time.Time
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

// send renders the component and sends it as the data of an event.
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

// close gives the server time to tell the reader that the stream is complete. The last
// deadline has passed if the stream was silent since.
func (s *eventStream) close() error { return s.allowSending() }

// allowSending sets a write deadline from now. It returns errReaderLeft if the connection
// is closed.
func (s *eventStream) allowSending() error {
	err := s.control.SetWriteDeadline(time.Now().Add(sendTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) { // a test's recorder has no deadlines
		return fmt.Errorf("%w: %w", errReaderLeft, err)
	}
	return nil
}

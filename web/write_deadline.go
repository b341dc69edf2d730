package web

import (
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

const (
	// writeTime is how long a client may take to accept a short response.
	writeTime = 30 * time.Second
	// slowestReader is the rate, in bytes a second, at which a client must accept the
	// rest of a longer one: a bad connection of a phone reaches it.
	slowestReader = 8 << 10
)

// boundWriting sets the deadline for a response that is about to begin. A client that
// does not read is cut off then, and so gives back what the response holds. A response
// of unknown length gets as long as a short one. An event stream sets its own deadlines. A
// 304 has no body to wait for: the deadline that the server has set is enough.
func boundWriting(response *echo.Response) {
	if response.Status == http.StatusNotModified {
		return
	}
	length, err := strconv.ParseInt(response.Header().Get(echo.HeaderContentLength), 10, 64)
	if err != nil {
		length = 0
	}
	allowed := writeTime + time.Duration(length)*time.Second/slowestReader
	// It fails on a connection that is closed, which the first write reports, and
	// on one without deadlines, such as the recorder of a test.
	if w, ok := response.Writer.(interface {
		SetWriteDeadline(deadline time.Time) error
	}); ok {
		_ = w.SetWriteDeadline(time.Now().Add(allowed))
		return
	}
	_ = http.NewResponseController(response.Writer).SetWriteDeadline(time.Now().Add(allowed))
}

// unread reports whether a response failed because its client did not accept it: the
// client was too slow, or left, or the process stopped first. That is no fault of ours.
func unread(response *echo.Response, err error) bool {
	var failed *net.OpError
	return response.Committed && errors.As(err, &failed) && failed.Op == "write" && !errors.Is(err, domain.ErrUnavailable)
}

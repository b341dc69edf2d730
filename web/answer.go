package web

import (
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/templates"
)

const (
	// ConnectionBuffer is how many bytes of answers the kernel should keep for a connection. Without
	// a bound it keeps megabytes for each client that does not read.
	ConnectionBuffer = 16 << 10

	// maxAnswers is how many bytes of answers may wait for all users together, and for all others, and
	// maxClientAnswers how many for one client. So 12 clients who do not read can take all of a kind.
	maxAnswers       = 24 << 20
	maxClientAnswers = 2 << 20
	// answerRetry is the Retry-After of an answer that is too much.
	answerRetry = 5 * time.Second

	// maxClientReads is how many answers are made for one client together, and maxReads how many for all users, and
	// for all others. Other requests wait, since an answer takes some megabytes while it is made.
	maxClientReads = 4
	maxReads       = 16

	// maxList is how many bytes an answer with posts may have, about. A list that has more ends
	// earlier, and links to the rest. It has one post at least.
	maxList = 1 << 20

	// A client has takeTime to accept each takePart of an answer.
	takeTime = 20 * time.Second
	takePart = 32 << 10
)

// deliver sends an answer whose body is complete. It counts the body of what a client only reads until the
// client has accepted it. If that is too much, it sets no header, sends nothing and returns an error. A small
// body fits in the connection's buffer, so it is not counted: a client can take such pages whatever other clients
// leave unread. Nor is the answer to a write counted, or a problem: a write that was saved would be answered 503,
// and a client would not learn why its request was refused, nor get its draft back.
func deliver(c echo.Context, status int, header http.Header, body []byte) error {
	reads := c.Request().Method == http.MethodGet || c.Path() == templates.PreviewPath
	if n := int64(len(body)); n > ConnectionBuffer && reads && status < http.StatusBadRequest {
		x := exchangeOf(c)
		answers := x.admission.answersOf(x.client)
		if !answers.take(x.client, n) {
			c.Response().Header().Del(headerLink) // of a list, which the refusal is not
			// What an address was shown once, or seen, is said by a cookie. It has not been shown.
			c.Response().Header().Del(echo.HeaderSetCookie)
			why := "Your network has asked for more than it reads."
			if x.client.user != "" {
				why = "You have asked for more than you read."
			}
			return refuseFor(answerRetry, http.StatusServiceUnavailable, "Too many answers are under way",
				why+" Read the answers that you have asked for, and then ask again.")
		}
		defer answers.give(x.client, n)
	}
	maps.Copy(c.Response().Header(), header)
	c.Response().WriteHeader(status)
	_, err := c.Response().Write(body)
	return err
}

// takeTurn waits until the answer may be made. It is made once its header is sent, which calls endTurn.
func (s *server) takeTurn(c echo.Context) error {
	leave, err := s.reads.enter(c.Request().Context(), exchangeOf(c).client)
	if err == nil {
		exchangeOf(c).leave = sync.OnceFunc(leave)
	}
	return err
}

// endTurn lets another request have the turn, if this one has it still. It is safe for concurrent use.
func (x *exchange) endTurn() {
	if x.leave != nil {
		x.leave()
	}
}

// A patientWriter sends an answer in parts, and gives the client takeTime for each. So a client that reads
// nothing is cut off soon, and one that reads slowly gets the whole answer, or a stream without an end.
type patientWriter struct{ http.ResponseWriter }

// Write implements io.Writer.
func (w *patientWriter) Write(body []byte) (written int, err error) {
	control := http.NewResponseController(w.ResponseWriter)
	for err == nil && len(body) > 0 {
		// It fails on a connection that is closed, which the write reports, and on one without
		// deadlines, such as the recorder of a test.
		_ = control.SetWriteDeadline(time.Now().Add(takeTime))
		part := body[:min(len(body), takePart)]
		n := 0
		n, err = w.ResponseWriter.Write(part)
		written, body = written+n, body[n:]
	}
	return written, err
}

// Unwrap is for http.ResponseController.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// fitting reads a page of posts or replies, and a shorter one if its answer would have more than maxList bytes. bytes
// is how many one takes there, about.
func fitting[P, T any](limit int, read func(limit int) (P, error), items func(P) []T, bytes func(T) int) (P, error) {
	for {
		page, err := read(limit)
		if err != nil {
			return page, err
		}
		all, left, fit := items(page), maxList, 0
		for fit < len(all) && left >= 0 {
			if left -= bytes(all[fit]); left >= 0 {
				fit++
			}
		}
		if fit == len(all) || limit == 1 {
			return page, nil
		}
		limit = max(fit, 1)
	}
}

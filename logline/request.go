package logline

import (
	"context"
	"log/slog"
	"strconv"
	"time"
)

// A Request is what the access log says of a request that has been answered.
type Request struct {
	Level  slog.Level
	Ended  time.Time
	Took   time.Duration
	Method string
	Path   string
	Status int
	ID     string
	// Client names the client, and User the account if there is one.
	Client, User string
}

// Log logs the request by a handler, which must be enabled for its level. The handlers of this
// package do it with a part of what a record takes.
func (r Request) Log(ctx context.Context, by slog.Handler) error {
	if quick, ok := by.(requestHandler); ok {
		return quick.handleRequest(r)
	}
	return by.Handle(ctx, r.record())
}

type requestHandler interface {
	// handleRequest does what Handle does with the record of the request.
	handleRequest(r Request) error
}

const requestMessage = "request"

// record makes the record itself: a Logger would find out which line of the program asks,
// which takes longer than the rest.
func (r Request) record() slog.Record {
	record := slog.NewRecord(r.Ended, r.Level, requestMessage, 0)
	record.AddAttrs(
		slog.String("method", r.Method),
		slog.String("path", r.Path),
		slog.Int("status", r.Status),
		slog.Duration("duration", r.Took),
		slog.String("id", r.ID),
		slog.String("client", r.Client))
	if r.User != "" {
		record.AddAttrs(slog.String("user", r.User))
	}
	return record
}

// append appends the line of the record, if it has one without quotes.
func (r Request) append(line []byte, last *clock) (_ []byte, ok bool) {
	if r.Ended.IsZero() || !plain(r.Method) || !plain(r.Path) || !plain(r.ID) || !plain(r.Client) || r.User != "" && !plain(r.User) {
		return nil, false
	}
	line = appendHead(line, last, r.Ended, r.Level, requestMessage)
	line = append(append(line, " method="...), r.Method...)
	line = append(append(line, " path="...), r.Path...)
	line = strconv.AppendInt(append(line, " status="...), int64(r.Status), 10)
	line = append(append(line, " duration="...), r.Took.String()...)
	line = append(append(line, " id="...), r.ID...)
	line = append(append(line, " client="...), r.Client...)
	if r.User != "" {
		line = append(append(line, " user="...), r.User...)
	}
	return append(line, '\n'), true
}

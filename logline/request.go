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
	// Client is the client's name or, if Names is not nil, what Names makes it of.
	Client string
	Names  Namer
	// User is the account, if there is one.
	User string
}

// A Namer says what the log calls a client. It is asked when the line is made: for the lines
// of several requests one after the other, which costs a third of asking during each.
type Namer interface {
	// NameClient returns the name of a client of whom this was seen, at the time of its request.
	NameClient(seen string, at time.Time) string
}

// Log logs the request by a handler, which must be enabled for its level. The handlers of this
// package do it with a part of what a record takes.
func (r *Request) Log(ctx context.Context, by slog.Handler) error {
	switch by := by.(type) { // not one interface, which would move the request to the heap
	case later:
		return by.handleRequest(r)
	case *handler:
		return by.handleRequest(r)
	}
	return by.Handle(ctx, r.record())
}

const requestMessage = "request"

// name returns the client's name.
func (r *Request) name() string {
	if r.Names == nil {
		return r.Client
	}
	return r.Names.NameClient(r.Client, r.Ended)
}

// record makes the record itself: a Logger would find out which line of the program asks,
// which takes longer than the rest.
func (r *Request) record() slog.Record {
	record := slog.NewRecord(r.Ended, r.Level, requestMessage, 0)
	record.AddAttrs(
		slog.String("method", r.Method),
		slog.String("path", r.Path),
		slog.Int("status", r.Status),
		slog.Duration("duration", r.Took),
		slog.String("id", r.ID),
		slog.String("client", r.name()))
	if r.User != "" {
		record.AddAttrs(slog.String("user", r.User))
	}
	return record
}

// append appends the line of the record, if it has one without quotes.
func (r *Request) append(line []byte, last *clock) (_ []byte, ok bool) {
	client := r.name()
	if r.Ended.IsZero() || !plain(r.Method) || !plain(r.Path) || !plain(r.ID) || !plain(client) || r.User != "" && !plain(r.User) {
		return nil, false
	}
	line = appendHead(line, last, r.Ended, r.Level, requestMessage)
	line = append(append(line, " method="...), r.Method...)
	line = append(append(line, " path="...), r.Path...)
	line = strconv.AppendInt(append(line, " status="...), int64(r.Status), 10)
	line = append(append(line, " duration="...), r.Took.String()...)
	line = append(append(line, " id="...), r.ID...)
	line = append(append(line, " client="...), client...)
	if r.User != "" {
		line = append(append(line, " user="...), r.User...)
	}
	return append(line, '\n'), true
}

// Package logline writes the lines of the access log, which is one line for each request, at
// a small part of what package slog takes for them.
//
// # The problem
//
// A page from memory takes some 40 µs of a processor. To make its line by package slog, and
// to write it by a call of its own, is a fifth of that.
//
// # The model
//
// [NewTextHandler] writes what slog.NewTextHandler writes, byte for byte. A [Buffer] keeps
// records for a moment, and makes and writes the lines of several at once: between two
// requests, the memory that this takes is cold, and it takes twice as long. A [Request] is a
// record whose attributes are known, so that it needs none of slog's.
//
// # What survives failure
//
// A record waits for 10 ms at most, and a warning or an error does not wait. Flush writes all
// that waits, so that a process which ends in order loses nothing. One that is killed, or
// that the runtime ends (a panic that nobody recovers), loses the lines of its last 10 ms, 256
// at most: requests that were answered.
package logline

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"
)

// NewTextHandler returns a handler that writes what slog.NewTextHandler writes. Of the
// options, it takes the level alone.
func NewTextHandler(w io.Writer, level slog.Leveler) slog.Handler {
	shared := &locked{w: w}
	return &handler{Handler: slog.NewTextHandler(shared, &slog.HandlerOptions{Level: level}), w: shared}
}

// locked lets both handlers write to one writer, which need not be safe for that.
type locked struct {
	mu   sync.Mutex
	w    io.Writer
	line []byte
	last clock
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// A handler writes requests, and records of plain words and numbers, itself. It leaves all
// others, and those of loggers with attributes of their own, to the handler of package slog.
type handler struct {
	slog.Handler
	w *locked
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	ok, err := h.w.write(func(line []byte, last *clock) ([]byte, bool) { return appendRecord(line, last, r) })
	if ok {
		return err
	}
	return h.Handler.Handle(ctx, r)
}

func (h *handler) handleRequest(r *Request) error {
	if ok, err := h.w.write(r.append); ok {
		return err
	}
	return h.Handler.Handle(context.Background(), r.record())
}

// write writes a line, if it can be made.
func (l *locked) write(appended func(line []byte, last *clock) (_ []byte, ok bool)) (ok bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line, ok := appended(l.line[:0], &l.last)
	if !ok {
		return false, nil
	}
	l.line = line
	_, err = l.w.Write(line)
	return true, err
}

// appendHead appends what every line begins with. The message must be plain.
func appendHead(line []byte, last *clock, at time.Time, level slog.Level, message string) []byte {
	line = last.append(append(line, "time="...), at)
	line = append(append(line, " level="...), level.String()...)
	return append(append(line, " msg="...), message...)
}

// appendRecord appends the line of a record, if it has one without quotes.
func appendRecord(line []byte, last *clock, r slog.Record) (_ []byte, ok bool) {
	if r.Time.IsZero() || !plain(r.Message) {
		return nil, false
	}
	line, ok = appendHead(line, last, r.Time, r.Level, r.Message), true
	r.Attrs(func(a slog.Attr) bool {
		if ok = plain(a.Key); ok {
			line = append(append(append(line, ' '), a.Key...), '=')
			line, ok = appendValue(line, a.Value)
		}
		return ok
	})
	return append(line, '\n'), ok
}

func appendValue(line []byte, value slog.Value) ([]byte, bool) {
	switch value.Kind() {
	case slog.KindString:
		return append(line, value.String()...), plain(value.String())
	case slog.KindInt64:
		return strconv.AppendInt(line, value.Int64(), 10), true
	case slog.KindDuration:
		return append(line, value.Duration().String()...), true
	}
	return line, false
}

// A clock has the second of the last line in words, since most lines are of the same one.
type clock struct {
	second        int64 // Unix time
	zone          *time.Location
	before, after []byte // of the milliseconds
}

// append appends a time as package slog does: to the millisecond, rounded down.
func (c *clock) append(line []byte, t time.Time) []byte {
	if t.Unix() != c.second || t.Location() != c.zone {
		c.second, c.zone = t.Unix(), t.Location()
		c.before = t.AppendFormat(c.before[:0], "2006-01-02T15:04:05.")
		c.after = t.AppendFormat(c.after[:0], "Z07:00")
	}
	line = append(line, c.before...)
	millis := t.Nanosecond() / int(time.Millisecond)
	line = append(line, byte('0'+millis/100), byte('0'+millis/10%10), byte('0'+millis%10))
	return append(line, c.after...)
}

// plain reports whether a word is written without quotes in any case.
func plain(word string) bool {
	for i := range len(word) {
		if c := word[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '=' || c == '\\' {
			return false
		}
	}
	return word != ""
}

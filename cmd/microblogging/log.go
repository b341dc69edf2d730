package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"microblogging/web"
)

const (
	// maxLines is how many lines of the log wait at most, and maxWrite about how many bytes are
	// written together.
	maxLines = 4096
	maxWrite = 64 << 10
	// pause is the time between two calls, so that the lines of a busy site share one. A call for each
	// takes 4 % of its processor time, besides what it takes to wake this goroutine.
	pause = time.Millisecond
	// logEnd is how long a process that ends waits for its log.
	logEnd = time.Second
)

// logger returns the log. Stop must be called at the end, and writes the lines that wait.
func (f roleFlags) logger(w io.Writer) (log *slog.Logger, stop func()) {
	lines := &logLines{waiting: make(chan []byte, maxLines), ending: make(chan struct{})}
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.LogLevel)) // it is one of four
	options := slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewTextHandler(lines, &options)
	if f.LogFormat == "json" {
		handler = slog.NewJSONHandler(lines, &options)
	}
	log = slog.New(contextHandler{handler})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		lines.writeTo(w, log)
	}()
	return log, func() {
		close(lines.ending)
		select {
		case <-ended:
		case <-time.After(logEnd): // a writer that hangs does not decide when the process ends
		}
	}
}

// logAlways logs a line whatever --log-level says: the logger asks for the level, and its handler does not.
func logAlways(ctx context.Context, log *slog.Logger, message string, attrs ...any) {
	line := slog.NewRecord(time.Now(), slog.LevelInfo, message, 0)
	line.Add(attrs...)
	_ = log.Handler().Handle(ctx, line) // there is no place to report a log that fails
}

// A contextHandler adds to a line the request that it belongs to, whichever code logs it; not to a line of
// a group. It writes the durations of a line, not those of With, in seconds. (ReplaceAttr
// would make each line take twice as long.)
type contextHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h contextHandler) Handle(ctx context.Context, r slog.Record) error {
	timed := false
	r.Attrs(func(a slog.Attr) bool { timed = a.Value.Kind() == slog.KindDuration; return !timed })
	if timed {
		line := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
		r.Attrs(func(a slog.Attr) bool {
			if a.Value.Kind() == slog.KindDuration {
				a.Value = slog.Float64Value(a.Value.Duration().Seconds())
			}
			line.AddAttrs(a)
			return true
		})
		r = line
	}
	if id := web.RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return contextHandler{h.Handler.WithAttrs(attrs)}
}

// logLines are the lines of a log that wait to be written. The caller does not wait for that: if
// the writer hangs, as a pipe does that no process reads, what does not fit is lost.
type logLines struct {
	waiting chan []byte
	lost    atomic.Int64
	ending  chan struct{}
}

// Write implements io.Writer.
func (l *logLines) Write(line []byte) (int, error) {
	select {
	case l.waiting <- bytes.Clone(line):
	default:
		l.lost.Add(1)
	}
	return len(line), nil
}

// writeTo writes lines until none waits at the end. Those that wait together share a call.
func (l *logLines) writeTo(w io.Writer, log *slog.Logger) {
	var text []byte
	for ending := l.ending; ending != nil || len(l.waiting) > 0; {
		select {
		case line := <-l.waiting:
			text = append(text, line...)
		case <-ending:
			ending = nil
			continue
		}
		if len(l.waiting) > 0 && len(text) < maxWrite {
			continue
		}
		_, err := w.Write(text) // there is no place to report a log that fails
		text = text[:0]
		time.Sleep(pause)
		if err == nil && l.lost.Load() > 0 && len(l.waiting) == 0 { // there is room for one more
			log.Warn("the log could not be written, and lines are lost", "lines", l.lost.Swap(0))
		}
	}
}

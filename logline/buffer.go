package logline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"sync"
	"time"
)

const (
	// wait is how long a record waits at most.
	wait = 10 * time.Millisecond
	// many is how many records wait at most.
	many = 256
	// mostOfPipe is how many bytes are written at once: as many as a pipe takes whole
	// (PIPE_BUF), so that the lines of two processes do not mix.
	mostOfPipe = 4096
	// mostOfFile is how many bytes are written to a regular file at once. A file takes any
	// number whole, and between two calls the memory that it takes for one gets cold.
	mostOfFile = 64 << 10
)

// A Buffer keeps the records of a log for a moment, and makes and writes the lines of
// several at once. It is safe for concurrent use. Soon after its last record, it has neither a
// goroutine nor a timer that runs.
type Buffer struct {
	// writing is held while lines are made and written, so that they stay in their order.
	// It is locked before mu.
	writing sync.Mutex
	w       io.Writer
	most    int
	lines   []byte
	// spare is the memory of records that have been written.
	spare []waiting

	mu      sync.Mutex
	records []waiting
	// timer flushes. It runs on when all has been flushed before it is due, because to stop
	// it at each flush costs more than a flush of nothing.
	timer *time.Timer
	runs  bool
}

// waiting is a request or a record, and the handler that makes its line.
type waiting struct {
	by      slog.Handler
	request Request
	// record is nil for a request.
	record *slog.Record
}

// NewBuffer returns a Buffer in front of a writer, which need not be safe for concurrent use.
// Whoever ends the process must call Flush before.
func NewBuffer(w io.Writer) *Buffer {
	b := &Buffer{w: w, most: mostAtOnce(w), spare: make([]waiting, 0, many), records: make([]waiting, 0, many)}
	b.timer = time.AfterFunc(time.Hour, b.due)
	b.timer.Stop()
	return b
}

// mostAtOnce returns how many bytes a writer gets at once.
func mostAtOnce(w io.Writer) int {
	if file, ok := w.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return mostOfFile
		}
	}
	return mostOfPipe
}

// Handler returns a handler whose records wait. Their lines are made by the handler that
// newHandler returns, which must write each by one call. That handler gets no context of a
// request, which may have ended. A record of slog.LevelWarn or above does not wait, nor does
// one with a value that may change, nor do those before it.
func (b *Buffer) Handler(newHandler func(w io.Writer) slog.Handler) slog.Handler {
	return later{newHandler((*lineWriter)(b)), b}
}

type later struct {
	slog.Handler
	buffer *Buffer
}

func (l later) Handle(_ context.Context, r slog.Record) error {
	return l.buffer.add(&waiting{by: l.Handler, record: &r}, r.Level >= slog.LevelWarn || mayChange(r))
}

func (l later) handleRequest(r *Request) error {
	return l.buffer.add(&waiting{by: l.Handler, request: *r}, r.Level >= slog.LevelWarn)
}

// mayChange reports whether a value of the record may be another when its line is made.
func mayChange(r slog.Record) (may bool) {
	r.Attrs(func(a slog.Attr) bool {
		kind := a.Value.Kind()
		may = kind == slog.KindAny || kind == slog.KindGroup || kind == slog.KindLogValuer
		return !may
	})
	return may
}

func (l later) WithAttrs(attrs []slog.Attr) slog.Handler {
	return later{l.Handler.WithAttrs(attrs), l.buffer}
}

func (l later) WithGroup(name string) slog.Handler {
	return later{l.Handler.WithGroup(name), l.buffer}
}

// add takes a record, and flushes if that may not wait or if as many wait as may.
func (b *Buffer) add(r *waiting, now bool) error {
	if full := b.put(r); full || now {
		return b.Flush()
	}
	return nil
}

// put reports whether as many records wait as may.
func (b *Buffer) put(r *waiting) (full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.runs {
		b.runs = true
		b.timer.Reset(wait)
	}
	b.records = append(b.records, *r)
	return len(b.records) >= many
}

// due is called when the first record has waited as long as it may.
func (b *Buffer) due() {
	b.mu.Lock()
	b.runs = false
	b.mu.Unlock()
	_ = b.Flush() // a log has nobody to tell
}

// take returns the records that wait.
func (b *Buffer) take() []waiting {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.records
	b.records, b.spare = b.spare, nil
	return taken
}

// Flush writes all that waits. An error is of lines that came before, too: these are lost.
func (b *Buffer) Flush() error {
	b.writing.Lock()
	defer b.writing.Unlock()
	records := b.take()
	var failed error
	for i := range records {
		if err := records[i].write(); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	clear(records)
	b.spare = records[:0]
	return errors.Join(failed, b.write())
}

// write makes and writes the line. A handler that panics costs the line and not the process:
// whoever logged it is not on the stack any more.
func (r *waiting) write() (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("writing a line of the log: panic: %v", cause)
		}
	}()
	if r.record != nil {
		return r.by.Handle(context.Background(), *r.record)
	}
	return r.request.Log(context.Background(), r.by)
}

// A lineWriter is what the handlers of a Buffer write to while it writes.
type lineWriter Buffer

// Write takes a line.
func (l *lineWriter) Write(line []byte) (int, error) {
	b := (*Buffer)(l)
	var failed error
	if len(b.lines)+len(line) > b.most {
		failed = b.write()
	}
	if len(line) > b.most {
		_, err := b.w.Write(line)
		return len(line), errors.Join(failed, err)
	}
	b.lines = append(b.lines, line...)
	return len(line), failed
}

// write writes the lines that are made.
func (b *Buffer) write() error {
	if len(b.lines) == 0 {
		return nil
	}
	_, err := b.w.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}

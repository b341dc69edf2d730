package logline

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// wait is how long a line waits at most.
	wait = 10 * time.Millisecond
	// most is how many bytes are written at once: as many as a pipe takes whole (PIPE_BUF),
	// so that the lines of two processes do not mix.
	most = 4096
)

// A Buffer gathers lines, and writes several by one call. A line waits for 10 ms at most.
// It is safe for concurrent use. While no line waits, it has neither a goroutine nor a timer
// that runs.
type Buffer struct {
	mu    sync.Mutex
	w     io.Writer
	lines []byte
	timer *time.Timer
}

// NewBuffer returns a Buffer in front of a writer, which need not be safe for concurrent use.
// Whoever ends the process must call Flush before.
func NewBuffer(w io.Writer) *Buffer {
	b := &Buffer{w: w, lines: make([]byte, 0, most)}
	b.timer = time.AfterFunc(time.Hour, func() { _ = b.Flush() }) // a log has nobody to tell
	b.timer.Stop()
	return b
}

// Write takes a line. An error is of lines that came before, too: these are lost.
func (b *Buffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines)+len(line) > most {
		if err := b.flush(); err != nil {
			return 0, err
		}
	}
	if len(line) >= most {
		return b.w.Write(line)
	}
	if len(b.lines) == 0 {
		b.timer.Reset(wait)
	}
	b.lines = append(b.lines, line...)
	return len(line), nil
}

// Flush writes the lines that wait.
func (b *Buffer) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.flush()
}

func (b *Buffer) flush() error {
	if len(b.lines) == 0 {
		return nil
	}
	b.timer.Stop()
	_, err := b.w.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}

// Prompt returns a handler that writes to the buffer by another one. A line of slog.LevelWarn
// or above does not wait, nor do those before it.
func (b *Buffer) Prompt(by slog.Handler) slog.Handler { return prompt{by, b} }

type prompt struct {
	slog.Handler
	buffer *Buffer
}

func (p prompt) Handle(ctx context.Context, r slog.Record) error {
	err := p.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		err = errors.Join(err, p.buffer.Flush())
	}
	return err
}

func (p prompt) WithAttrs(attrs []slog.Attr) slog.Handler {
	return prompt{p.Handler.WithAttrs(attrs), p.buffer}
}

func (p prompt) WithGroup(name string) slog.Handler {
	return prompt{p.Handler.WithGroup(name), p.buffer}
}

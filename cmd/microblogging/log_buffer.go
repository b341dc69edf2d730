package main

import (
	"io"
	"sync"
	"time"
)

const (
	// logWait is how long a line of the log waits for others. A process that is killed loses
	// what waits.
	logWait = 10 * time.Millisecond
	// maxLog is how many bytes wait at most.
	maxLog = 1 << 20
	// logEnd is how long a process that ends waits for its log.
	logEnd = time.Second
)

// A logBuffer writes the lines of a log, several by one call. Nobody waits for the writer: if
// that hangs, as a pipe does that nobody reads, the lines that do not fit are dropped.
type logBuffer struct {
	w io.Writer
	// lost is told how many lines were dropped, once there is a writer again.
	lost func(lines int)

	// writing is full while lines are written, so that they stay in their order.
	writing chan struct{}

	mu    sync.Mutex
	lines []byte
	// due says that flush will take the lines.
	due     bool
	dropped int
}

// Write takes a line.
func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines)+len(line) > maxLog {
		b.dropped++
		return len(line), nil
	}
	b.lines = append(b.lines, line...)
	if !b.due {
		b.due = true
		time.AfterFunc(logWait, b.flush)
	}
	return len(line), nil
}

// flush writes the lines that wait. A log that fails has nobody to tell.
func (b *logBuffer) flush() {
	b.writing <- struct{}{}
	defer func() { <-b.writing }()
	lines, dropped := b.take()
	if len(lines) == 0 {
		return
	}
	if _, err := b.w.Write(lines); err == nil && dropped > 0 {
		b.lost(dropped)
	}
}

func (b *logBuffer) take() (lines []byte, dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines, dropped = b.lines, b.dropped
	b.lines, b.dropped, b.due = nil, 0, false
	return lines, dropped
}

// stop writes what waits, for logEnd at most: a log that nobody reads does not decide when the
// process ends.
func (b *logBuffer) stop() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.flush()
	}()
	select {
	case <-done:
	case <-time.After(logEnd):
	}
}

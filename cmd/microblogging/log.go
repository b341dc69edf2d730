package main

import (
	"io"
	"log/slog"
	"time"

	"microblogging/cmd/microblogging/outbox"
)

const (
	// logWait is how long a line of the log waits for others.
	logWait = 10 * time.Millisecond
	// maxLog is how many bytes wait at most.
	maxLog = 1 << 20
	// logEnd is how long a process that ends waits for its log.
	logEnd = time.Second
)

// logger returns the log. Stop must be called at the end, and writes the lines that wait.
func (f roleFlags) logger(w io.Writer) (log *slog.Logger, stop func()) {
	lines := outbox.New(logWait, maxLog, func(lines []byte, lost int) {
		// A log that fails has nobody to tell.
		if _, err := w.Write(lines); err == nil && lost > 0 {
			log.Warn("the log could not be written, and lines are lost", "lines", lost)
		}
	})
	options := slog.HandlerOptions{Level: f.LogLevel}
	log = slog.New(slog.NewTextHandler(logLines{lines}, &options))
	if f.LogFormat == "json" {
		log = slog.New(slog.NewJSONHandler(logLines{lines}, &options))
	}
	return log, func() { lines.Stop(logEnd) }
}

// logLines takes the lines of a log.
type logLines struct{ *outbox.Outbox[byte] }

func (l logLines) Write(line []byte) (int, error) {
	l.Add(line...)
	return len(line), nil
}

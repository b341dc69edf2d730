package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWatchClock(t *testing.T) {
	t.Run("logs both times once the clocks come apart, and when they agree again", watchClockLogs)
	t.Run("begins once the store was tried, and asks no store without a clock", watchClockBegins)
}

// watching runs watchClock for a while and returns the levels of what it has logged. ahead tells how far this
// process is ahead of the store, by the time since the beginning.
func watching(t *testing.T, duration time.Duration, ahead func(since time.Duration) (by time.Duration, known bool)) (levels string, log string) {
	var lines bytes.Buffer
	began, tried := time.Now(), make(chan struct{})
	close(tried)
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	watchClock(ctx, tried, func() (store, here time.Time, known bool) {
		by, known := ahead(time.Since(began))
		return time.Now().Add(-by), time.Now(), known
	}, slog.New(slog.NewTextHandler(&lines, nil)))
	for line := range strings.Lines(lines.String()) {
		_, level, _ := strings.Cut(line, "level=")
		level, _, _ = strings.Cut(level, " ")
		levels += level + " "
	}
	return strings.TrimSpace(levels), lines.String()
}

func watchClockLogs(t *testing.T) {
	for name, c := range map[string]struct {
		ahead func(since time.Duration) (time.Duration, bool)
		want  string
	}{
		"five minutes are no error":   {func(time.Duration) (time.Duration, bool) { return 5 * time.Minute, true }, ""},
		"more is one, at the start":   {func(time.Duration) (time.Duration, bool) { return 5*time.Minute + time.Second, true }, "ERROR"},
		"so is a clock that is late":  {func(time.Duration) (time.Duration, bool) { return -48 * time.Hour, true }, "ERROR"},
		"an unknown time is no error": {func(since time.Duration) (time.Duration, bool) { return 48 * time.Hour, false }, ""},
		"each change within a minute": {func(since time.Duration) (time.Duration, bool) {
			if since > 10*time.Minute && since < 20*time.Minute {
				return time.Hour, true
			}
			return 0, true
		}, "ERROR INFO"},
		"what becomes unknown has not changed": {func(since time.Duration) (time.Duration, bool) {
			return time.Hour, since.Truncate(2*time.Minute) == since
		}, "ERROR"},
	} {
		synctest.Test(t, func(t *testing.T) {
			levels, log := watching(t, time.Hour, c.ahead)
			if levels != c.want {
				t.Errorf("%s: logged %q, want %q:\n%s", name, levels, c.want, log)
			}
			if name == "so is a clock that is late" && !strings.Contains(log, " clock=2000-01-01T00:00:00.000Z store_clock=2000-01-03T00:00:00.000Z") {
				t.Errorf("logged %s", log)
			}
		})
	}
}

func watchClockBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, tried := 0, make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), clockEvery-1)
		defer cancel()
		go func() { time.Sleep(time.Second); close(tried) }()
		log := slog.New(slog.DiscardHandler)
		watchClock(ctx, tried, func() (store, here time.Time, known bool) {
			if asked++; time.Now().Second() != 1 {
				t.Errorf("asked at %s", time.Now())
			}
			return time.Now(), time.Now(), true
		}, log)
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		watchClock(t.Context(), tried, nil, log)
	})
}

package driver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"microblogging/storage/driver"
)

func TestQueue(t *testing.T) {
	t.Run("refuses a text that Azure refuses or alters", refusesTexts)
	t.Run("refuses a lease that Azure does not grant", refusesLeases)
	t.Run("accepts the longest text and lease, and none", acceptsTheLongest)
	t.Run("asks the backend for 1 to 32 messages", asksForMessages)
}

func refusesTexts(t *testing.T) {
	for what, text := range map[string]string{
		"an empty one":                   "",
		"one of more than 64 KiB":        strings.Repeat("x", 64<<10+1),
		"one with a zero byte":           "a\x00b",
		"one with a carriage return":     "a\r\nb",
		"one with an escape":             "a\x1bb",
		"one with a delete":              "a\x7fb",
		"one that is not valid UTF-8":    "a\xffb",
		"one with a code point FFFE":     "a\uFFFEb",
		"one with a code point FFFF":     "a\uFFFFb",
		"one with half a surrogate pair": "a\xed\xa0\x80b",
	} {
		t.Run(what, func(t *testing.T) {
			queue := driver.NewQueue(unreached(t), "q")
			wantLimit(t, queue.Send(t.Context(), text))
			_, err := queue.Update(t.Context(), driver.Message{ID: "1"}, text, time.Second)
			wantLimit(t, err)
		})
	}
}

func refusesLeases(t *testing.T) {
	const week = 7 * 24 * time.Hour
	queue := driver.NewQueue(unreached(t), "q")
	for _, lease := range []time.Duration{-time.Second, time.Nanosecond, time.Second + time.Millisecond, week + time.Second} {
		_, err := queue.Receive(t.Context(), 1, lease)
		wantLimit(t, err)
		_, err = queue.Update(t.Context(), driver.Message{ID: "1"}, "text", lease)
		wantLimit(t, err)
	}
	_, err := queue.Receive(t.Context(), 1, 0)
	wantLimit(t, err)
}

func acceptsTheLongest(t *testing.T) {
	queue := driver.NewQueue(accepting(), "q")
	for _, lease := range []time.Duration{0, 7 * 24 * time.Hour} {
		if _, err := queue.Update(t.Context(), driver.Message{ID: "1"}, " \t\n~"+strings.Repeat("x", 64<<10-4), lease); err != nil {
			t.Error(err)
		}
	}
}

func asksForMessages(t *testing.T) {
	_, err := driver.NewQueue(unreached(t), "q").Receive(t.Context(), 0, time.Second)
	wantLimit(t, err)
	_, err = driver.NewQueue(unreached(t), "q").Peek(t.Context(), 0)
	wantLimit(t, err)
	for asked, want := range map[int]int{1: 1, 32: 32, 33: 32, 1000: 32} {
		backend := driver.Wrap(nil, func(_ context.Context, c *driver.Call, _ func(context.Context) error) error {
			if c.Limit != want {
				t.Errorf("asked for %d messages, the backend was asked for %d, want %d", asked, c.Limit, want)
			}
			return nil
		})
		queue := driver.NewQueue(backend, "q")
		_, received := queue.Receive(t.Context(), asked, time.Second)
		_, peeked := queue.Peek(t.Context(), asked)
		if err := errors.Join(received, peeked); err != nil {
			t.Error(err)
		}
	}
}

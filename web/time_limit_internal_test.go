package web

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestTimeLimit(t *testing.T) {
	t.Run("ends as a context with a timeout does", limitEndsAsATimeoutDoes)
	t.Run("of a context made from it needs no goroutine", limitNeedsNoGoroutine)
}

type limitKey struct{}

// limitEndsAsATimeoutDoes compares it with context.WithTimeout: ended by its time, by the
// client, and with the request; looked at before, and not.
func limitEndsAsATimeoutDoes(t *testing.T) {
	for name, end := range map[string]func(leave, finish func()){
		"by its time":      func(_, _ func()) { time.Sleep(requestTimeout + 1) },
		"by the client":    func(leave, _ func()) { leave() },
		"with the request": func(_, finish func()) { finish() },
		"by its time, and then with the request": func(_, finish func()) {
			time.Sleep(requestTimeout + 1)
			finish()
		},
		"by the client, and then with the request": func(leave, finish func()) { leave(); finish() },
		"not": func(_, _ func()) { time.Sleep(requestTimeout - 1) },
	} {
		for looked, look := range map[string]func(ctx context.Context){
			"": func(context.Context) {}, "waited for": func(ctx context.Context) { ctx.Done() }, "asked": func(ctx context.Context) { _ = ctx.Err() },
		} {
			t.Run(name+" "+looked, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					parent, leave := context.WithCancel(context.WithValue(t.Context(), limitKey{}, "value"))
					defer leave()
					want, cancel := context.WithTimeout(parent, requestTimeout)
					defer cancel()
					got := &timeLimit{Context: parent, deadline: time.Now().Add(requestTimeout)}
					look(got)
					child, stop := context.WithCancel(got)
					defer stop()
					if looked == "" {
						stop()
						child = want
						got = &timeLimit{Context: parent, deadline: got.deadline}
					}
					end(leave, func() { cancel(); got.end() })
					synctest.Wait()
					mustAgree(t, want, got)
					mustAgree(t, want, child)
					got.end()
					cancel()
					if got.Err() == nil || isOver(got) != true {
						t.Error("it has not ended with its request")
					}
				})
			})
		}
	}
}

func mustAgree(t *testing.T, want, got context.Context) {
	t.Helper()
	for range 2 { // Err before Done, and after it
		if !errors.Is(got.Err(), want.Err()) || (got.Err() == nil) != (want.Err() == nil) {
			t.Errorf("it ended with %v, want %v", got.Err(), want.Err())
		}
		if isOver(got) != (want.Err() != nil) {
			t.Errorf("whoever waits sees its end: %v", isOver(got))
		}
	}
	at, limited := got.Deadline()
	if wanted, _ := want.Deadline(); !limited || !at.Equal(wanted) || got.Value(limitKey{}) != "value" {
		t.Errorf("deadline %v, value %v", at, got.Value(limitKey{}))
	}
}

func isOver(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

func limitNeedsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &timeLimit{Context: t.Context(), deadline: time.Now().Add(time.Hour)}
		before := runtime.NumGoroutine()
		for range 100 {
			_, cancel := context.WithCancel(limit)
			defer cancel()
		}
		if more := runtime.NumGoroutine() - before; more > 50 {
			t.Errorf("%d goroutines wait for it", more)
		}
	})
}

package concurrent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/storage/concurrent"
)

func TestConcurrently(t *testing.T) {
	t.Run("takes as long as the slowest call, or makes them in turn", concurrentlyTakesAsLongAsTheSlowest)
	t.Run("returns the error of the first call that failed", concurrentlyReturnsTheFirstError)
}

var ways = map[string]concurrent.Reads{
	"concurrently":       {},
	"in turn":            {InTurn: true},
	"in turn, backwards": {InTurn: true, LastFirst: true},
}

type call = func(context.Context) error

// The last of three calls is the fastest.
func concurrentlyTakesAsLongAsTheSlowest(t *testing.T) {
	for way, want := range map[string]struct {
		took time.Duration
		made []int
	}{"concurrently": {3, []int{2, 1, 0}}, "in turn": {6, []int{0, 1, 2}}, "in turn, backwards": {6, []int{2, 1, 0}}} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var made []int
			var calls []call
			for n := range 3 {
				calls = append(calls, func(context.Context) error {
					time.Sleep(time.Duration(3-n) * time.Second)
					mu.Lock()
					defer mu.Unlock()
					made = append(made, n)
					return nil
				})
			}
			began := time.Now()
			if err := ways[way].Concurrently(t.Context(), calls...); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != want.took*time.Second || !slices.Equal(made, want.made) {
				t.Errorf("%s: %v made in %s, want %v in %d s", way, made, took, want.made, want.took)
			}
		})
	}
}

func concurrentlyReturnsTheFirstError(t *testing.T) {
	for way, s := range ways {
		for first := range 3 {
			synctest.Test(t, func(t *testing.T) {
				var calls []call
				for n := range 3 {
					calls = append(calls, func(ctx context.Context) error {
						if n < first {
							time.Sleep(time.Second)
							return nil
						}
						// The calls that fail later in the order fail sooner.
						time.Sleep(time.Duration(9-n) * time.Second)
						return fmt.Errorf("call %d", n)
					})
				}
				if err, want := s.Concurrently(t.Context(), calls...), fmt.Sprint("call ", first); err == nil || err.Error() != want {
					t.Errorf("%s: %v, want %s", way, err, want)
				}
			})
		}
	}
}

func TestGroup(t *testing.T) {
	t.Run("passes a panic of a call on to who waits, with its stack", func(t *testing.T) {
		group, ended := concurrent.NewGroup(2), false
		group.Go(func() error { panic("thrown on purpose") })
		group.Go(func() error { ended = true; return nil })
		defer func() {
			if said := fmt.Sprint(recover()); !strings.Contains(said, "thrown on purpose") || !strings.Contains(said, "TestGroup") || !ended {
				t.Errorf("%s; the other call has ended: %t", said, ended)
			}
		}()
		t.Errorf("no panic, and %v", group.Wait())
	})
}

package concurrent_test

import (
	"context"
	"testing"

	"microblogging/storage/concurrent"
)

func TestLocks(t *testing.T) {
	t.Run("a key that no caller wants any more is forgotten", func(t *testing.T) {
		var locks concurrent.Locks[string]
		unlock, err := locks.Lock(t.Context(), "post")
		if err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := locks.Lock(gone, "post"); err == nil {
			t.Fatal("two callers have the key")
		}
		unlock()
		if n := locks.Len(); n != 0 {
			t.Errorf("%d keys are kept when no caller wants any", n)
		}
	})
}

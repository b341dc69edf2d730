package web

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"microblogging/domain"
)

func TestWriteLimitBuckets(t *testing.T) {
	t.Run("writers at once get no more than the burst", writersAtOnceGetNoMoreThanTheBurst)
	t.Run("a refused write takes no token of the other bucket", refusedWriteTakesNoTokenOfTheOtherBucket)
	t.Run("are bounded, and forget who wrote longest ago", bucketsAreBounded)
}

func writersAtOnceGetNoMoreThanTheBurst(t *testing.T) {
	l := newWriteLimit(1e-12, 50) // a token takes longer than a time.Duration can say
	var written atomic.Int64
	var writers sync.WaitGroup
	for range 200 {
		writers.Go(func() {
			if l.take("ada", "192.0.2.1") == nil {
				written.Add(1)
			}
		})
	}
	writers.Wait()
	if written.Load() != 50 {
		t.Errorf("%d writes, want 50", written.Load())
	}
}

func refusedWriteTakesNoTokenOfTheOtherBucket(t *testing.T) {
	l := newWriteLimit(1e-6, 3) // and 30 of one client
	take := func(user domain.UserName, client clientAddress, want bool) {
		t.Helper()
		if err := l.take(user, client); (err == nil) != want {
			t.Errorf("%s from %s: %v", user, client, err)
		}
	}
	for n := range 100 {
		take("ada", "192.0.2.1", n < 3)
	}
	for n := range 27 {
		take(domain.UserName(fmt.Sprintf("user_%d", n)), "192.0.2.1", true)
	}
	for range 10 {
		take("eve", "192.0.2.1", false) // the client has written too much
	}
	for range 3 {
		take("eve", "192.0.2.2", true)
	}
}

func bucketsAreBounded(t *testing.T) {
	l := newWriteLimit(1e-6, 1)
	for n := range maxBuckets/2 + 100 {
		name := fmt.Sprintf("user_%d", n)
		if err := l.take(domain.UserName(name), clientAddress(name)); err != nil {
			t.Fatalf("client %d: %v", n, err)
		}
		if l.take("user_0", "192.0.2.1") == nil {
			t.Fatalf("after %d others, one who goes on writing is forgotten", n)
		}
	}
	if n := l.buckets.Len(); n != maxBuckets {
		t.Errorf("%d buckets", n)
	}
}

package web

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
)

func TestWriteLimitBuckets(t *testing.T) {
	t.Run("memory is bounded however many clients there are", memoryIsBoundedHoweverManyClientsThereAre)
	t.Run("to forget a bucket gives nobody a token", toForgetABucketGivesNobodyAToken)
	t.Run("writers at once get no more than the burst", writersAtOnceGetNoMoreThanTheBurst)
	t.Run("a refused write takes no token of the other bucket", refusedWriteTakesNoTokenOfTheOtherBucket)
}

func memoryIsBoundedHoweverManyClientsThereAre(t *testing.T) {
	l := newWriteLimit(0.001, 1) // a bucket takes long to fill, so only the bound helps
	before := heap()
	for n := range 300_000 {
		name := fmt.Sprintf("user_%d", n)
		if err := l.take(domain.UserName(name), clientAddress(name)); err != nil {
			t.Fatalf("client %d: %v", n, err)
		}
	}
	grown := heap() - before
	t.Logf("%d KiB", grown>>10)
	if grown > 12<<20 {
		t.Errorf("%d MiB", grown>>20)
	}
	runtime.KeepAlive(l)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A user who writes as fast as allowed never gets more than the burst and the rate,
// though generations turn.
func toForgetABucketGivesNobodyAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newWriteLimit(2, 10)
		written := 0
		for range 6000 { // ten minutes
			for l.take("ada", "192.0.2.1") == nil {
				written++
			}
			time.Sleep(100 * time.Millisecond)
		}
		if want := 10 + 2*600; written < want-5 || written > want {
			t.Errorf("%d writes in ten minutes, want %d", written, want)
		}
		if n := len(l.users.young) + len(l.users.old); n != 1 {
			t.Errorf("%d buckets for one user", n)
		}
		time.Sleep(time.Minute)
		for range 2 {
			if err := l.take("bob", "192.0.2.2"); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Minute)
		}
		if n := len(l.users.young) + len(l.users.old); n != 1 {
			t.Errorf("%d buckets, though only bob wrote in the last minutes", n)
		}
	})
}

func writersAtOnceGetNoMoreThanTheBurst(t *testing.T) {
	l := newWriteLimit(1e-6, 50)
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
	for n := range 100 {
		if err := l.take("ada", "192.0.2.1"); (err == nil) != (n < 3) {
			t.Errorf("write %d: %v", n, err)
		}
	}
	for n := range 27 {
		if err := l.take(domain.UserName(fmt.Sprintf("user_%d", n)), "192.0.2.1"); err != nil {
			t.Errorf("user %d of the same client: %v", n, err)
		}
	}
	for range 10 {
		if l.take("eve", "192.0.2.1") == nil {
			t.Fatal("the client has written too much, and writes")
		}
	}
	for n := range 3 {
		if err := l.take("eve", "192.0.2.2"); err != nil {
			t.Errorf("write %d of eve from elsewhere: %v", n, err)
		}
	}
}

package web

import (
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"microblogging/domain"
)

// clientShare is how much more one client may write than one user: many users can share
// an address.
const clientShare = 10

// A writeLimit bounds how fast a user and a client may write, by a token bucket for each.
// It holds for this process alone, and begins anew with it. It is safe for concurrent
// use. A nil writeLimit refuses nothing.
type writeLimit struct {
	mu      sync.Mutex
	users   *buckets[domain.UserName]
	clients *buckets[clientAddress]
}

// newWriteLimit returns a limit of so many writes a second of one user, and of so many
// at once. A rate of 0 is no limit.
func newWriteLimit(perSecond float64, burst int) *writeLimit {
	if perSecond <= 0 {
		return nil
	}
	return &writeLimit{
		users:   newBuckets[domain.UserName](rate.Limit(perSecond), burst),
		clients: newBuckets[clientAddress](rate.Limit(perSecond*clientShare), burst*clientShare),
	}
}

// take takes a token for one write from the buckets of the user and the client, or takes
// none and returns a *tooManyWrites.
func (l *writeLimit) take(user domain.UserName, client clientAddress) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	of, from := l.users.of(user, now), l.clients.of(client, now)
	if wait := max(untilToken(of, now), untilToken(from, now)); wait > 0 {
		return &tooManyWrites{wait}
	}
	// Nobody else takes tokens meanwhile: the lock covers both buckets.
	of.AllowN(now, 1)
	from.AllowN(now, 1)
	return nil
}

// untilToken returns how long it takes until the bucket has a token; 0 if it has one.
func untilToken(bucket *rate.Limiter, now time.Time) time.Duration {
	missing := 1 - bucket.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(missing / float64(bucket.Limit()) * float64(time.Second)))
}

// tooManyWrites refuses a write. Nothing was written.
type tooManyWrites struct{ retryAfter time.Duration }

func (e *tooManyWrites) Error() string {
	return fmt.Sprintf("too many writes, try again in %s", e.retryAfter)
}

// sentence is for the person whose form was refused.
func (e *tooManyWrites) sentence() string {
	wait := "a second"
	if seconds := math.Ceil(e.retryAfter.Seconds()); seconds > 1 {
		wait = fmt.Sprintf("%.0f seconds", seconds)
	}
	return "You have written too much in a short time. Nothing was saved. Wait " + wait + ", and then send it again."
}

// maxBuckets is how many buckets one generation holds: with two kinds and two
// generations of each, some 4 MB.
const maxBuckets = 8192

// buckets are token buckets by key, in bounded memory. They are kept in two generations.
// A bucket that is used moves to the young one. When the young one is full, or has had
// the time in which an empty bucket fills, it becomes the old one, and the old one goes.
// So a bucket goes only if it is full, which is what a new one is, or if more than
// maxBuckets others were used since.
type buckets[K comparable] struct {
	limit rate.Limit
	burst int
	// fill is how long an empty bucket takes to be full.
	fill       time.Duration
	young, old map[K]*rate.Limiter
	// turned is when the young generation began.
	turned time.Time
}

func newBuckets[K comparable](limit rate.Limit, burst int) *buckets[K] {
	return &buckets[K]{
		limit: limit,
		burst: burst,
		fill:  time.Duration(math.Ceil(float64(burst) / float64(limit) * float64(time.Second))),
		young: make(map[K]*rate.Limiter),
	}
}

// of returns the bucket of the key.
func (b *buckets[K]) of(key K, now time.Time) *rate.Limiter {
	if len(b.young) >= maxBuckets || now.Sub(b.turned) >= b.fill {
		b.young, b.old, b.turned = make(map[K]*rate.Limiter), b.young, now
	}
	bucket, ok := b.young[key]
	if !ok {
		if bucket, ok = b.old[key]; !ok {
			bucket = rate.NewLimiter(b.limit, b.burst)
		}
		b.young[key] = bucket
		delete(b.old, key)
	}
	return bucket
}

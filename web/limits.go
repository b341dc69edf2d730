package web

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"microblogging/domain"
	"microblogging/storage/concurrent"
)

const (
	headerRateLimit       = "RateLimit"
	headerRateLimitPolicy = "RateLimit-Policy"

	// maxBody is the most bytes that a request's body may hold. The longest post fits,
	// with every character escaped: in JSON or in a form that takes up to 12 bytes each.
	maxBody = 64 << 10
	// maxBatchBody is the same for a batch of posts.
	maxBatchBody = maxBatch * maxBody
	// maxSmallBody is the same where a name and a password are sent, which anonymous clients do, and
	// where hardly anything is.
	maxSmallBody = 4 << 10
	// maxPasswordsBody is the same where two passwords are sent.
	maxPasswordsBody = 2 * maxSmallBody
	// maxEditBody is the same for the form of an edit, which also sends what it was made from, and what it merges.
	maxEditBody = 3 * maxBody
	// maxBodies is how many bytes of bodies may be in memory together, and maxClientBodies how
	// many of one client: three batches.
	maxBodies       = 32 << 20
	maxClientBodies = 8 << 20

	// maxClientStreams is how many event streams one client may have open: a stream for
	// each page that is watched in a household or a small office.
	maxClientStreams = 16
	// maxStreams is how many event streams may be open in this process. Each of them
	// reads the store once each watchInterval.
	maxStreams = 512
	// maxExports is how many exports may be under way in this process, and maxClientExports how many at one
	// address. Each reads the store without a pause.
	maxExports       = 8
	maxClientExports = 2
	// minSlots is how many requests of one kind do costly work together, also on one processor: a client
	// has one slot of them, so no client has all. costlyWait is how long a request waits for its turn.
	minSlots   = 2
	costlyWait = 2 * time.Second

	// MaxConnections is how many connections a listener should have open together. An idle
	// one takes some 20 KB.
	MaxConnections = 2048
	// maxClientConnections is how many one client may have: six for each browser of a class
	// of forty behind one address.
	maxClientConnections = 256

	// clientShare is how much more one client may write than one user: many users can share
	// an address.
	clientShare = 10
)

// shares bound what all have of something together, and what each one has: event streams,
// bytes of bodies, batches. They are safe for concurrent use.
type shares[K comparable] struct {
	all, each int64

	mu    sync.Mutex
	taken int64
	by    map[K]int64
}

func newShares[K comparable](all, each int64) *shares[K] {
	return &shares[K]{all: all, each: each, by: make(map[K]int64)}
}

// take takes n more for one, or takes nothing and reports false if that is too much.
func (s *shares[K]) take(one K, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken+n > s.all || s.by[one]+n > s.each {
		return false
	}
	s.taken += n
	s.by[one] += n
	return true
}

// give gives back what one has taken.
func (s *shares[K]) give(one K, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken -= n
	if s.by[one] -= n; s.by[one] == 0 {
		delete(s.by, one)
	}
}

// A countedBody is the body of a request. What was read of it counts until the request has
// been answered. If that is too much, reading on is domain.ErrBusy.
type countedBody struct {
	io.ReadCloser
	all    *shares[clientAddress]
	client clientAddress
	read   int64
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && !b.all.take(b.client, int64(n)) {
		return 0, fmt.Errorf("too many bodies are being read: %w", domain.ErrBusy)
	}
	b.read += int64(n)
	return n, err
}

// hold counts n bytes more, of the answer that shows again what the body had. It counts none, and reports false, if that is
// too much.
func (b *countedBody) hold(n int64) bool {
	if !b.all.take(b.client, n) {
		return false
	}
	b.read += n
	return true
}

// release gives back what was read.
func (b *countedBody) release() { b.all.give(b.client, b.read) }

// A client is who shares slots and answers: a user, whatever the address, or else an address.
type client struct {
	user    domain.UserName
	address clientAddress
}

// clientOf returns the client of a request that the visitor sent.
func (g *admission) clientOf(r *http.Request, v visitor) client {
	if v.SignedIn() {
		return client{user: v.User}
	}
	return client{address: g.clientAddress(r)}
}

// slots bound how many requests do something together. Users who are signed in have slots of their own, so
// they never wait for other clients.
type slots struct {
	// turns let the requests of one client wait for each other, and not in front of other clients.
	turns         concurrent.Locks[client]
	users, others *semaphore.Weighted
}

// newSlots returns so many slots for users and as many for others, of which each client has a few at a time.
func newSlots(each int, all int64) *slots {
	return &slots{turns: concurrent.Locks[client]{Each: each}, users: semaphore.NewWeighted(all), others: semaphore.NewWeighted(all)}
}

// newCostlySlots returns the slots of a kind of costly work. A client has one at a time.
func newCostlySlots() *slots { return newSlots(1, int64(max(minSlots, runtime.GOMAXPROCS(0)/2))) }

// enter waits until one has a slot, and returns what leaves it. It fails with domain.ErrBusy if ctx ends first.
func (s *slots) enter(ctx context.Context, one client) (leave func(), err error) {
	free := s.others
	if one.user != "" {
		free = s.users
	}
	done, err := s.turns.Lock(ctx, one)
	if err == nil {
		if err = free.Acquire(ctx, 1); err != nil {
			done()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("waiting for other requests: %w: %w", domain.ErrBusy, err)
	}
	return func() { free.Release(1); done() }, nil
}

// costly does work that takes thousands of rows or calls, or long, in a slot. If no slot is free in time, it returns
// domain.ErrBusy and does not do the work. Meanwhile the request has no turn, so the client's other requests do not
// wait for it. The answer must be sent after it returns, or a client who reads slowly would keep others waiting.
func (s *server) costly(c echo.Context, in *slots, work func() error) error {
	x := exchangeOf(c)
	x.endTurn()
	ctx, cancel := context.WithTimeout(c.Request().Context(), costlyWait)
	defer cancel()
	leave, err := in.enter(ctx, x.client)
	if err != nil {
		return err
	}
	defer leave()
	return work()
}

// LimitConnections returns the hook of an http.Server that closes a connection of a client
// who has too many. A proxy that is trusted has those of many clients and is not limited:
// to limit each client's is up to it.
func LimitConnections(trustProxy bool, trusted []netip.Prefix) func(net.Conn, http.ConnState) {
	proxies := proxyTrust{any: trustProxy, networks: trusted}
	var mu sync.Mutex
	open := make(map[clientAddress]int)
	return func(c net.Conn, state http.ConnState) {
		remote := c.RemoteAddr().String()
		if state != http.StateNew && state != http.StateClosed || proxies.trusts(remote) {
			return
		}
		host, _, _ := net.SplitHostPort(remote)
		peer := countedAs(host)
		mu.Lock()
		defer mu.Unlock()
		if state == http.StateNew {
			if open[peer]++; open[peer] > maxClientConnections {
				_ = c.Close() // the server finds out, and says that it is closed
			}
		} else if open[peer]--; open[peer] == 0 {
			delete(open, peer)
		}
	}
}

// A writeLimit bounds how fast a user and a client may write, by a token bucket for each. It holds
// for this process alone, and begins anew with it. It is safe for concurrent use. A nil writeLimit
// refuses nothing.
type writeLimit struct {
	users, clients *buckets
	// oneToken is how long a user waits for the next token at most.
	oneToken time.Duration
}

// newWriteLimit returns a limit of so many writes a second of one user, and of so many
// in a burst. A rate of 0 is no limit.
func newWriteLimit(perSecond float64, burst int) *writeLimit {
	if perSecond <= 0 {
		return nil
	}
	of := func(times int) *buckets {
		return newBuckets(rate.Limit(perSecond*float64(times)), burst*times)
	}
	return &writeLimit{users: of(1), clients: of(clientShare), oneToken: until(1, rate.Limit(perSecond))}
}

// until is how long so many tokens take. What is far longer has no time.Duration.
func until(tokens float64, perSecond rate.Limit) time.Duration {
	return time.Duration(min(tokens/float64(perSecond), 1e9) * float64(time.Second))
}

// known is what a process knows of each user or client. What is as good as unknown is forgotten now and then.
type known[T any] struct {
	sync.Mutex
	of map[string]*T
	// most is how many there are before some are forgotten.
	most   int
	fresh  func() *T
	forget func(*T) bool
}

// newKnown makes a known in which each is fresh at first, and may be forgotten if forget reports so.
func newKnown[T any](fresh func() *T, forget func(*T) bool) known[T] {
	return known[T]{of: map[string]*T{}, fresh: fresh, forget: forget}
}

// get returns what is known of one. The caller has locked k.
func (k *known[T]) get(who string) *T {
	one := k.of[who]
	if one == nil {
		if len(k.of) >= k.most {
			maps.DeleteFunc(k.of, func(_ string, one *T) bool { return k.forget(one) })
			k.most = 2*len(k.of) + 1024
		}
		one = k.fresh()
		k.of[who] = one
	}
	return one
}

// buckets are a token bucket for each name.
type buckets struct {
	rate  rate.Limit
	burst int
	of    known[rate.Limiter]
}

func newBuckets(perSecond rate.Limit, burst int) *buckets {
	return &buckets{rate: perSecond, burst: burst, of: newKnown(
		func() *rate.Limiter { return rate.NewLimiter(perSecond, burst) },
		func(bucket *rate.Limiter) bool { return bucket.Tokens() >= float64(burst) })}
}

// take takes a token, if there is one, and tells the client how many are left.
func (b *buckets) take(h http.Header, what, who string) bool {
	b.of.Lock()
	defer b.of.Unlock()
	bucket := b.of.get(who)
	taken := bucket.Allow()
	left := max(bucket.Tokens(), 0)
	addQuota(h, what, int64(b.burst), until(float64(b.burst), b.rate), int64(left), until(float64(b.burst)-left, b.rate))
	return taken
}

// addQuota tells how many requests a limit allows in a window, how many are left, and when all of them
// are allowed again (draft-ietf-httpapi-ratelimit-headers).
func addQuota(h http.Header, what string, limit int64, window time.Duration, left int64, reset time.Duration) {
	h.Add(headerRateLimitPolicy, fmt.Sprintf("%q;q=%d;w=%d", what, limit, seconds(window)))
	h.Add(headerRateLimit, fmt.Sprintf("%q;r=%d;t=%d", what, left, seconds(reset)))
}

// takeWrite counts a write of the visitor, or refuses it. A user who has written too much takes
// nothing from the others of the same client.
func (s *server) takeWrite(c echo.Context, v visitor) error {
	if !v.Ends.IsZero() {
		return domain.ErrAccountEnds
	}
	l, h := s.writes, c.Response().Header()
	h.Del(headerRateLimitPolicy) // of the entry of a batch before
	h.Del(headerRateLimit)
	if l == nil || l.users.take(h, "user", string(v.User)) && l.clients.take(h, "client", string(s.admission.clientAddress(c.Request()))) {
		return nil
	}
	return refuseFor(l.oneToken, http.StatusTooManyRequests, "Too many writes", "You have written too much in a short time. Nothing was saved.")
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"
)

// faults hurt the processes of all sites, and the relay and the wires between them and their
// store. Each kind of fault has a goroutine.
type faults struct {
	seed  uint64
	sites []*site
	// kinds are the kinds of faults that happen.
	kinds []string
	// outageMax is the longest time for which a partition does not serve.
	outageMax time.Duration
	tally     *tally
}

// allKinds are all kinds of faults.
var allKinds = []string{"kill", "clock", "stop", "stall", "hang", "cut", "outage", "restart", "shorten"}

const (
	// The pauses between two faults of a kind.
	killMin, killMax = 300 * time.Millisecond, 2500 * time.Millisecond
	stopMin, stopMax = 50 * time.Millisecond, 500 * time.Millisecond
	cutMin, cutMax   = 200 * time.Millisecond, 2 * time.Second
	hangMin, hangMax = time.Second, 5 * time.Second

	stallMin, stallMax     = 500 * time.Millisecond, 3 * time.Second
	restartMin, restartMax = 5 * time.Second, 15 * time.Second
	shortenMin, shortenMax = 100 * time.Millisecond, time.Second

	// A clock is behind by clockBehind at most, or ahead by clockAhead. So two of them differ by 14 minutes: the
	// program allows for 15, because Azure refuses requests that seem to be older. A worker that is ahead by
	// more than 5 makes no reconciling passes.
	clockBehind, clockAhead = 10 * time.Minute, 4 * time.Minute

	// Now and then, leap passes on a site: so much time, with all its processes stopped. After the last one, each
	// deletion of an account is due: it waits for undoAccount and for the 15 minutes, from a clock that was ahead, by
	// one that is behind.
	leap             = 35 * time.Minute
	leapMin, leapMax = 20 * time.Second, 60 * time.Second

	// outageMax is the longest time for which a partition does not serve, unless a
	// fifth of the run is shorter.
	outageMax = time.Minute

	// downMax is the longest time before a killed process is replaced.
	downMax = 500 * time.Millisecond
	// asleepMin and asleepMax are longer than a lease.
	asleepMin, asleepMax = lease + 200*time.Millisecond, lease + lease/2
	// momentMax is the longest wait for a good moment. The moment lasts inHand for
	// a role that has requests in hand, and atWork for one that has a deletion to do.
	momentMax = 700 * time.Millisecond
	inHand    = 5 * time.Millisecond
	atWork    = 600 * time.Millisecond
	// deafMax is the longest time for which a worker that wakes up cannot reach its
	// queue.
	deafMax = time.Second
)

// stream derives the number of one actor's random stream.
func stream(parts ...any) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, parts...) // never fails
	return h.Sum64()
}

// run goes on until the load ends. It leaves all processes up and awake.
func (f *faults) run(ctx, load context.Context) {
	var all []*role
	for _, s := range f.sites {
		all = append(all, s.roles...)
	}
	deletes, works := which(all, (*role).deletes), which(all, (*role).works)
	embeds, wired := which(all, (*role).embeds), which(all, (*role).wired)
	var running sync.WaitGroup
	for _, fault := range []struct {
		kind        string
		least, most time.Duration
		victims     []*role
		hurt        func(*role, *rand.Rand)
	}{
		{"kill", killMin, killMax, slices.Concat(all, deletes), func(r *role, draw *rand.Rand) { f.kill(ctx, r, draw) }},
		{"stop", stopMin, stopMax, works, func(r *role, draw *rand.Rand) { f.freeze(load, r, draw) }},
		{"stall", stallMin, stallMax, wired, func(r *role, draw *rand.Rand) { f.stall(load, r, draw) }},
		{"hang", hangMin, hangMax, embeds, func(r *role, draw *rand.Rand) { f.hang(load, r.site, draw) }},
		{"restart", restartMin, restartMax, wired, func(r *role, _ *rand.Rand) { f.restart(r.site) }},
		{"cut", cutMin, cutMax, wired, f.cut},
		{"outage", f.outageMax / 2, f.outageMax, wired, func(r *role, draw *rand.Rand) { f.outage(load, r.site, draw) }},
		{"shorten", shortenMin, shortenMax, wired, f.shorten},
		{"clock", leapMin, leapMax, all, func(r *role, _ *rand.Rand) { r.site.leap(ctx) }},
	} {
		if slices.Contains(f.kinds, fault.kind) {
			running.Go(func() { f.each(load, fault.kind, fault.least, fault.most, fault.victims, fault.hurt) })
		}
	}
	running.Wait()
}

// which lists the roles that a predicate is true of.
func which(roles []*role, is func(*role) bool) []*role {
	return slices.DeleteFunc(slices.Clone(roles), func(r *role) bool { return !is(r) })
}

// each hurts one role after another, mostly at a good moment.
func (f *faults) each(load context.Context, kind string, least, most time.Duration, roles []*role, hurt func(*role, *rand.Rand)) {
	draw := rand.New(rand.NewPCG(f.seed, stream(kind)))
	for {
		pause(load, between(draw, least, most))
		victim := roles[draw.IntN(len(roles))]
		if draw.IntN(4) > 0 {
			moment, lasts := victim.moment()
			await(load, moment, momentMax)
			pause(load, between(draw, 0, lasts))
		}
		if load.Err() != nil {
			return
		}
		hurt(victim, draw)
	}
}

// moment returns when it is worth hurting the role, and for how long. A web role
// may be writing to a channel when a user is about to ask for the deletion of
// that channel. A worker has something to do when a deletion was accepted.
func (r *role) moment() (<-chan struct{}, time.Duration) {
	if r.deletes() {
		return r.site.history.moments.accepted, atWork
	}
	return r.site.history.moments.asking, inHand
}

// await waits for a moment, at most so long. It reports whether it came.
func await(ctx context.Context, moment <-chan struct{}, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case <-moment:
		return true
	case <-ctx.Done():
		return false
	}
}

func between(draw *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(draw.Int64N(int64(most-least)))
}

func (f *faults) kill(ctx context.Context, r *role, draw *rand.Rand) {
	r.replacing.Lock()
	defer r.replacing.Unlock()
	if r.kill() {
		f.tally.add("kills", 1)
	}
	pause(ctx, between(draw, 0, downMax))
	if ctx.Err() != nil {
		return
	}
	if slices.Contains(f.kinds, "clock") {
		r.ahead = between(draw, -clockBehind, clockAhead).Round(time.Second)
		f.tally.add("clocks", 1)
	}
	if err := r.start(ctx); err != nil {
		r.site.history.accuse("start again: %v", err)
	}
}

// freeze stops a worker until leases have run out. After that it may be unable to reach its
// queue for a while, so that it does not learn which leases it lost.
func (f *faults) freeze(load context.Context, r *role, draw *rand.Rand) {
	wake := r.freeze()
	began := time.Now()
	pause(load, between(draw, asleepMin, asleepMax))
	deaf, light := time.Duration(0), func() {}
	if draw.IntN(2) == 0 {
		deaf, light = between(draw, 0, deafMax), r.queue.darken()
	}
	if wake() && time.Since(began) > lease {
		f.tally.add("stops", 1)
	}
	pause(load, deaf)
	light()
}

// stall holds back what a process sends, for longer than its leases last.
func (f *faults) stall(load context.Context, r *role, draw *rand.Rand) {
	tables, queue := r.tables.stall(), r.queue.stall()
	pause(load, between(draw, asleepMin, asleepMax))
	queue()
	tables()
	f.tally.add("stalls", 1)
}

// hang lets no commit of the embedded store end for a while.
func (f *faults) hang(load context.Context, s *site, draw *rand.Rand) {
	err := os.WriteFile(s.hung, nil, 0o600)
	pause(load, between(draw, 0, asleepMax))
	if err = errors.Join(err, os.Remove(s.hung)); err != nil {
		s.history.accuse("hang: %v", err)
	}
	f.tally.add("hangs", 1)
}

// restart ends Azurite and starts it again on the same files. It is not killed: it saves its
// tables every five seconds only, and so would lose what it has acknowledged.
func (f *faults) restart(s *site) {
	s.away.Lock()
	defer s.away.Unlock()
	if err := s.azurite.Relaunch(); err != nil {
		s.history.accuse("restart: %v", err)
	}
	f.tally.add("restarts", 1)
}

// cut cuts both wires of a role together, or one of them at its next answer.
func (f *faults) cut(r *role, draw *rand.Rand) {
	var cut bool
	switch draw.IntN(4) {
	case 0:
		cut = r.tables.cutAtAnswer(momentMax)
	case 1:
		cut = r.queue.cutAtAnswer(momentMax)
	default:
		cut = r.tables.cut()
		cut = r.queue.cut() || cut
	}
	if cut {
		f.tally.add("cuts", 1)
	}
}

// outage takes one partition out of service, while all others serve.
func (f *faults) outage(load context.Context, s *site, draw *rand.Rand) {
	out := f.anyPartition(load, s, draw)
	s.relay.out.Store(&out)
	pause(load, between(draw, f.outageMax/2, f.outageMax))
	s.relay.out.Store(nil)
	f.tally.add("outages", 1)
}

// anyPartition draws a partition: all that is of one channel, a part of it, or the subscriptions
// of one user. Half the time it waits for a deletion that was accepted, and takes its channel.
func (f *faults) anyPartition(load context.Context, s *site, draw *rand.Rand) partition {
	channel, user := s.channels[draw.IntN(len(s.channels))], s.users[draw.IntN(len(s.users))].name
	if draw.IntN(2) == 0 {
		await(load, s.history.moments.accepted, f.outageMax/4)
		channel = cmp.Or(s.history.lastAccepted(), channel)
	}
	return []partition{
		{"", channel}, {"Blogs", channel}, {"Channels", channel}, {"Deletions", channel}, {"Subscriptions", user},
	}[draw.IntN(5)]
}

// shorten cuts the reply to a batch short, after the batch took effect or failed.
// What is left may be nothing at all, or may pass for a whole reply.
func (f *faults) shorten(r *role, draw *rand.Rand) {
	kept := max(0, 1.25*draw.Float64()-0.25) // nothing, one time in five
	cut := scissors{failed: draw.IntN(2) == 0, kept: kept, broken: draw.IntN(4) == 0}
	if r.site.relay.shorten(cut, momentMax) {
		f.tally.add("shortened", 1)
	}
}

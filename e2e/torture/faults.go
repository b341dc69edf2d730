package main

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// faults hurt the processes of all sites, and what stands between them and their
// store. Each kind of fault has a goroutine.
type faults struct {
	seed  uint64
	sites []*site
	// kinds are the kinds of faults that happen.
	kinds []string
	// outageMax is the longest time for which a partition does not serve.
	outageMax time.Duration

	kills, stops, naps, stalls, cuts, outages, shortened atomic.Int64
}

// allKinds are all kinds of faults. The kind "port" has no goroutine: it is a
// habit of a [gateway].
var allKinds = []string{"kill", "stop", "nap", "stall", "cut", "outage", "shorten", "port"}

const (
	// The pauses between two faults of a kind.
	killMin, killMax = 300 * time.Millisecond, 2500 * time.Millisecond
	stopMin, stopMax = 50 * time.Millisecond, 500 * time.Millisecond
	napMin, napMax   = 100 * time.Millisecond, time.Second
	cutMin, cutMax   = 200 * time.Millisecond, 2 * time.Second

	stallMin, stallMax = 500 * time.Millisecond, 3 * time.Second

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
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			_, _ = h.Write([]byte(part)) // never fails
		case int:
			_, _ = h.Write([]byte{0, byte(part)})
		}
	}
	return h.Sum64()
}

// run goes on until the load ends. It leaves all processes up and awake.
func (f *faults) run(ctx, load context.Context) {
	var all []*role
	for _, s := range f.sites {
		all = append(all, s.roles...)
	}
	kill := func(r *role, draw *rand.Rand) { f.kill(ctx, r, draw) }
	stop := func(r *role, draw *rand.Rand) { f.stop(load, r, draw) }
	nap := func(r *role, draw *rand.Rand) { f.nap(load, r, draw) }
	stall := func(r *role, draw *rand.Rand) { f.stall(load, r, draw) }
	fault := map[string]func(kind string){
		"kill": func(kind string) {
			f.each(load, kind, killMin, killMax, slices.Concat(all, which(all, (*role).deletes)), kill)
		},
		"stop":  func(kind string) { f.each(load, kind, stopMin, stopMax, which(all, (*role).works), stop) },
		"nap":   func(kind string) { f.each(load, kind, napMin, napMax, which(all, (*role).fronts), nap) },
		"stall": func(kind string) { f.each(load, kind, stallMin, stallMax, which(all, (*role).wired), stall) },
		"cut":   func(kind string) { f.each(load, kind, cutMin, cutMax, which(all, (*role).wired), f.cut) },
		"outage": func(kind string) {
			f.eachRelay(load, kind, f.outageMax/2, f.outageMax, func(s *site, draw *rand.Rand) { f.outage(load, s, draw) })
		},
		"shorten": func(kind string) { f.eachRelay(load, kind, shortenMin, shortenMax, f.shorten) },
	}
	var running sync.WaitGroup
	for _, kind := range f.kinds {
		if happen := fault[kind]; happen != nil {
			running.Go(func() { happen(kind) })
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
// may be writing to a channel when somebody is about to ask for the deletion of
// that channel. A worker has something to do when a deletion was accepted.
func (r *role) moment() (<-chan struct{}, time.Duration) {
	if r.deletes() {
		return r.moments.accepted, atWork
	}
	return r.moments.asking, inHand
}

// await waits for a moment, at most so long.
func await(ctx context.Context, moment <-chan struct{}, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case <-moment:
	case <-ctx.Done():
	}
}

func between(draw *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(draw.Int64N(int64(most-least)))
}

func (f *faults) kill(ctx context.Context, r *role, draw *rand.Rand) {
	if r.kill() {
		f.kills.Add(1)
	}
	pause(ctx, between(draw, 0, downMax))
	if ctx.Err() != nil {
		return
	}
	if err := r.start(ctx); err != nil {
		r.accuse("start again: %v", err)
	}
}

// stop freezes a worker until its leases have run out. After that the worker may
// be unable to reach its queue for a while, so that it does not learn which leases
// it lost.
func (f *faults) stop(load context.Context, r *role, draw *rand.Rand) {
	wake := r.freeze()
	began := time.Now()
	pause(load, between(draw, asleepMin, asleepMax))
	deaf, light := time.Duration(0), func() {}
	if draw.IntN(2) == 0 {
		deaf, light = between(draw, 0, deafMax), r.queue.darken()
	}
	if wake() && time.Since(began) > lease {
		f.stops.Add(1)
	}
	pause(load, deaf)
	light()
}

// nap freezes a web role for about as long, with requests in hand.
func (f *faults) nap(load context.Context, r *role, draw *rand.Rand) {
	wake := r.freeze()
	pause(load, between(draw, asleepMin, asleepMax))
	if wake() {
		f.naps.Add(1)
	}
}

// stall holds back what a process sends, for longer than its leases last.
func (f *faults) stall(load context.Context, r *role, draw *rand.Rand) {
	tables, queue := r.tables.stall(), r.queue.stall()
	pause(load, between(draw, asleepMin, asleepMax))
	queue()
	tables()
	f.stalls.Add(1)
}

// cut cuts both wires of a role at once, or one of them at its next answer.
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
		f.cuts.Add(1)
	}
}

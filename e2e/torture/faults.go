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

// faults hurt the processes of sites: one kind of fault each of several goroutines.
type faults struct {
	seed  uint64
	sites []*site

	kills, stops, naps, stalls, cuts atomic.Int64
}

// The pauses between two faults of a kind, and other times of them.
const (
	killMin, killMax = 300 * time.Millisecond, 2500 * time.Millisecond
	stopMin, stopMax = 50 * time.Millisecond, 500 * time.Millisecond
	napMin, napMax   = 100 * time.Millisecond, time.Second
	cutMin, cutMax   = 200 * time.Millisecond, 2 * time.Second

	stallMin, stallMax = 500 * time.Millisecond, 3 * time.Second

	// downMax is the longest that a killed process stays away.
	downMax = 500 * time.Millisecond
	// asleepMin and asleepMax are longer than a lease.
	asleepMin, asleepMax = lease + 200*time.Millisecond, lease + lease/2
	// momentMax is the longest wait for a good moment; inHand and atWork are how
	// long it lasts for who has requests in hand and for who has a deletion to do.
	momentMax = 700 * time.Millisecond
	inHand    = 5 * time.Millisecond
	atWork    = 600 * time.Millisecond
	// deafMax is the longest that a worker which wakes up hears nothing of its queue.
	deafMax = time.Second
)

// stream numbers the random stream of one actor.
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

// run goes on until the load ends, and then leaves all processes up and awake.
func (f *faults) run(ctx, load context.Context) {
	var all []*role
	for _, s := range f.sites {
		all = append(all, s.roles...)
	}
	kill := func(r *role, draw *rand.Rand) { f.kill(ctx, r, draw) }
	stop := func(r *role, draw *rand.Rand) { f.stop(load, r, draw) }
	nap := func(r *role, draw *rand.Rand) { f.nap(load, r, draw) }
	stall := func(r *role, draw *rand.Rand) { f.stall(load, r, draw) }
	var running sync.WaitGroup
	running.Go(func() { f.each(load, "kill", killMin, killMax, slices.Concat(all, only(all, (*role).deletes)), kill) })
	running.Go(func() { f.each(load, "stop", stopMin, stopMax, only(all, (*role).works), stop) })
	running.Go(func() { f.each(load, "nap", napMin, napMax, only(all, (*role).fronts), nap) })
	running.Go(func() { f.each(load, "stall", stallMin, stallMax, only(all, (*role).wired), stall) })
	running.Go(func() { f.each(load, "cut", cutMin, cutMax, only(all, (*role).wired), f.cut) })
	running.Wait()
}

func only(roles []*role, which func(*role) bool) []*role {
	return slices.DeleteFunc(slices.Clone(roles), func(r *role) bool { return !which(r) })
}

// each hurts one role after another, mostly at a good moment.
func (f *faults) each(load context.Context, kind string, least, most time.Duration, roles []*role, hurt func(*role, *rand.Rand)) {
	draw := rand.New(rand.NewPCG(f.seed, stream(kind)))
	for {
		pause(load, between(draw, least, most))
		victim := roles[draw.IntN(len(roles))]
		if draw.IntN(4) > 0 {
			moment, lasts := victim.moment()
			await(load, moment)
			pause(load, between(draw, 0, lasts))
		}
		if load.Err() != nil {
			return
		}
		hurt(victim, draw)
	}
}

// moment is a good one to hurt the role, and for how long: for one that only
// serves, when the deletion of a channel is about to be asked for, to which it
// may be writing; for one that works, when a deletion has been accepted.
func (r *role) moment() (<-chan struct{}, time.Duration) {
	if r.deletes() {
		return r.moments.accepted, atWork
	}
	return r.moments.asking, inHand
}

// await waits for a moment, but not for long.
func await(ctx context.Context, moment <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, momentMax)
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
		r.accuse("starting again: %v", err)
	}
}

// stop lets a worker sleep through its leases. When it wakes up, it may hear
// nothing of its queue for a while, and so nothing of the leases that it lost.
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

// nap lets a web role sleep for about as long, with requests in hand.
func (f *faults) nap(load context.Context, r *role, draw *rand.Rand) {
	wake := r.freeze()
	pause(load, between(draw, asleepMin, asleepMax))
	if wake() {
		f.naps.Add(1)
	}
}

// stall holds back what a process sends until others may have its leases.
func (f *faults) stall(load context.Context, r *role, draw *rand.Rand) {
	tables, queue := r.tables.stall(), r.queue.stall()
	pause(load, between(draw, asleepMin, asleepMax))
	queue()
	tables()
	f.stalls.Add(1)
}

// cut cuts both of a role's wires, or one of them at its next answer.
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

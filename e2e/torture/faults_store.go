package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// The pauses between two replies that are cut short.
	shortenMin, shortenMax = 100 * time.Millisecond, time.Second
	// outageMax is the longest time for which a partition does not serve, unless a
	// fifth of the run is shorter.
	outageMax = time.Minute
)

// outageTime returns the longest time of an outage in a run of that length.
func outageTime(length time.Duration) time.Duration { return min(outageMax, length/5) }

// eachRelay hurts what stands between one site after another and its store.
func (f *faults) eachRelay(load context.Context, kind string, least, most time.Duration, hurt func(*site, *rand.Rand)) {
	relayed := slices.DeleteFunc(slices.Clone(f.sites), func(s *site) bool { return s.relay == nil })
	draw := rand.New(rand.NewPCG(f.seed, stream(kind)))
	for pause(load, between(draw, least, most)); load.Err() == nil; pause(load, between(draw, least, most)) {
		hurt(relayed[draw.IntN(len(relayed))], draw)
	}
}

// outage takes one partition out of service, while all others serve.
func (f *faults) outage(load context.Context, s *site, draw *rand.Rand) {
	restore := s.relay.refuse(f.anyPartition(load, s, draw))
	pause(load, between(draw, f.outageMax/2, f.outageMax))
	if restore() > 0 {
		f.outages.Add(1)
	}
}

// anyPartition draws a partition: mostly all that is of one channel or a part of
// it, and sometimes the subscriptions of one user. Half the time it waits for a
// deletion that was accepted, and draws a partition of that channel.
func (f *faults) anyPartition(load context.Context, s *site, draw *rand.Rand) partition {
	channel := s.channels[draw.IntN(len(s.channels))]
	switch draw.IntN(4) {
	case 0:
		return partition{"Subscriptions", s.users[draw.IntN(len(s.users))].name}
	case 1:
		return partition{[]string{"", "Blogs", "Channels", "Deletions"}[draw.IntN(4)], channel}
	}
	await(load, s.ledger.moments.accepted, f.outageMax/4)
	if last := s.ledger.lastAccepted(); last != "" {
		channel = last
	}
	return partition{[]string{"", "Blogs"}[draw.IntN(2)], channel}
}

// shorten cuts the reply to a batch short, after the batch took effect or failed.
// What is left may be nothing at all, or may pass for a whole reply.
func (f *faults) shorten(s *site, draw *rand.Rand) {
	cut := scissors{failed: draw.IntN(2) == 0, kept: draw.Float64(), broken: draw.IntN(4) == 0}
	if draw.IntN(5) == 0 {
		cut.kept = 0
	}
	if s.relay.shorten(cut, momentMax) {
		f.shortened.Add(1)
	}
}

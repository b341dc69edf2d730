package main

import (
	"context"
	"log/slog"
	"time"

	"microblogging/domain"
)

// clockEvery is how often a role compares its clock with the store's.
const clockEvery = time.Minute

// watchClock compares the clock of this process with the store's until ctx ends: once the store was tried, and
// then each clockEvery. It logs when they come apart, and when they agree again. A nil clock is that of a store
// that knows no time.
func watchClock(ctx context.Context, tried <-chan struct{}, clock func() (store, here time.Time, known bool), log *slog.Logger) {
	if clock == nil {
		return
	}
	next, apart := tried, false
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for {
		select {
		case <-next:
			next = nil
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		store, here, known := clock()
		if was := apart; known {
			apart = here.Sub(store).Abs() > domain.ClockTolerance
			times := []any{"clock", here.UTC(), "store_clock", store.UTC()}
			switch {
			case apart && !was:
				log.ErrorContext(ctx, "the clock of this machine and the store's are far apart, so one of them is wrong", times...)
			case was && !apart:
				log.InfoContext(ctx, "the clock of this machine and the store's agree again", times...)
			}
		}
	}
}

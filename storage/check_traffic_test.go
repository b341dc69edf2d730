package storage_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/drivertest"
)

// traffic returns what others may do while a check goes on. None of it breaks an
// invariant.
func traffic() map[string]func(w *world, channel domain.Channel, blog domain.Blog) {
	works := map[string]func(w *world, channel domain.Channel, blog domain.Blog){
		"a post":  func(w *world, channel domain.Channel, _ domain.Blog) { w.post(channel, grace, "more") },
		"an edit": func(w *world, _ domain.Channel, blog domain.Blog) { w.edit(blog, "edited") },
		"a vote":  func(w *world, _ domain.Channel, blog domain.Blog) { w.vote(blog, 0, 1) },
		"progress": func(w *world, _ domain.Channel, _ domain.Blog) {
			w.ok(w.store.UpdateDeletion(w.t.Context(), w.deletionUnderWay(), addRows(1)))
		},
		"a deleted post": func(w *world, channel domain.Channel, blog domain.Blog) {
			w.ok(w.store.DeleteBlog(w.t.Context(), channel, blog.ID, grace, anyRevision))
		},
		"other channels": func(w *world, _ domain.Channel, _ domain.Blog) {
			for _, name := range []string{"0", "gardem", "gardeo", "zzz"} {
				w.post(w.create(name, eve), eve, "new")
			}
		},
	}
	works["a part of a sweep"] = func(w *world, channel domain.Channel, blog domain.Blog) {
		w.forget(channel)
		w.advance(channel, 2)
		w.remove(channel.Key(), "blog!"+string(blog.ID))
	}
	for steps := 1; steps < stages; steps++ {
		works[fmt.Sprintf("%d steps of its deletion", steps)] = func(w *world, channel domain.Channel, _ domain.Blog) {
			w.forget(channel)
			w.advance(channel, steps)
		}
	}
	return works
}

// Others write between any two calls of a check that repairs. It reports nothing, and harms
// nothing.
func checkBesideTrafficReportsNothing(t *testing.T) {
	for what, work := range traffic() {
		eachCall(t, "of a check is overtaken by "+what, func(w *world, n int) {
			channel := w.create("garden", ada)
			blog := w.post(channel, grace, "one")
			w.post(w.create("harbour", ada), grace, "one")
			w.forget(w.create("halfway", ada))
			time.Sleep(patience - time.Second)
			w.arm(before(n, func() {
				work(w, channel, blog)
				if what == "progress" {
					time.Sleep(2 * time.Second)
				}
			}))
			_, err := w.faulty.NewChecker(patience, true, func(b domain.Breach) { w.t.Errorf("found %+v", b) }).Run(w.t.Context())
			w.ok(err)
			w.mustBeSound()
			if next, err := w.store.Channel(w.t.Context(), "garden"); err == nil {
				w.post(next, grace, "last")
			}
		})
	}
}

// shortPaged answers scans of one table with pages of one row, as a backend may. So a check
// reads the rows of two tables at very different times.
func shortPaged(table string, hook drivertest.Hook) drivertest.Hook {
	return func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Scan" && call.Target == table {
			call.Paging.Limit = 1
		}
		return hook(ctx, call, send)
	}
}

// A channel is created after a check has begun to read. A part of its deletion comes
// between any two later calls of the check.
func checkIsNotMisledByNewChannel(t *testing.T) {
	for _, short := range []string{"Channels", "Blogs"} {
		for created := 1; created < 8; created += 2 {
			for _, steps := range []int{2, 6} {
				eachCall(t, fmt.Sprintf("after a creation before call %d, scans of %s short, is overtaken by %d steps", created, short, steps), func(w *world, n int) {
					w.misled(short, created, n, steps)
				})
			}
		}
	}
}

// misled runs a check. It creates a channel before call created, and takes steps of
// its deletion later calls after that.
func (w *world) misled(short string, created, later, steps int) {
	w.t.Helper()
	w.post(w.create("a", ada), grace, "one")
	w.post(w.create("zzz", ada), grace, "one")
	var garden domain.Channel
	born := before(created, func() { garden = w.create("garden", ada); w.post(garden, grace, "one") })
	gone := before(created+later, func() { w.forget(garden); w.advance(garden, steps) })
	faults := drivertest.NewFaults(drivertest.Far(w.db), shortPaged(short, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		w.calls.Store(int64(call.Seq - created))
		return born(ctx, call, func(ctx context.Context) error { return gone(ctx, call, send) })
	}))
	checker := storage.New(faults, storage.Options{}).NewChecker(patience, false, func(b domain.Breach) { w.t.Errorf("found %+v", b) })
	_, err := checker.Run(w.t.Context())
	w.ok(err)
}

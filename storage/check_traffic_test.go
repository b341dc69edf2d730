package storage_test

import (
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
)

// traffic returns what others may do while a check goes on. None of it breaks an
// invariant.
func traffic() map[string]func(w *world, channel domain.Channel, blog domain.Blog) {
	works := map[string]func(w *world, channel domain.Channel, blog domain.Blog){
		"a post":  func(w *world, channel domain.Channel, _ domain.Blog) { w.post(channel, grace, "more") },
		"an edit": func(w *world, _ domain.Channel, blog domain.Blog) { w.edit(blog, "edited") },
		"a vote":  func(w *world, _ domain.Channel, blog domain.Blog) { w.vote(blog, 0, 1) },
		"progress": func(w *world, _ domain.Channel, _ domain.Blog) {
			w.ok(w.store.Operator.UpdateRecord(w.t.Context(), messageAbout(w.deletionUnderWay()), addRows(1)))
		},
		"a deleted post": func(w *world, channel domain.Channel, blog domain.Blog) {
			w.ok(w.store.Posts.Delete(w.t.Context(), channel, blog.ID, grace, anyRevision))
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
			_, err := w.faulty.Operator.NewChecker(patience, true, func(b domain.Violation) { w.t.Errorf("found %+v", b) }).Run(w.t.Context())
			w.ok(err)
			w.mustBeSound()
			if next, err := w.store.Channels.Get(w.t.Context(), domain.ChannelKey("garden").Address()); err == nil {
				w.post(next, grace, "last")
			}
		})
	}
}

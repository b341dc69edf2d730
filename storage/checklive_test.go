package storage_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/storagetest"
)

// livelihoods are what goes on while a check is under way. None of it breaks an
// invariant.
func livelihoods() map[string]func(w *world, channel domain.Channel, blog domain.Blog) {
	works := map[string]func(w *world, channel domain.Channel, blog domain.Blog){
		"a post":  func(w *world, channel domain.Channel, _ domain.Blog) { w.post(channel, grace, "more") },
		"an edit": func(w *world, _ domain.Channel, blog domain.Blog) { w.edit(blog, "edited") },
		"a vote":  func(w *world, _ domain.Channel, blog domain.Blog) { w.vote(blog, 0, 1) },
		"progress": func(w *world, _ domain.Channel, _ domain.Blog) {
			w.ok(w.store.UpdateDeletion(w.t.Context(), w.half(), addRows(1)))
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
	for steps := 1; steps < lives; steps++ {
		works[fmt.Sprintf("%d steps of its deletion", steps)] = func(w *world, channel domain.Channel, _ domain.Blog) {
			w.forget(channel)
			w.live(channel, steps)
		}
	}
	return works
}

// Between any two calls of a check something goes on in the channel that it looks
// at: it reports nothing, and its repair mends nothing.
func TestACheckBesideLiveTrafficReportsNothing(t *testing.T) {
	for what, work := range livelihoods() {
		for _, repair := range []bool{false, true} {
			eachCall(t, fmt.Sprintf("of a check is overtaken by %s, repair %v", what, repair), func(w *world, n int) {
				channel := w.create("garden", ada)
				blog := w.post(channel, grace, "one")
				w.post(w.create("harbour", ada), grace, "one")
				w.forget(w.create("half", ada))
				time.Sleep(patience - time.Second)
				w.arm(before(n, func() {
					work(w, channel, blog)
					if what != "progress" {
						return
					}
					time.Sleep(2 * time.Second)
				}))
				checker := w.faulty.NewChecker(patience, repair, func(b storage.Breach) { w.t.Errorf("found %+v", b) })
				_, err := checker.Run(w.t.Context())
				w.ok(err)
				w.mustBeSound()
				if next, err := w.store.Channel(w.t.Context(), "garden"); err == nil {
					w.post(next, grace, "last")
				}
			})
		}
	}
}

// shortPaged is a backend that answers scans of one table with pages of one row
// each, as a backend may: what a check reads of two tables lies far apart in time.
type shortPaged struct {
	storage.TableDriver
	table string
}

func (s shortPaged) Scan(ctx context.Context, table string, q storage.Scan) (storage.Page, error) {
	if table == s.table {
		q.Limit = 1
	}
	return s.TableDriver.Scan(ctx, table, q)
}

// A channel is created after a check has read where its posts would be, and its
// deletion goes on between any two of the check's later calls.
func TestACheckIsNotMisledByAChannelThatComesAndGoes(t *testing.T) {
	for _, short := range []string{"Channels", "Blogs"} {
		for created := 1; created < 8; created++ {
			for _, steps := range []int{1, 2, 4, 5, 6} {
				eachCall(t, fmt.Sprintf("after a creation before call %d, scans of %s short, is overtaken by %d steps", created, short, steps), func(w *world, n int) {
					w.misled(short, created, n, steps)
				})
			}
		}
	}
}

func (w *world) misled(short string, created, later, steps int) {
	w.t.Helper()
	w.post(w.create("a", ada), grace, "one")
	w.post(w.create("zzz", ada), grace, "one")
	var garden domain.Channel
	hook := chain(
		before(created, func() { garden = w.create("garden", ada); w.post(garden, grace, "one") }),
		before(created+later, func() { w.forget(garden); w.live(garden, steps) }))
	faults := storagetest.NewFaults(shortPaged{w.db, short}, w.db, func(ctx context.Context, call storagetest.Call, send storagetest.Send) error {
		w.calls.Store(int64(call.Seq - created))
		return hook(ctx, call, send)
	})
	checker := storage.New(faults, faults).NewChecker(patience, false, func(b storage.Breach) { w.t.Errorf("found %+v", b) })
	_, err := checker.Run(w.t.Context())
	w.ok(err)
}

// The same in real time, with everything going on at once. A repair may take away
// the gate of a creation under way, whose creator then starts over: until it
// does, there is a row without a gate, which is none of the creator's fault.
func TestChecksBesideManyAtWorkReportNothing(t *testing.T) {
	for _, repair := range []bool{false, true} {
		w := newWorld(t)
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for round := range 40 {
					if err := w.liveOnce(fmt.Sprintf("garden%d", (i+round)%5), round); err != nil {
						t.Error(err)
					}
				}
			})
		}
		ended := make(chan struct{})
		go func() { all.Wait(); close(ended) }()
		checker := w.store.NewChecker(time.Hour, repair, func(b storage.Breach) {
			if !repair || b.Detail != "active without a gate" {
				t.Errorf("found %+v", b)
			}
		})
		for more := true; more; {
			if _, err := checker.Run(t.Context()); err != nil {
				t.Error(err)
			}
			select {
			case <-ended:
				more = false
			default:
			}
		}
		w.mustBeSound()
	}
}

// liveOnce lets a channel live for a short while, unless somebody else has it.
func (w *world) liveOnce(name string, round int) error {
	ctx := w.t.Context()
	channel, err := domain.NewChannel(name, "", ada)
	if err != nil {
		return err
	}
	if channel, err = w.store.CreateChannel(ctx, channel); errors.Is(err, domain.ErrExists) {
		return nil
	}
	for n := 0; n < 6 && err == nil; n++ {
		var blog domain.Blog
		if blog, _, err = w.store.Post(ctx, posting(channel, grace, text(n))); err != nil {
			break
		}
		switch (n + round) % 3 {
		case 0:
			err = w.store.DeleteBlog(ctx, channel, blog.ID, grace, anyRevision)
		case 1:
			_, err = w.editBy(w.store, blog, anyRevision, "edited")
		}
	}
	if err == nil {
		_, err = w.store.AskDeletion(ctx, channel.Key(), ada, anyIncarnation)
	}
	for _, step := range cascade(w.store, channel.Ref()) {
		if err == nil {
			err = step(ctx)
		}
	}
	return err
}

// A repair changes what it read and nothing else: a row that somebody writes to
// before the repair gets to it stays, for whoever wrote to it knows better.
func TestARepairNeverDeletesWhatChangedSinceItWasRead(t *testing.T) {
	for _, plant := range plants() {
		t.Run(plant.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				plant.found(w)
				var touched []storage.Entity
				w.arm(func(ctx context.Context, call storagetest.Call, send storagetest.Send) error {
					for _, op := range call.Operations {
						if op.Action == storage.ActionDelete {
							touched = append(touched, w.touch(call, op))
						}
					}
					return send(ctx)
				})
				_, err := w.faulty.NewChecker(patience, true, func(b storage.Breach) {
					if b.Repaired == "deleted" && b.Table == "Blogs" {
						t.Errorf("reported as deleted: %+v", b)
					}
				}).Run(t.Context())
				w.ok(err)
				for _, row := range touched {
					if _, err := w.table("Blogs").Get(t.Context(), row.Partition, row.Row); row.Row != "" && err != nil {
						t.Errorf("%s has changed, and is deleted: %v", row.Row, err)
					}
				}
			})
		})
	}
}

// touch writes to a row that is about to be deleted.
func (w *world) touch(call storagetest.Call, op storage.Operation) storage.Entity {
	w.t.Helper()
	if _, conditional := op.If.ETag(); !conditional {
		w.t.Errorf("a repair deletes %q whatever stands", op.Row)
	}
	for _, row := range w.rows(call.Target) {
		if row.Row == op.Row {
			w.ok(w.table(call.Target).Transact(w.t.Context(), row.Partition, storage.Merge(row.Row, storage.Exists)))
			return row
		}
	}
	w.t.Fatalf("a repair deletes %q, which is not there", op.Row)
	panic("unreachable")
}

// The memory that a check takes does not grow with what it reads.
func TestACheckStreams(t *testing.T) {
	w := newWorld(t)
	channel, filled := w.create("garden", ada), 0
	peak := func(rows int) uint64 {
		for ; filled < rows; filled += 99 {
			w.fill(channel)
		}
		var least, most uint64 = 1 << 62, 0
		checker := w.through(func(ctx context.Context, call storagetest.Call, send storagetest.Send) error {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			least, most = min(least, m.HeapAlloc), max(most, m.HeapAlloc)
			return send(ctx)
		}).NewChecker(time.Hour, false, func(b storage.Breach) { t.Errorf("found %+v", b) })
		counts, err := checker.Run(t.Context())
		if err != nil || counts.Rows < rows {
			t.Errorf("checked %+v of %d rows, %v", counts, rows, err)
		}
		return most - least
	}
	few := peak(2_000)
	many := peak(50_000)
	t.Logf("a check of 2,000 rows takes %d KiB, of 50,000 rows %d KiB", few>>10, many>>10)
	if many > 2*few {
		t.Errorf("a check of 2,000 rows takes %d bytes, of 50,000 rows %d", few, many)
	}
}

// fill adds 99 rows of posts to a channel.
func (w *world) fill(channel domain.Channel) {
	w.t.Helper()
	var ops []storage.Operation
	of := storage.String("Incarnation", channel.Incarnation)
	for range 33 {
		id := domain.NewBlogID(domain.Now())
		ops = append(ops,
			storage.Insert("blog!"+string(id), of, storage.String("Text", "text"), storage.Int64("Rating", 0)),
			storage.Insert(rateRow(0, id), of),
			storage.Insert("once!"+string(id), of))
	}
	w.ok(w.table("Blogs").Transact(w.t.Context(), string(channel.Key()), ops...))
}

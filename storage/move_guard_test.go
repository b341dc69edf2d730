package storage_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestGuard(t *testing.T) {
	for name, test := range map[string]func(*testing.T, *guarded){
		"refuses writes while the store is frozen":                 guardRefuses,
		"looks at most once in five seconds":                       guardLooksRarely,
		"acknowledges no write later than the copy waits":          guardIsNotLate,
		"refuses writes if it cannot look":                         guardFailsClosed,
		"gives back what it received of a frozen store":            guardGivesBack,
		"refuses writes to the unfinished target of a copy":        guardOfTarget,
		"reads and settles while the store is frozen":              guardReads,
		"of a process that is alone looks once":                    guardForGood,
		"keeps the contract of a store":                            nil,
		"freezes once and thaws, whatever requests are sent twice": freezesOnce,
	} {
		if test == nil {
			t.Run(name, func(t *testing.T) {
				drivertest.Tables(t, func(t *testing.T) driver.Tables {
					db := mem.Open(mem.Snapshot{}, "test")
					if err := db.CreateTable(t.Context(), "Moves"); err != nil {
						t.Fatal(err)
					}
					tables, _ := storage.Guard(db, db)
					return tables
				})
			})
			continue
		}
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, newGuarded(t)) }) })
	}
}

// guarded is a process whose store is guarded, beside one that copies the store.
type guarded struct {
	db     *mem.DB
	copier *storage.Store
	tables driver.Tables
	queues driver.Queues
	// looks counts the requests of the process that read whether the store is frozen.
	looks int
	hook  drivertest.Hook
}

func newGuarded(t *testing.T) *guarded {
	db := mem.Open(mem.Snapshot{}, "test")
	g := &guarded{db: db, copier: storage.New(db, db), hook: drivertest.Pass}
	must(t, g.copier.Prepare(t.Context()))
	faults := drivertest.NewFaults(db, db, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Moves" {
			g.looks++
		}
		return g.hook(ctx, call, send)
	})
	g.tables, g.queues = storage.Guard(faults, faults)
	return g
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (g *guarded) freeze(t *testing.T) {
	_, _, err := g.copier.Freeze(t.Context())
	must(t, err)
}

// write inserts a row.
func (g *guarded) write(t *testing.T, row string) error {
	return g.tables.Transact(t.Context(), "Blogs", "p", []driver.Operation{driver.Insert(row)})
}

func guardRefuses(t *testing.T, g *guarded) {
	must(t, g.write(t, "1"))
	g.freeze(t)
	time.Sleep(storage.LastWrite)
	for range 2 {
		if err := g.write(t, "2"); !errors.Is(err, domain.ErrFrozen) || !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("a write to a frozen store: %v", err)
		}
		if err := g.queues.Send(t.Context(), domain.QueueName, "x"); !errors.Is(err, domain.ErrFrozen) {
			t.Errorf("a message to a frozen store: %v", err)
		}
	}
	was, err := g.copier.Thaw(t.Context())
	if must(t, err); !was {
		t.Error("the store was not frozen")
	}
	time.Sleep(5 * time.Second)
	must(t, g.write(t, "2"))
}

func guardLooksRarely(t *testing.T, g *guarded) {
	for i := range 100 { // in 50 s
		must(t, g.write(t, string(rune('a'+i%26))+string(rune('a'+i/26))))
		time.Sleep(500 * time.Millisecond)
	}
	if g.looks > 10 {
		t.Errorf("%d looks in 50 s", g.looks)
	}
	time.Sleep(time.Hour)
	if g.looks > 10 {
		t.Error("an idle process looks")
	}
}

func guardIsNotLate(t *testing.T, g *guarded) {
	must(t, g.write(t, "1"))
	time.Sleep(4900 * time.Millisecond)
	g.freeze(t)
	frozen := time.Now()
	g.hook = func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		time.Sleep(time.Minute) // it does not listen to ctx, and takes effect
		return send(context.WithoutCancel(ctx))
	}
	if err := g.write(t, "2"); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("an answer %s after the store was frozen: %v", time.Since(frozen), err)
	}
	g.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Moves" {
			return send(ctx)
		}
		time.Sleep(time.Minute)
		return domain.ErrExists // the echo of the write's first try, which was late too
	}
	_, err := g.copier.Thaw(t.Context())
	must(t, err)
	if err := g.write(t, "2"); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("a refusal that came late: %v", err)
	}
	g.hook = func(ctx context.Context, _ drivertest.Call, _ drivertest.Send) error {
		<-ctx.Done()
		return domain.ErrUnavailable
	}
	_, err = g.copier.Thaw(t.Context())
	must(t, err)
	g.hook, g.looks = drivertest.Pass, 0
	must(t, g.write(t, "3"))
	g.hook = func(ctx context.Context, _ drivertest.Call, _ drivertest.Send) error {
		<-ctx.Done()
		return domain.ErrUnavailable
	}
	began := time.Now()
	if err := g.write(t, "4"); err == nil || time.Since(began) > storage.LastWrite {
		t.Errorf("a write without an answer took %s: %v", time.Since(began), err)
	}
}

func guardFailsClosed(t *testing.T, g *guarded) {
	g.hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Moves" {
			return domain.ErrUnavailable
		}
		return send(ctx)
	}
	if err := g.write(t, "1"); !errors.Is(err, domain.ErrUnavailable) || errors.Is(err, domain.ErrFrozen) {
		t.Errorf("a write without a look: %v", err)
	}
	g.hook = drivertest.Pass
	must(t, g.write(t, "1"))
}

func guardGivesBack(t *testing.T, g *guarded) {
	must(t, g.queues.Send(t.Context(), domain.QueueName, "x"))
	g.freeze(t)
	time.Sleep(5 * time.Second)
	if m, err := g.queues.Receive(t.Context(), domain.QueueName, 1, time.Hour); !errors.Is(err, domain.ErrFrozen) || len(m) > 0 {
		t.Errorf("received %v, error %v", m, err)
	}
	if _, err := g.queues.Receive(t.Context(), domain.QueueName, 1, time.Hour); !errors.Is(err, domain.ErrFrozen) {
		t.Errorf("received again: %v", err)
	}
	visible, err := g.db.Peek(t.Context(), domain.QueueName, 1)
	if must(t, err); len(visible) != 1 || visible[0].Deliveries != 1 {
		t.Errorf("the queue shows %v", visible)
	}
}

func guardOfTarget(t *testing.T, g *guarded) {
	_, err := g.copier.BeginCopy(t.Context(), storage.Freeze{Store: "s", ID: "f", Since: time.Now()})
	must(t, err)
	if err := g.write(t, "1"); !errors.Is(err, domain.ErrFrozen) {
		t.Errorf("a write to an unfinished target: %v", err)
	}
}

func guardReads(t *testing.T, g *guarded) {
	must(t, g.write(t, "1"))
	must(t, g.queues.Send(t.Context(), domain.QueueName, "x"))
	held, err := g.queues.Receive(t.Context(), domain.QueueName, 1, time.Hour)
	must(t, err)
	g.freeze(t)
	time.Sleep(storage.LastWrite)
	_, err = g.tables.Get(t.Context(), "Blogs", "p", "1")
	must(t, err)
	must(t, g.queues.Delete(t.Context(), domain.QueueName, held[0]))
}

func guardForGood(t *testing.T, g *guarded) {
	g.freeze(t)
	tables, _ := storage.GuardForGood(g.db, g.db)
	if err := tables.Transact(t.Context(), "Blogs", "p", []driver.Operation{driver.Insert("1")}); !errors.Is(err, domain.ErrFrozen) {
		t.Errorf("a write to a frozen store: %v", err)
	}
}

func freezesOnce(t *testing.T, g *guarded) {
	for n := range 4 {
		store := storage.New(drivertest.NewFaults(g.db, g.db, drivertest.Only(drivertest.Writes, drivertest.SentTwice(n+1))), g.db)
		first, fresh, err := store.Freeze(t.Context())
		if must(t, err); !fresh || !first.Frozen {
			t.Errorf("the first freeze is %+v, fresh: %v", first, fresh)
		}
		again, fresh, err := store.Freeze(t.Context())
		if must(t, err); fresh || again.ID != first.ID {
			t.Errorf("the second is %+v after %+v, fresh: %v", again, first, fresh)
		}
		was, err := store.Thaw(t.Context())
		if must(t, err); !was {
			t.Error("it was not frozen")
		}
		now, err := g.copier.Moving(t.Context())
		if must(t, err); now.Freeze.Frozen || now.Freeze.Store != first.Store {
			t.Errorf("thawed, it says %+v", now.Freeze)
		}
	}
}

package storage_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// A clock that was a day ahead has written the rows of a table, and is right now.
func TestClockAhead(t *testing.T) {
	t.Run("deletion that may wait for a worker is left alone", bubble(aheadDeletionWaitsForItsTurn))
	t.Run("creation that died takes no room", bubble(aheadRowTakesNoRoom))
	t.Run("subscriber who died leaves no row after a repair", bubble(aheadJoinerIsRepaired))
}

// postdate moves every time in a table forward by a day.
func (w *world) postdate(table string) {
	w.t.Helper()
	for _, row := range w.allRows(table) {
		var times driver.Properties
		for _, p := range row.Properties {
			if on := row.Properties.Time(p.Name); !on.IsZero() {
				times = append(times, driver.Time(p.Name, on.Add(24*time.Hour)))
			}
		}
		if len(times) > 0 {
			w.ok(w.table(table).Transact(w.t.Context(), row.Partition, driver.Merge(row.Row, driver.Exists, times...)))
		}
	}
}

func aheadDeletionWaitsForItsTurn(t *testing.T, w *world) {
	ref := w.ask(w.create("garden", ada))
	w.change(ref, func(d *domain.Deletion) { d.RetryOn = domain.Now() })
	w.postdate("Deletions")
	w.ok(w.store.Operator.ListDeletion(t.Context(), w.deletion(ref).Message()))
	if n := w.reconcileHandedOut(time.Time{}); n != 0 {
		t.Error("queued again although no message was received yet")
	}
	if violations, _ := w.run(false); len(violations) != 0 {
		t.Errorf("check accuses %q although the message is on the queue", places(violations))
	}
}

func aheadRowTakesNoRoom(t *testing.T, w *world) {
	w.arm(drivertest.Only(opensGate,
		func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected }))
	if _, _, err := w.faulty.Channels.Create(t.Context(), w.channel("died", ada), "", 1); !errors.Is(err, domain.ErrUnavailable) {
		t.Fatal(err)
	}
	w.wantFull(w.within(1, "garden"), 1)
	w.postdate("Users")
	w.ok(w.within(1, "garden"))
}

func aheadJoinerIsRepaired(t *testing.T, w *world) {
	channel := w.create("garden", ada)
	w.insert("garden", "join!grace", channel.Incarnation, driver.Time("SubscribedOn", time.Now()))
	w.postdate("Blogs")
	if w.run(true); w.has("garden", "join!grace") {
		t.Error("the row is left")
	}
}

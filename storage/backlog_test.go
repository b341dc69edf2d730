package storage_test

import (
	"fmt"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestBacklog(t *testing.T) {
	t.Run("counts the deletions that are open, and knows the oldest", bubble(backlogCounts))
	t.Run("costs no more however many deletions are open", backlogIsBounded)
}

func backlogCounts(t *testing.T, w *world) {
	if b, err := w.store.Operator.Backlog(t.Context()); err != nil || b.Open != 0 || !b.Oldest.IsZero() || b.Messages != 0 || b.Poisoned != 0 {
		t.Errorf("of an empty store: %+v, %v", b, err)
	}
	time.Sleep(time.Hour)
	oldest := domain.Now()
	w.askFor("oldest")
	time.Sleep(time.Minute)
	w.askFor("newest")
	b, err := w.store.Operator.Backlog(t.Context())
	if err != nil || b.Open != 2 || !b.Oldest.Equal(oldest) || b.Poisoned != 0 {
		t.Errorf("%+v, %v, want 2 since %s", b, err, oldest)
	}
	w.ok(driver.NewQueue(w.db, domain.PoisonQueueName).Send(t.Context(), "poison"))
	if b, err := w.store.Operator.Backlog(t.Context()); err != nil || b.Messages == 0 || b.Poisoned != 1 {
		t.Errorf("the queues: %+v, %v", b, err)
	}
}

// askFor makes a channel and asks for its deletion.
func (w *world) askFor(name string) domain.Channel {
	w.t.Helper()
	channel := w.create(name, ada)
	_, err := w.store.Deletions.Request(w.t.Context(), channel.Key(), ada, domain.OneOf(channel.Incarnation))
	w.ok(err)
	return channel
}

func backlogIsBounded(t *testing.T) {
	w := newWorld(t)
	for partition := range 11 {
		var rows []driver.Operation
		for i := range driver.MaxOperations {
			rows = append(rows, driver.Insert(fmt.Sprintf("channel%d-%d!%s", partition, i, domain.NewIncarnation()), driver.Time("RequestedOn", domain.Now())))
		}
		w.ok(w.table("Deletions").Transact(t.Context(), fmt.Sprintf("open!%d", partition), rows...))
	}
	w.arm(drivertest.Pass)
	b, err := w.faulty.Operator.Backlog(t.Context())
	if calls := w.calls.Load(); err != nil || calls > 5 || b.Open != 1000 {
		t.Errorf("%d calls for %+v, %v", calls, b, err)
	}
}

package deletion_test

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
	t.Run("costs no more however many deletions are open, or messages in poison", backlogIsBounded)
}

func backlogCounts(t *testing.T, w *world) {
	if b, err := w.Store.Operator.Backlog(t.Context()); err != nil || b.Open != 0 || !b.Oldest.IsZero() || b.Messages != 0 || b.Poisoned != 0 {
		t.Errorf("of an empty store: %+v, %v", b, err)
	}
	time.Sleep(time.Hour)
	oldest := domain.Now()
	w.askFor("oldest")
	time.Sleep(time.Minute)
	w.askFor("newest")
	b, err := w.Store.Operator.Backlog(t.Context())
	if err != nil || b.Open != 2 || !b.Oldest.Equal(oldest) || b.Poisoned != 0 {
		t.Errorf("%+v, %v, want 2 since %s", b, err, oldest)
	}
	w.Poison()
	if b, err := w.Store.Operator.Backlog(t.Context()); err != nil || b.Messages != 0 || b.Poisoned != 2 {
		t.Errorf("in poison: %+v, %v", b, err)
	}
}

// askFor makes a channel and asks for its deletion.
func (w *world) askFor(name string) domain.Channel {
	w.T.Helper()
	channel := w.Create(name, ada)
	_, err := w.Store.Deletions.Request(w.T.Context(), channel.Key(), ada, domain.OneOf(channel.Incarnation))
	w.OK(err)
	return channel
}

func backlogIsBounded(t *testing.T) {
	w := newWorld(t)
	for partition := range 11 {
		var rows []driver.Operation
		for i := range driver.MaxOperations {
			rows = append(rows, driver.Insert(fmt.Sprintf("channel%d-%d!%s", partition, i, domain.NewIncarnation()), driver.Time("RequestedOn", domain.Now())))
		}
		w.OK(w.Table("Deletions").Transact(t.Context(), fmt.Sprintf("open!%d", partition), rows...))
		var messages []driver.Operation
		for i := range driver.MaxOperations {
			messages = append(messages, driver.Insert(fmt.Sprintf("%d-%d", partition, i)))
		}
		w.OK(w.Table("Deletions").Transact(t.Context(), "poison!", messages...))
	}
	w.Arm(drivertest.Pass)
	b, err := w.Faulty.Operator.Backlog(t.Context())
	if calls := w.Calls.Load(); err != nil || calls > 5 || b.Open != 1000 || b.Poisoned != 1000 {
		t.Errorf("%d calls for %+v, %v", calls, b, err)
	}
}

package deletion_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestBacklog(t *testing.T) {
	t.Run("counts the deletions that are open, and knows the oldest", bubble(backlogCounts))
	t.Run("counts an open deletion whose row does not say when it is due, by itself", bubble(backlogCountsUndated))
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

// Its age is unknown, and so it hides no other's.
func backlogCountsUndated(t *testing.T, w *world) {
	w.askFor("readable")
	due := domain.Now()
	for name, wrong := range map[string]driver.Property{
		"earlier": driver.Time("RequestedOn", domain.Now()), // as an earlier version wrote it
		"spoiled": driver.String("DueOn", "tomorrow"),
	} {
		w.OK(w.Table("Deletions").Transact(t.Context(), "open!3", driver.Insert(name+"!"+string(domain.NewIncarnation()), wrong)))
	}
	time.Sleep(time.Hour)
	if b, err := w.Store.Operator.Backlog(t.Context()); err != nil || b.Undated != 2 || b.Open != 1 || !b.Oldest.Equal(due) {
		t.Errorf("%+v, %v, want two undated, and one open since %s", b, err, due)
	}
}

// askFor makes a channel and asks for its deletion.
func (w *world) askFor(name string) domain.Channel {
	w.T.Helper()
	channel := w.Create(name, ada)
	_, err := w.Store.Deletions.Request(w.T.Context(), channel.Key(), domain.By(ada), domain.OneOf(channel.Incarnation))
	w.OK(err)
	return channel
}

func backlogIsBounded(t *testing.T) {
	w := newWorld(t)
	fill := func(of string, row func(i int) driver.Operation) {
		for partition := range 11 {
			var rows []driver.Operation
			for i := range driver.MaxOperations {
				rows = append(rows, row(partition*driver.MaxOperations+i))
			}
			w.OK(w.Table("Deletions").Transact(t.Context(), strings.ReplaceAll(of, "N", fmt.Sprint(partition)), rows...))
		}
	}
	open := func(name, property string) func(int) driver.Operation {
		return func(i int) driver.Operation {
			return driver.Insert(fmt.Sprintf("%s%d!%s", name, i, domain.NewIncarnation()), driver.Time(property, domain.Now()))
		}
	}
	fill("poison!", func(i int) driver.Operation { return driver.Insert(fmt.Sprint(i)) })
	fill("open!N", open("undated", "RequestedOn"))
	want := func(count func(storage.Backlog) int) {
		t.Helper()
		w.Arm(drivertest.Pass)
		b, err := w.Faulty.Operator.Backlog(t.Context())
		if calls := w.Calls.Load(); err != nil || calls > 5 || count(b) != 1000 || b.Poisoned != 1000 {
			t.Errorf("%d calls for %+v, %v", calls, b, err)
		}
	}
	want(func(b storage.Backlog) int { return b.Undated })
	fill("open!N", open("channel", "DueOn"))
	want(func(b storage.Backlog) int { return b.Open })
}

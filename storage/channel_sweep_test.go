package storage_test

import (
	"errors"
	"fmt"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestChannelSweep(t *testing.T) {
	t.Run("posts at once with a deletion leave no orphan", postsDuringDeletionLeaveNoOrphan)
	t.Run("channel of more than a page is emptied", largeChannelIsEmptied)
}

func postsDuringDeletionLeaveNoOrphan(t *testing.T) {
	w := newWorld(t)
	for round := range 10 {
		channel := w.create("garden", ada)
		atOnce(9, func(i int) {
			if i == 0 {
				w.delete(channel)
				return
			}
			for n := range 20 {
				_, _, err := w.store.Post(t.Context(), posting(channel, grace, fmt.Sprintf("%d of %d", n, i)))
				if err != nil {
					if !errors.Is(err, domain.ErrGone) && !errors.Is(err, domain.ErrNotFound) {
						t.Error(err)
					}
					return
				}
			}
		})
		if rows := w.rows("Blogs"); len(rows) != 0 {
			t.Fatalf("round %d: rows are left: %v", round, rows)
		}
	}
	w.mustBeSound()
}

func largeChannelIsEmptied(t *testing.T) {
	w := newWorld(t)
	channel := w.create("garden", ada)
	var batch []driver.Operation
	for i := range 2500 {
		batch = append(batch, driver.Insert(fmt.Sprintf("once!%05d", i), driver.String("Incarnation", channel.Incarnation)))
		if len(batch) == driver.MaxOperations {
			w.ok(w.table("Blogs").Transact(t.Context(), string(channel.Key()), batch...))
			batch = nil
		}
	}
	w.delete(channel)
	w.mustKeepTheNextIncarnation(channel, false)
}

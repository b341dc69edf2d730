package storage_test

import (
	"fmt"
	"testing"

	"microblogging/storage/driver"
)

func TestChannelSweep(t *testing.T) {
	t.Run("channel of more than a page is emptied", largeChannelIsEmptied)
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

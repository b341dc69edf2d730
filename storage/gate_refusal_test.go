package storage_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
)

func TestRefusedByGate(t *testing.T) {
	t.Run("tells a post that came after the deletion, and a sweep that came after its end", refusedByGate)
}

// A gateWatch keeps which gates have refused a transaction.
type gateWatch struct{ refused []channel.Gate }

func (g *gateWatch) around(ctx context.Context, call *driver.Call, next func(context.Context) error) error {
	err := next(ctx)
	if gate, refused := channel.RefusedByGate(call, err); refused {
		g.refused = append(g.refused, gate)
	}
	return err
}

func refusedByGate(t *testing.T) {
	w := newWorld(t)
	watch := &gateWatch{}
	store := storage.New(w.db, storage.Options{Around: []driver.Around{watch.around}})
	made, err := store.CreateChannel(t.Context(), w.channel("garden", ada))
	w.ok(err)
	w.post(made, grace, "first")
	_, err = store.ShutGate(t.Context(), made.Ref())
	w.ok(err)
	if _, err = store.ShutGate(t.Context(), made.Ref()); err != nil || len(watch.refused) != 0 {
		t.Fatalf("%q refused, %v, before anybody was late", watch.refused, err)
	}
	if _, _, err := store.Post(t.Context(), posting(made, grace, "late")); !errors.Is(err, domain.ErrGone) {
		t.Errorf("a late post got %v", err)
	}
	w.ok(w.table("Blogs").Transact(t.Context(), string(made.Key()), driver.Delete(shutGateRow(made.Incarnation), driver.Exists)))
	if page, err := store.Sweep(t.Context(), made.Ref(), "", func(int) {}); err != nil || !page.Disarmed {
		t.Errorf("a late sweep got %+v, %v", page, err)
	}
	if want := []channel.Gate{channel.GateOpen, channel.GateShut}; !slices.Equal(watch.refused, want) {
		t.Errorf("%q refused, want %q", watch.refused, want)
	}
}

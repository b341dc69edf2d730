package storage_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/internal/storetest"
)

func TestRefusedByGate(t *testing.T) {
	t.Run("tells a post that came after the deletion, and a sweep that came after its end", refusedByGate)
}

// A gateWatch keeps which gates have refused a transaction.
type gateWatch struct{ refused []storage.Gate }

func (g *gateWatch) around(ctx context.Context, call *driver.Call, next func(context.Context) error) error {
	err := next(ctx)
	if gate, refused := storage.RefusedByGate(call, err); refused {
		g.refused = append(g.refused, gate)
	}
	return err
}

func refusedByGate(t *testing.T) {
	w := storetest.New(t)
	watch := &gateWatch{}
	store := storage.New(w.DB, storage.Options{Around: []driver.Around{watch.around}})
	made, _, err := store.Channels.Create(t.Context(), w.NewChannel("garden", ada), domain.PostersOpen, "", 0)
	w.OK(err)
	w.Post(made, grace, "first")
	_, err = store.Operator.ShutGate(t.Context(), made.Ref())
	w.OK(err)
	if _, err = store.Operator.ShutGate(t.Context(), made.Ref()); err != nil || len(watch.refused) != 0 {
		t.Fatalf("%q refused, %v, before anybody was late", watch.refused, err)
	}
	if _, _, err := store.Posts.Create(t.Context(), storetest.NewPost(made, grace, "late")); !errors.Is(err, domain.ErrGone) {
		t.Errorf("a late post got %v", err)
	}
	w.OK(w.Table("Blogs").Transact(t.Context(), string(made.Key()), driver.Delete(storetest.ShutGateRow(made.Incarnation), driver.Exists)))
	if page, err := store.Operator.Sweep(t.Context(), made.Ref(), "", func(int) {}); err != nil || !page.GateGone {
		t.Errorf("a late sweep got %+v, %v", page, err)
	}
	if want := []storage.Gate{storage.GateOpen, storage.GateShut}; !slices.Equal(watch.refused, want) {
		t.Errorf("%q refused, want %q", watch.refused, want)
	}
}

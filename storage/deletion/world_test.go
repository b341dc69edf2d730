package deletion_test

import (
	"testing"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ada, grace, eve = storetest.Ada, storetest.Grace, storetest.Eve

// A world is that of all packages, with what the tests of this one do.
type world struct{ *storetest.World }

func newWorld(t testing.TB) *world { return &world{storetest.New(t)} }

func bubble(test func(t *testing.T, w *world)) func(*testing.T) {
	return storetest.Bubble(func(t *testing.T, w *storetest.World) { test(t, &world{w}) })
}

func eachCall(t *testing.T, what string, scenario func(w *world, n int)) {
	t.Helper()
	storetest.EachCall(t, what, func(w *storetest.World, n int) { scenario(&world{w}, n) })
}

// change changes the record of a deletion.
func (w *world) change(ref domain.ChannelRef, change func(d *domain.Deletion)) {
	w.T.Helper()
	w.OK(w.Store.Operator.UpdateRecord(w.T.Context(), storetest.MessageAbout(ref), func(d *domain.Deletion) bool { change(d); return true }))
}

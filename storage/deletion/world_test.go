package deletion_test

import (
	"testing"

	"microblogging/domain"
	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const ada, grace, eve = storetest.Ada, storetest.Grace, storetest.Eve

// A world is that of all packages, with what the tests of this one do.
type world struct{ *storetest.World }

func newWorld(t testing.TB) *world { return &world{storetest.New(t)} }

var (
	bubble   = storetest.BubbleOf[world]
	eachCall = storetest.EachCallOf[world]
)

// change changes the record of a deletion.
func (w *world) change(ref domain.ChannelRef, change func(d *domain.Deletion)) {
	w.T.Helper()
	w.OK(w.Store.Operator.UpdateRecord(w.T.Context(), storetest.MessageAbout(ref), func(d *domain.Deletion) bool { change(d); return true }))
}

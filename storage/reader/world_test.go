package reader_test

import (
	"testing"

	"go.uber.org/goleak"

	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ada, grace, eve = storetest.Ada, storetest.Grace, storetest.Eve

// A world is that of all packages, with what the tests of this one do.
type world struct{ *storetest.World }

func bubble(test func(t *testing.T, w *world)) func(*testing.T) {
	return storetest.Bubble(func(t *testing.T, w *storetest.World) { test(t, &world{w}) })
}

func eachCall(t *testing.T, what string, scenario func(w *world, n int)) {
	t.Helper()
	storetest.EachCall(t, what, func(w *storetest.World, n int) { scenario(&world{w}, n) })
}

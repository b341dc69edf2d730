package check_test

import (
	"testing"

	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const ada, grace, eve = storetest.Ada, storetest.Grace, storetest.Eve

// A world is that of all packages, with what the tests of this one do.
type world struct{ *storetest.World }

func worldOf(w *storetest.World) *world {
	w.Repairs = true
	return &world{w}
}

func newWorld(t *testing.T) *world { return worldOf(storetest.New(t)) }

func bubble(test func(t *testing.T, w *world)) func(*testing.T) {
	return storetest.Bubble(func(t *testing.T, w *storetest.World) { test(t, worldOf(w)) })
}

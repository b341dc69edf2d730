package reader_test

import (
	"testing"

	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const ada, grace, eve = storetest.Ada, storetest.Grace, storetest.Eve

// A world is that of all packages, with what the tests of this one do.
type world struct{ *storetest.World }

var (
	bubble   = storetest.BubbleOf[world]
	eachCall = storetest.EachCallOf[world]
)

package fence_test

import (
	"testing"

	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const ada, grace = storetest.Ada, storetest.Grace

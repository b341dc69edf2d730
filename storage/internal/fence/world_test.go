package fence_test

import (
	"testing"

	"go.uber.org/goleak"

	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ada, grace = storetest.Ada, storetest.Grace

package storage_test

import (
	"testing"

	"go.uber.org/goleak"

	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ada, grace, eve = storetest.Ada, storetest.Grace, storetest.Eve

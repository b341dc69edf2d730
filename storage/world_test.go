package storage_test

import (
	"testing"

	"go.uber.org/goleak"

	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ada, grace, eve = storetest.Ada, storetest.Grace, storetest.Eve

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package storage_test

import (
	"testing"

	"microblogging/storage/internal/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const ada, grace, eve = storetest.Ada, storetest.Grace, storetest.Eve

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

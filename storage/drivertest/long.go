package drivertest

import "testing"

// Long leaves a test that makes ten thousands of calls out of go test -short. With the race
// detector such a test takes minutes, so .ci/test runs it without, and the others with it.
func Long(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		if testing.Short() {
			t.Skip("makes ten thousands of calls; go test without -short runs it")
		}
		test(t)
	}
}

package bolt

import "testing"

// WantSoundPages requires that each page of the file is used once or free.
func WantSoundPages(t *testing.T, path string) {
	t.Helper()
	wantSoundPages(t, path, "after a crash")
}

// CompactUntilKilled is what the process of TestCompact does.
func CompactUntilKilled(dir string) error { return compactUntilKilled(dir) }

// RestoreUntilKilled is what the process of TestRestore does.
func RestoreUntilKilled(parent string) error { return restoreUntilKilled(parent) }

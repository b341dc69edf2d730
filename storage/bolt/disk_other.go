//go:build !linux && !darwin

package bolt

// Disk returns nothing: it is known on Linux and on macOS.
func (db *DB) Disk() (Disk, error) { return Disk{}, nil }

package bolt

// Health returns nil while the store writes, and else why it does not. A failed commit
// counts until a later one succeeds; one that failed half done counts until the store
// is opened again. Health asks neither the disk nor the writer, so it never waits.
func (db *DB) Health() error {
	select {
	case <-db.stopped:
		return errClosed
	default:
	}
	if failure := db.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

package bolt

import (
	"time"

	"go.etcd.io/bbolt"
)

const (
	// smallList is how many pages a list may have that each commit writes. A page has
	// room for about 500 free pages.
	smallList = 3
	// listIdle is how long nobody must have written before a larger list is written.
	listIdle = time.Second
	// listRate is how many bytes of larger lists are written in a second, in the long run.
	listRate = 128 << 10
)

// freePages says which commits write the list of free pages. bbolt has the list in memory.
// A commit that writes it grows with the free space: after the deletion of a million
// rows, each post would write 3 MB. A commit that leaves it out says that the file has no
// list; whoever opens the file then finds the free pages by reading all others.
//
// So a commit writes the list while it is small. A larger list is written when nobody
// has written for a while, and at the end. Each commit names its own list or none, so
// the file is whole at any time.
type freePages struct {
	// carried tells that the next commit writes the list.
	carried bool
	// missing tells that the last commit left the list out.
	missing bool
	// idle is listIdle, or less in a test.
	idle time.Duration
	// notBefore is when listRate allows the next large list.
	notBefore time.Time
}

// commit commits the changes of a transaction, with the list if it is small. If the disk
// fails, finish says what that means.
func (f *freePages) commit(tx *bbolt.Tx, finish func() error) error {
	carried := f.carried
	f.carried, f.missing = false, true // unless it succeeds
	tx.DB().NoFreelistSync = !carried
	if err := finish(); err != nil || !carried {
		return err
	}
	// One write is for the page that names the root, and each of the others for one page
	// with those that continue it. The list is continued on no more pages than there are.
	stats := tx.Stats()
	continued := stats.GetPageCount() - (stats.GetWrite() - 1)
	f.carried, f.missing = continued < smallList, false
	return nil
}

// nextList returns a channel on which the time to write the list comes, unless somebody
// writes before. It is nil if there is nothing to write, or a disk that fails.
func (db *DB) nextList() <-chan time.Time {
	if !db.freePages.missing || db.failure.Load() != nil {
		return nil
	}
	return time.After(max(db.freePages.idle, time.Until(db.freePages.notBefore)))
}

// writeList commits the list alone. If it fails, nothing is lost but time at the next
// opening.
func (db *DB) writeList() {
	if !db.freePages.missing || db.failure.Load() != nil {
		return
	}
	defer db.begins()()
	db.freePages.missing = false // after a failure, the next commit asks for it again
	tx, err := db.bolt.Begin(true)
	if err == nil {
		db.bolt.NoFreelistSync = false
		err = db.finish(tx, db.commitList)
	}
	if err != nil {
		db.log.Warn("the list of free pages was not written; the store may open slower", "error", err)
		return
	}
	stats := tx.Stats()
	db.freePages.carried = stats.GetPageCount() <= smallList
	if !db.freePages.carried {
		db.freePages.notBefore = time.Now().Add(time.Duration(stats.GetPageAlloc()) * time.Second / listRate)
	}
}

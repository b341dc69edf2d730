package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// spoil makes rows and a message that nobody can read, in pages that are whole, beside the
// 200 rows and the message of wasteful.
func spoil(t *testing.T, dir string) {
	t.Helper()
	alter(t, dir, func(tx *bbolt.Tx) (err error) {
		table, queue := tx.Bucket(tableBucket("T")), tx.Bucket(queueBucket("q"))
		for i := range 30 {
			err = errors.Join(err, table.Put(rowKey("spoiled", fmt.Sprintf("row%02d", i)), []byte("no record")))
		}
		return errors.Join(err, table.Put([]byte("apart"), encodeRecord("e", encodeProperties(nil))), queue.Put(make([]byte, placeLen), []byte("no message")))
	})
}

// alter writes to the file without the store.
func alter(t *testing.T, dir string, change func(*bbolt.Tx) error) {
	t.Helper()
	file, err := bbolt.Open(filepath.Join(dir, fileName), 0o600, &bbolt.Options{Timeout: time.Second, NoFreelistSync: true})
	if err == nil {
		err = errors.Join(file.Update(change), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantNamed requires that an error names what spoil made: as much as has room.
func wantNamed(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "32 of 234 rows cannot be read") || strings.Contains(err.Error(), "\n") ||
		!strings.Contains(err.Error(), `queue q: message at 0000`) || !strings.Contains(err.Error(), `table T: key "apart"`) || strings.Contains(err.Error(), "row18") ||
		!strings.Contains(err.Error(), `table T: row ("spoiled", "row17")`) {
		t.Errorf("got %v, want the names of what cannot be read", err)
	}
}

// fileOf returns the bytes of a store's file.
func fileOf(t *testing.T, dir string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// schemaVersion is the version of everything that this package writes: the
// names of buckets, the form of keys, records and messages. A program refuses a
// store with a higher one.
const schemaVersion = 1

var (
	errForeign = errors.New("not a MicroBlogging store")
	errNewer   = errors.New("written by a newer version of this program")
)

// The bucket about the store itself. Its sequence is the epoch.
func aboutBucket() []byte { return []byte("microblogging") }
func schemaKey() []byte   { return []byte("schema") }

// The buckets of tables and queues.
func tableBucket(table string) []byte { return []byte("table " + table) }
func queueBucket(queue string) []byte { return []byte("queue " + queue) }

// beginEpoch checks that the store is one of ours, and counts this opening.
func beginEpoch(file *bbolt.DB) (epoch uint64, err error) {
	if err := file.View(checkSchema); err != nil {
		return 0, err
	}
	err = file.Update(func(tx *bbolt.Tx) error {
		about, err := tx.CreateBucketIfNotExists(aboutBucket())
		if err != nil {
			return err
		}
		version := binary.BigEndian.AppendUint32(nil, schemaVersion)
		if err := about.Put(schemaKey(), version); err != nil {
			return err
		}
		epoch, err = about.NextSequence()
		return err
	})
	return epoch, err
}

// checkSchema accepts a store that is empty, and one of ours that is no newer
// than this program.
func checkSchema(tx *bbolt.Tx) error {
	about := tx.Bucket(aboutBucket())
	if about == nil {
		if first, _ := tx.Cursor().First(); first != nil {
			return errForeign
		}
		return nil
	}
	version := about.Get(schemaKey())
	if len(version) != 4 {
		return errForeign
	}
	if v := binary.BigEndian.Uint32(version); v > schemaVersion {
		return fmt.Errorf("schema version %d, this program knows %d: %w", v, schemaVersion, errNewer)
	}
	return nil
}

package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// schemaVersion is the version of everything that this package writes: names of
// buckets, keys, records and messages. A program refuses a store with a higher
// version.
const schemaVersion = 1

var (
	errForeign = errors.New("not a MicroBlogging store")
	errDamaged = errors.New("damaged (restore a backup into another directory)")
	errNewer   = errors.New("written by a newer version of this program")
)

// aboutBucket is the bucket about the store itself. Its sequence is the epoch.
func aboutBucket() []byte { return []byte("microblogging") }
func schemaKey() []byte   { return []byte("schema") }

// Each table and each queue has a bucket.
const (
	tablePrefix = "table "
	queuePrefix = "queue "
)

func tableBucket(table string) []byte { return []byte(tablePrefix + table) }
func queueBucket(queue string) []byte { return []byte(queuePrefix + queue) }

// beginEpoch checks that the store is one of ours and increments its epoch.
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

// checkSchema accepts an empty store, and a store of ours that is no newer than
// this program.
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

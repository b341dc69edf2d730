package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"go.etcd.io/bbolt"
)

// schemaVersion is the version of everything that this package writes: names of
// buckets, keys, records and messages. A program refuses a store with a higher
// version.
const schemaVersion = 1

// ErrDamaged means that a part of the file cannot be read.
var ErrDamaged = errors.New("damaged (restore a backup into another directory)")

var (
	errForeign = errors.New("not a MicroBlogging store")
	errNewer   = errors.New("written by a newer version of this program")
)

// aboutBucket is the bucket about the store itself. Its sequence is the epoch; an older
// program counts on from it.
func aboutBucket() []byte { return []byte("microblogging") }
func schemaKey() []byte   { return []byte("schema") }

// Each table and each queue has a bucket.
const (
	tablePrefix = "table "
	queuePrefix = "queue "
)

func tableBucket(table string) []byte { return []byte(tablePrefix + table) }
func queueBucket(queue string) []byte { return []byte(queuePrefix + queue) }

// epochs is how many epochs there are. The least has one digit in base 36, the largest ten.
const epochs = 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36

// beginEpoch checks that the store is one of ours and gives it an epoch, which is a random
// number. It is part of each ETag (nextETag). So no ETag of one opening is one of another, of
// the same store, of a store that this one is a copy of, or of one that was lost after the
// backup that this one was restored from. Among 10,000 openings, two have one epoch with a
// probability of 1 in 70 million. No lease of another epoch holds.
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
		epoch = rand.Uint64N(epochs)
		if err := about.SetSequence(epoch); err != nil {
			return err
		}
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			if !strings.HasPrefix(string(name), queuePrefix) {
				return nil
			}
			return endLeases(bucket)
		})
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

package bolt

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// noteEvery is the least time between two notes of the clock of the machine, and of that of the queues.
const noteEvery = time.Minute

// latestKey is the key of the latest time of the clock of a machine at which the store was written to, to
// noteEvery, in the bucket about the store: nanoseconds since 1970, 8 bytes, big endian.
func latestKey() []byte { return []byte("latest") }

// readLatest returns what noteTime has written. It is 0 if that never was.
func readLatest(file *boltFile) (latest int64, err error) {
	err = file.View(func(tx *bbolt.Tx) error {
		if about := tx.Bucket(aboutBucket()); about != nil {
			if value := about.Get(latestKey()); len(value) == 8 {
				latest = int64(binary.BigEndian.Uint64(value))
			}
		}
		return nil
	})
	return latest, err
}

// noteTime adds to a commit that is made anyway the time, if it is later than the latest by noteEvery, and how far the
// clock of the queues has come, if that is noteEvery further than the last note. It returns both notes. The second
// does not wait for the first: the clock of the machine may have been ahead, and then the latest time is to come.
func (db *DB) noteTime(tx *bbolt.Tx) (latest int64, noted time.Duration, err error) {
	latest, noted = db.latest.Load(), db.noted
	if now := time.Now().UnixNano(); now-latest >= int64(noteEvery) {
		latest = now
		err = tx.Bucket(aboutBucket()).Put(latestKey(), binary.BigEndian.AppendUint64(nil, uint64(now)))
	}
	if now := db.clock(); now-noted >= noteEvery {
		noted = now
		err = errors.Join(err, db.noteClock(tx))
	}
	return latest, noted, err
}

// noteClock writes how far the clock of the queues has come, so that the next epoch goes on from there. Without it a
// restart would delay messages anew by the time since the last write to a queue.
func (db *DB) noteClock(tx *bbolt.Tx) error {
	return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
		if !strings.HasPrefix(string(name), queuePrefix) {
			return nil
		}
		return bucket.SetSequence(max(bucket.Sequence(), uint64(db.clock())))
	})
}

// storeTime is driver.Capabilities.Clock. The file has no clock of its own. But a time at which it was written to
// has passed, so the time is at least that.
func (db *DB) storeTime() (store, here time.Time, known bool) {
	here = time.Now()
	store = time.Unix(0, max(db.latest.Load(), here.UnixNano()))
	return store, here, true
}

package bolt

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
)

// A place is the key of a message in the bucket of its queue. It is two numbers of
// 8 bytes, big endian: when the message is visible, in nanoseconds since the store was
// opened (clock), and a sequence number that grows and is never repeated. So the messages
// that can be received come first: those that were never hidden, at 0, and then the others.
//
// Every delivery and every renewal moves the message to a new place. The place is
// the receipt: that of a stale receipt is empty.
const placeLen = 16

// lastSequence is the sequence number that sorts after all others of its time.
const lastSequence = math.MaxUint64

const (
	neverHidden = time.Duration(0)
	// hiddenBefore is the place in time of a message that was hidden before the opening.
	hiddenBefore = time.Duration(1)
)

func newPlace(visible time.Duration, n uint64) []byte {
	place := binary.BigEndian.AppendUint64(make([]byte, 0, placeLen), uint64(visible))
	return binary.BigEndian.AppendUint64(place, n)
}

// clock returns the time since the opening, at least hiddenBefore. It goes on evenly when the
// clock of the machine is set.
func (db *DB) clock() time.Duration { return hiddenBefore + time.Since(db.opened) }

// endLeases shows all messages of a queue that somebody has hidden. Whoever did it had the
// file, and has it no more.
func endLeases(bucket *bbolt.Bucket) error {
	var hidden [][]byte
	cursor := bucket.Cursor()
	for place, _ := cursor.Seek(newPlace(hiddenBefore+1, 0)); place != nil; place, _ = cursor.Next() {
		hidden = append(hidden, bytes.Clone(place))
	}
	for _, place := range hidden {
		value := bytes.Clone(bucket.Get(place))
		if err := bucket.Delete(place); err != nil {
			return err
		}
		if err := bucket.Put(newPlace(hiddenBefore, sequenceOf(place)), value); err != nil {
			return err
		}
	}
	return nil
}

func sequenceOf(place []byte) uint64 { return binary.BigEndian.Uint64(place[8:]) }

func receiptOf(place []byte) string { return hex.EncodeToString(place) }

// placeOf decodes a receipt; a malformed one matches no message.
func placeOf(receipt string) []byte {
	place, err := hex.DecodeString(receipt)
	if err != nil {
		return nil
	}
	return place
}

// A message is the value that the file holds at a place:
//
//	version      1 byte, messageVersion
//	id           uvarint, the sequence number of its first place
//	deliveries   uvarint
//	text         the rest
type message struct {
	id         uint64
	deliveries int64
	text       string
}

const messageVersion = 1

func (m message) name() string { return strconv.FormatUint(m.id, 36) }

func encodeMessage(m message) []byte {
	b := make([]byte, 0, 1+2*binary.MaxVarintLen64+len(m.text))
	b = append(b, messageVersion)
	b = binary.AppendUvarint(b, m.id)
	b = binary.AppendUvarint(b, uint64(m.deliveries))
	return append(b, m.text...)
}

func decodeMessage(value []byte) (message, error) {
	d := decoder{rest: string(value)}
	version := d.byte()
	m := message{id: d.uvarint(), deliveries: int64(d.uvarint())}
	if d.failed || version != messageVersion {
		return message{}, fmt.Errorf("message: %w", errCorrupt)
	}
	m.text = d.rest
	return m, nil
}

// move writes the message at a new place and returns the place.
func move(bucket *bbolt.Bucket, from []byte, visible time.Duration, m message) (place []byte, err error) {
	n, err := bucket.NextSequence()
	if err != nil {
		return nil, err
	}
	place = newPlace(visible, n)
	if err := bucket.Delete(from); err != nil {
		return nil, err
	}
	return place, bucket.Put(place, encodeMessage(m))
}

package bolt

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
)

// A place is the key of a message in its queue's bucket: when it becomes
// visible, in nanoseconds since 1970 or 0 for since ever, and a number that the
// queue gives out once; both 8 bytes big endian. So the first keys are what can
// be received, oldest first. Every delivery and renewal moves the message, which
// makes its place the receipt: a stale one names an empty place.
const placeLen = 16

// lastSequence makes a place that sorts after all of its instant.
const lastSequence = math.MaxUint64

func newPlace(visible time.Time, n uint64) []byte {
	var since uint64
	if !visible.IsZero() {
		since = uint64(max(visible.UnixNano(), 0))
	}
	place := binary.BigEndian.AppendUint64(make([]byte, 0, placeLen), since)
	return binary.BigEndian.AppendUint64(place, n)
}

func receiptOf(place []byte) string { return hex.EncodeToString(place) }

// placeOf is a place where no message is if the receipt is none of ours.
func placeOf(receipt string) []byte {
	place, err := hex.DecodeString(receipt)
	if err != nil {
		return nil
	}
	return place
}

// A message is what the file holds at a place:
//
//	version      1 byte, messageVersion
//	id           uvarint, the number of the place where it was sent to
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

// move puts the message to a new place.
func move(bucket *bbolt.Bucket, from []byte, visible time.Time, m message) (place []byte, err error) {
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

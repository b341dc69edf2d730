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

// A place is the key of a message in the bucket of its queue. It is two numbers of
// 8 bytes, big endian: the time when the message is visible, in nanoseconds since
// 1970 (0 is always), and a sequence number that grows and is never repeated. So
// the messages that can be received come first: those that were never hidden, and then
// the others.
//
// Every delivery and every renewal moves the message to a new place. The place is
// the receipt: that of a stale receipt is empty.
const placeLen = 16

// lastSequence is the sequence number that sorts after all others of its time.
const lastSequence = math.MaxUint64

func newPlace(visible time.Time, n uint64) []byte {
	var since uint64
	if !visible.IsZero() {
		since = uint64(max(visible.UnixNano(), 0))
	}
	place := binary.BigEndian.AppendUint64(make([]byte, 0, placeLen), since)
	return binary.BigEndian.AppendUint64(place, n)
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

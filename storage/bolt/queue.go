package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A message is what the file holds at a place, in the bucket of its queue.
//
// The place is its key: two numbers of 8 bytes, big endian. They are when the message is or
// was visible, by the clock of the store, and a sequence number that
// grows and is never repeated. So the messages that can be received come first, the one that
// has been visible for the longest before all others. Every delivery and every renewal moves
// the message to a new place. The place is the receipt: that of a stale receipt is empty.
//
// The value is:
//
//	checksum     4 bytes, see seal
//	id           uvarint, the sequence number of its first place
//	deliveries   uvarint
//	text         the rest
type message struct {
	place      []byte
	id         uint64
	deliveries int64
	text       string
}

const (
	placeLen = 16
	// visibleBefore is when a message was visible whose lease has ended with an earlier epoch.
	visibleBefore = time.Duration(1)
)

// clock returns for how long the store has been open in all its epochs, in nanoseconds and at least
// visibleBefore. It goes on evenly when the clock of the machine is set, and stops while the
// store is closed. So a message that is delayed is never visible early: a restart leaves it the rest
// of its delay. If the process was killed, that is more by the time since the last write, and up to noteEvery
// (noteClock).
func (db *DB) clock() time.Duration { return visibleBefore + time.Since(db.opened) }

func newPlace(visible time.Duration, n uint64) []byte {
	place := binary.BigEndian.AppendUint64(make([]byte, 0, placeLen), uint64(visible))
	return binary.BigEndian.AppendUint64(place, n)
}

func decodeMessage(place, value []byte) (message, error) {
	d, err := unseal(place, value)
	m := message{place: bytes.Clone(place), id: d.uvarint(), deliveries: int64(d.uvarint())}
	if err != nil || d.failed || len(place) != placeLen {
		return message{}, fmt.Errorf("message at %x: %w", place, errCorrupt)
	}
	m.text = d.rest
	return m, nil
}

// put writes the message at a new place, invisible for a while from now on. A new one gets its id.
// The sequence number is the clock, so that the next epoch knows how far that has come.
func (m *message) put(bucket *bbolt.Bucket, now, invisible time.Duration) error {
	n := max(bucket.Sequence()+1, uint64(now))
	if err := bucket.SetSequence(n); err != nil {
		return err
	}
	if m.place == nil {
		m.id = n
	} else if err := bucket.Delete(m.place); err != nil {
		return err
	}
	m.place = newPlace(now+invisible, n)
	return bucket.Put(m.place, m.encode())
}

func (m message) encode() []byte {
	b := binary.AppendUvarint(make([]byte, checksumLen), m.id)
	b = binary.AppendUvarint(b, uint64(m.deliveries))
	return seal(m.place, append(b, m.text...))
}

func (m message) shown() driver.Message {
	return driver.Message{ID: strconv.FormatUint(m.id, 36), Text: m.text, Deliveries: m.deliveries}
}

func (m message) receipt() string { return hex.EncodeToString(m.place) }

// endLeases makes each message of a queue visible that was received: its receiver had the file, and
// has it no more. A message that was not received yet keeps its delay.
func endLeases(bucket *bbolt.Bucket) error {
	var leased []message
	cursor := bucket.Cursor()
	for place, value := cursor.Seek(newPlace(visibleBefore+1, 0)); place != nil; place, value = cursor.Next() {
		if m, err := decodeMessage(place, value); err == nil && m.deliveries > 0 { // one that is damaged stays
			leased = append(leased, m)
		}
	}
	for _, m := range leased {
		place := m.place
		if err := bucket.Delete(place); err != nil {
			return err
		}
		m.place = newPlace(visibleBefore, binary.BigEndian.Uint64(place[8:]))
		if err := bucket.Put(m.place, m.encode()); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) send(ctx context.Context, c *driver.Call) error {
	text, delay := c.Message.Text, c.Lease
	sent := change{size: len(text), shows: true}
	return db.change(ctx, bucketOf(c), sent, func(bucket *bbolt.Bucket) (func() error, error) {
		return func() error { return (&message{text: text}).put(bucket, db.clock(), delay) }, nil
	})
}

// receive looks for a visible message before it gives the writer anything to do, because
// workers poll.
func (db *DB) receive(ctx context.Context, c *driver.Call) ([]driver.Message, error) {
	limit, lease := c.Limit, c.Lease
	if visible, err := db.peek(ctx, c, 1); err != nil || len(visible) == 0 {
		return nil, err
	}
	var received []driver.Message
	err := db.change(ctx, bucketOf(c), change{size: limit}, func(bucket *bbolt.Bucket) (func() error, error) {
		found, err := db.visible(bucket, limit)
		if err == nil && len(found) == 0 {
			err = errNoChange
		}
		return func() error {
			for _, m := range found {
				m.deliveries++
				if err := m.put(bucket, db.clock(), lease); err != nil {
					return err
				}
				shown := m.shown()
				shown.Receipt = m.receipt()
				received = append(received, shown)
			}
			return nil
		}, err
	})
	if err != nil { // and the writer may be receiving yet
		return nil, err
	}
	return received, nil
}

func (db *DB) update(ctx context.Context, c *driver.Call) (string, error) {
	m, lease := c.Message, c.Lease
	var renewed string
	updated := change{size: len(m.Text), shows: true}
	err := db.change(ctx, bucketOf(c), updated, func(bucket *bbolt.Bucket) (func() error, error) {
		held, err := findHeld(bucket, m)
		return func() error {
			held.text = m.Text
			err := held.put(bucket, db.clock(), lease)
			renewed = held.receipt()
			return err
		}, err
	})
	if err != nil { // as above
		return "", err
	}
	return renewed, nil
}

func (db *DB) deleteMessage(ctx context.Context, c *driver.Call) error {
	m := c.Message
	return db.change(ctx, bucketOf(c), change{size: placeLen}, func(bucket *bbolt.Bucket) (func() error, error) {
		held, err := findHeld(bucket, m)
		return func() error { return bucket.Delete(held.place) }, err
	})
}

func (db *DB) peek(ctx context.Context, c *driver.Call, limit int) (messages []driver.Message, err error) {
	err = db.look(ctx, bucketOf(c), func(bucket *bbolt.Bucket) error {
		found, err := db.visible(bucket, limit)
		for _, m := range found {
			messages = append(messages, m.shown())
		}
		return err
	})
	return messages, err
}

// length walks through the whole queue. It also fails if the store can be read but no longer
// written to: who asks whether a role is ready asks this.
func (db *DB) length(ctx context.Context, c *driver.Call) (n int64, err error) {
	if db.broken.Load() {
		return 0, errBroken
	}
	err = db.look(ctx, bucketOf(c), func(bucket *bbolt.Bucket) error {
		n = int64(bucket.Stats().KeyN)
		return nil
	})
	return n, err
}

// visible finds the messages that can be received, at most limit of them.
func (db *DB) visible(bucket *bbolt.Bucket, limit int) (found []message, err error) {
	now, cursor := newPlace(db.clock(), math.MaxUint64), bucket.Cursor()
	for place, value := cursor.First(); place != nil && len(found) < limit; place, value = cursor.Next() {
		if bytes.Compare(place, now) > 0 {
			break
		}
		m, err := decodeMessage(place, value)
		if err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return found, nil
}

// findHeld finds a message by the receipt that its receiver holds. The place of one that is
// not the latest is empty. A malformed one has no place.
func findHeld(bucket *bbolt.Bucket, m driver.Message) (message, error) {
	place, err := hex.DecodeString(m.Receipt)
	if err != nil {
		return message{}, domain.ErrLeaseLost
	}
	value := bucket.Get(place)
	if value == nil {
		return message{}, domain.ErrLeaseLost
	}
	held, err := decodeMessage(place, value)
	if err == nil && held.shown().ID != m.ID {
		err = domain.ErrLeaseLost
	}
	return held, err
}

// await is driver.Capabilities.Await. It knows when the message that is visible next will be.
func (db *DB) await(ctx context.Context, queue string) {
	for ctx.Err() == nil {
		arrived := *db.arrival.Load() // before the look, so that none is missed
		var due <-chan time.Time
		err := db.look(ctx, []byte(queuePrefix+queue), func(bucket *bbolt.Bucket) error {
			if first, _ := bucket.Cursor().First(); len(first) == placeLen {
				due = time.After(time.Duration(binary.BigEndian.Uint64(first)) - db.clock())
			}
			return nil
		})
		if err != nil {
			due = nil
		}
		select {
		case <-arrived:
			continue
		case <-due:
		case <-ctx.Done():
		case <-db.closing:
		}
		return
	}
}

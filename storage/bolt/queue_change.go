package bolt

import (
	"bytes"
	"time"

	"go.etcd.io/bbolt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A sending is the change that puts a message on a queue.
type sending struct{ queue, text string }

func (s *sending) size() int { return len(s.text) }

func (s *sending) check(tx *bbolt.Tx) error {
	_, err := openQueue(tx, s.queue)
	return err
}

func (s *sending) apply(tx *bbolt.Tx) error {
	bucket := tx.Bucket(queueBucket(s.queue))
	n, err := bucket.NextSequence()
	if err != nil {
		return err
	}
	return bucket.Put(newPlace(neverHidden, n), encodeMessage(message{id: n, text: s.text}))
}

// A receiving is the change that takes visible messages and hides them. Of a message that
// was hidden and one that never was, it takes the one that came to its place first. Each
// delivery gives a message a later place, so that none is passed over for ever.
type receiving struct {
	queue string
	limit int
	lease time.Duration
	clock func() time.Duration
	// visible is the messages that check has found and apply takes.
	visible  []delivery
	received []driver.Message
}

func (r *receiving) size() int { return r.limit }

func (r *receiving) check(tx *bbolt.Tx) error {
	bucket, err := openQueue(tx, r.queue)
	if err != nil {
		return err
	}
	r.visible = r.visible[:0]
	fresh := visiblePlaces(bucket, neverHidden, neverHidden)
	again := visiblePlaces(bucket, hiddenBefore, r.clock())
	for len(r.visible) < r.limit {
		next := &fresh
		if again.place != nil && (fresh.place == nil || sequenceOf(again.place) < sequenceOf(fresh.place)) {
			next = &again
		}
		if next.place == nil {
			break
		}
		m, err := decodeMessage(next.value)
		if err != nil {
			return err
		}
		r.visible = append(r.visible, delivery{bytes.Clone(next.place), m})
		next.advance()
	}
	if len(r.visible) == 0 {
		return errNoChange
	}
	return nil
}

func (r *receiving) apply(tx *bbolt.Tx) error {
	bucket := tx.Bucket(queueBucket(r.queue))
	hidden := r.clock() + r.lease
	for _, d := range r.visible {
		m := d.message
		m.deliveries++
		next, err := move(bucket, d.place, hidden, m)
		if err != nil {
			return err
		}
		r.received = append(r.received, driver.Message{
			ID: m.name(), Text: m.text, Receipt: receiptOf(next), Deliveries: m.deliveries,
		})
	}
	return nil
}

// places goes through the messages of a queue whose times are in a range.
type places struct {
	cursor             *bbolt.Cursor
	last, place, value []byte
}

// visiblePlaces starts at the first place of a time, if there is one until another time.
func visiblePlaces(bucket *bbolt.Bucket, from, until time.Duration) places {
	p := places{cursor: bucket.Cursor(), last: newPlace(until, lastSequence)}
	p.place, p.value = p.cursor.Seek(newPlace(from, 0))
	p.end()
	return p
}

func (p *places) advance() {
	p.place, p.value = p.cursor.Next()
	p.end()
}

// end leaves no place if the range is over.
func (p *places) end() {
	if bytes.Compare(p.place, p.last) > 0 {
		p.place = nil
	}
}

// A delivery is a message and its place.
type delivery struct {
	place   []byte
	message message
}

// held names a message by the receipt that its receiver holds.
type held struct {
	queue, id, receipt string
	// stored is the message that check has found.
	stored message
}

func (h *held) size() int { return len(h.receipt) }

// check refuses a receipt that is not the latest: its place is empty.
func (h *held) check(tx *bbolt.Tx) error {
	bucket, err := openQueue(tx, h.queue)
	if err != nil {
		return err
	}
	value := bucket.Get(placeOf(h.receipt))
	if value == nil {
		return domain.ErrLeaseLost
	}
	if h.stored, err = decodeMessage(value); err != nil {
		return err
	}
	if h.stored.name() != h.id {
		return domain.ErrLeaseLost
	}
	return nil
}

// A settling is the change that deletes a message for good.
type settling struct{ held }

func (d *settling) apply(tx *bbolt.Tx) error {
	return tx.Bucket(queueBucket(d.queue)).Delete(placeOf(d.receipt))
}

// A renewing is the change that rewrites a message and hides it again.
type renewing struct {
	held
	text    string
	lease   time.Duration
	clock   func() time.Duration
	renewed string
}

func (r *renewing) size() int { return len(r.text) }

func (r *renewing) apply(tx *bbolt.Tx) error {
	m := r.stored
	m.text = r.text
	next, err := move(tx.Bucket(queueBucket(r.queue)), placeOf(r.receipt), r.clock()+r.lease, m)
	r.renewed = receiptOf(next)
	return err
}

package mem

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// A queue holds its messages in the order of their ids.
type queue struct {
	name     string
	messages []message
}

type message struct {
	// Its receipt is made when it is delivered.
	driver.Message
	// turn counts deliveries and updates. Each makes another receipt.
	turn int
	// visible is when it can be received; it is not part of the checksum.
	visible time.Time
}

func (m message) receipt() string { return fmt.Sprintf("%s/%d", m.ID, m.turn) }

func (m message) sum(queue string) Sum {
	var d Digest
	d.Text(queue)
	d.Text(m.ID)
	d.Text(m.Text)
	d.Int(uint64(m.Deliveries))
	d.Int(uint64(m.turn))
	return d.Done()
}

// withQueue returns a snapshot that has a queue of this name; a new one is empty.
func (s Snapshot) withQueue(name string) Snapshot {
	if s.queueAt(name) < 0 {
		s.queues = append(slices.Clip(s.queues), queue{name: name})
	}
	return s
}

func (s Snapshot) queueAt(name string) int {
	return slices.IndexFunc(s.queues, func(q queue) bool { return q.name == name })
}

func (s Snapshot) queue(name string) (int, error) {
	at := s.queueAt(name)
	if at < 0 {
		return 0, fmt.Errorf("%w: queue %s was never created", domain.ErrUnavailable, name)
	}
	return at, nil
}

// Messages returns the messages of a queue in the order of their ids, including the
// hidden ones, with their latest receipts.
func (s Snapshot) Messages(queue string) []driver.Message {
	at := s.queueAt(queue)
	if at < 0 {
		return nil
	}
	list := make([]driver.Message, len(s.queues[at].messages))
	for i, m := range s.queues[at].messages {
		list[i] = m.delivery()
	}
	return list
}

// Leased tells whether somebody holds the message: it was received and not given back
// since. The lab may deliver it to another all the same, because a lease can run out.
func (s Snapshot) Leased(queue, id string) bool {
	at := s.queueAt(queue)
	if at < 0 {
		return false
	}
	place, found := findMessage(s.queues[at].messages, id)
	return found && !s.queues[at].messages[place].visible.IsZero()
}

func (m message) delivery() driver.Message {
	m.Receipt = m.receipt()
	return m.Message
}

// receive takes visible messages and hides them until hidden.
func (s Snapshot) receive(c *driver.Call, now, hidden time.Time) (Snapshot, []driver.Message, error) {
	messages, err := s.peek(c, now)
	for i := range messages {
		s, messages[i], err = s.Deliver(c.Target, messages[i].ID, hidden)
	}
	return s, messages, err
}

// peek shows visible messages.
func (s Snapshot) peek(c *driver.Call, now time.Time) (visible []driver.Message, err error) {
	at, err := s.queue(c.Target)
	if err != nil {
		return nil, err
	}
	for _, m := range s.queues[at].messages {
		if len(visible) < c.Limit && !m.visible.After(now) {
			visible = append(visible, m.Message)
		}
	}
	return visible, nil
}

// send puts a message on the queue. Its id must be new.
func (s Snapshot) send(queue, id, text string) (Snapshot, error) {
	at, err := s.queue(queue)
	if err != nil {
		return s, err
	}
	place, _ := findMessage(s.queues[at].messages, id)
	m := message{Message: driver.Message{ID: id, Text: text}}
	s.sum = s.sum.Plus(m.sum(queue))
	s.queues = slices.Clone(s.queues)
	s.queues[at].messages = slices.Insert(slices.Clip(s.queues[at].messages), place, m)
	return s, nil
}

// Deliver receives a message, even a hidden one: the caller decides that its lease
// is over. It hides the message until hidden.
func (s Snapshot) Deliver(queue, id string, hidden time.Time) (Snapshot, driver.Message, error) {
	at, err := s.queue(queue)
	if err != nil {
		return s, driver.Message{}, err
	}
	place, found := findMessage(s.queues[at].messages, id)
	if !found {
		return s, driver.Message{}, domain.ErrNotFound
	}
	m := s.queues[at].messages[place]
	m.Deliveries++
	m.turn++
	m.visible = hidden
	s = s.withMessage(at, place, m)
	return s, m.delivery(), nil
}

// update replaces the text and the receipt, and hides the message until hidden. If
// the receipt is not the latest, the error is domain.ErrLeaseLost.
func (s Snapshot) update(queue string, held driver.Message, hidden time.Time) (Snapshot, string, error) {
	at, place, err := s.held(queue, held)
	if err != nil {
		return s, "", err
	}
	m := s.queues[at].messages[place]
	m.Text = held.Text
	m.turn++
	m.visible = hidden
	return s.withMessage(at, place, m), m.receipt(), nil
}

// settle removes the message. If the receipt is not the latest, the error is
// domain.ErrLeaseLost.
func (s Snapshot) settle(queue string, held driver.Message) (Snapshot, error) {
	at, place, err := s.held(queue, held)
	if err != nil {
		return s, err
	}
	return s.withoutMessage(at, place), nil
}

// Forget loses a message, as no queue should, if it is there.
func (s Snapshot) Forget(queue, id string) Snapshot {
	if at := s.queueAt(queue); at >= 0 {
		if place, found := findMessage(s.queues[at].messages, id); found {
			return s.withoutMessage(at, place)
		}
	}
	return s
}

func (s Snapshot) held(queue string, held driver.Message) (at, place int, err error) {
	if at, err = s.queue(queue); err != nil {
		return 0, 0, err
	}
	place, found := findMessage(s.queues[at].messages, held.ID)
	if !found || s.queues[at].messages[place].receipt() != held.Receipt {
		return 0, 0, domain.ErrLeaseLost
	}
	return at, place, nil
}

func (s Snapshot) withMessage(at, place int, m message) Snapshot {
	name, messages := s.queues[at].name, slices.Clone(s.queues[at].messages)
	s.sum = s.sum.Minus(messages[place].sum(name)).Plus(m.sum(name))
	messages[place] = m
	s.queues = slices.Clone(s.queues)
	s.queues[at].messages = messages
	return s
}

func (s Snapshot) withoutMessage(at, place int) Snapshot {
	name, messages := s.queues[at].name, slices.Clone(s.queues[at].messages)
	s.sum = s.sum.Minus(messages[place].sum(name))
	s.queues = slices.Clone(s.queues)
	s.queues[at].messages = slices.Delete(messages, place, place+1)
	return s
}

func findMessage(messages []message, id string) (at int, found bool) {
	return slices.BinarySearchFunc(messages, id, func(m message, id string) int { return strings.Compare(m.ID, id) })
}

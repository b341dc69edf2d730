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
	driver.Message
	// turn counts deliveries and updates. Each makes another receipt.
	turn int
	// visible is when it can be received. Of a message that was received it is not part of the
	// checksum.
	visible time.Time
}

func (m message) sum(queue string) Sum {
	var d Digest
	d.Text(queue)
	d.Text(m.ID)
	d.Text(m.Text)
	d.Int(uint64(m.Deliveries))
	d.Int(uint64(m.turn))
	if m.Deliveries == 0 {
		d.Int(uint64(m.visible.Unix()))
	}
	return d.Done()
}

// until is the message with another receipt, invisible until then.
func (m message) until(visible time.Time) *message {
	m.turn++
	m.Receipt, m.visible = fmt.Sprintf("%s/%d", m.ID, m.turn), visible
	return &m
}

func (s Snapshot) queueAt(name string) int {
	return slices.IndexFunc(s.queues, func(q queue) bool { return q.name == name })
}

func (s Snapshot) messages(queue string) []message {
	if at := s.queueAt(queue); at >= 0 {
		return s.queues[at].messages
	}
	return nil
}

// message is the message of this id. It is the zero value if there is none.
func (s Snapshot) message(queue, id string) (m message) {
	messages := s.messages(queue)
	if place, found := findMessage(messages, id); found {
		m = messages[place]
	}
	return m
}

func findMessage(messages []message, id string) (at int, found bool) {
	return slices.BinarySearchFunc(messages, id, func(m message, id string) int { return strings.Compare(m.ID, id) })
}

// put puts a message in the place of the one of this id, if there is one. Nil takes that out.
func (s Snapshot) put(name, id string, m *message) Snapshot {
	at := s.queueAt(name)
	if at < 0 {
		at, s.queues = len(s.queues), append(slices.Clip(s.queues), queue{name: name})
	}
	messages := slices.Clone(s.queues[at].messages)
	place, found := findMessage(messages, id)
	if found {
		s.sum = s.sum.Minus(messages[place].sum(name))
		messages = slices.Delete(messages, place, place+1)
	}
	if m != nil {
		s.sum = s.sum.Plus(m.sum(name))
		messages = slices.Insert(messages, place, *m)
	}
	s.queues = slices.Clone(s.queues)
	s.queues[at].messages = messages
	return s
}

// Messages returns the messages of a queue in the order of their ids, including the
// invisible ones, with their latest receipts.
func (s Snapshot) Messages(queue string) (list []driver.Message) {
	for _, m := range s.messages(queue) {
		list = append(list, m.Message)
	}
	return list
}

// Leased reports whether the message is leased: it was received and not given back since.
// The lab may deliver it to another actor all the same, because a lease can run out.
func (s Snapshot) Leased(queue, id string) bool { return !s.message(queue, id).visible.IsZero() }

// Delayed reports whether a message is invisible at a time because it was sent with a delay and
// was never received.
func (s Snapshot) Delayed(queue, id string, now time.Time) bool {
	m := s.message(queue, id)
	return m.Deliveries == 0 && m.visible.After(now)
}

// EndLeases makes every message of a queue visible.
func (s Snapshot) EndLeases(queue string) Snapshot {
	for _, m := range s.messages(queue) {
		m.visible = time.Time{}
		s = s.put(queue, m.ID, &m)
	}
	return s
}

// Forget loses a message, as no queue should, if it is there.
func (s Snapshot) Forget(queue, id string) Snapshot { return s.put(queue, id, nil) }

// Deliver receives a message, even an invisible one: the caller decides that its lease
// is over. It makes the message invisible until visible.
func (s Snapshot) Deliver(queue, id string, visible time.Time) (Snapshot, driver.Message, error) {
	m := s.message(queue, id)
	if m.ID == "" {
		return s, driver.Message{}, domain.ErrNotFound
	}
	m.Deliveries++
	delivered := m.until(visible)
	return s.put(queue, id, delivered), delivered.Message, nil
}

// doQueue carries out a call to a queue.
func (s Snapshot) doQueue(c *driver.Call, now time.Time, mint func(i int) string) (_ Snapshot, err error) {
	var visible time.Time
	if c.Lease > 0 {
		visible = now.Add(c.Lease)
	}
	held := s.message(c.Target, c.Message.ID)
	switch {
	case c.Method == driver.CallCreateQueue:
		return s.put(c.Target, "", nil), nil
	case s.queueAt(c.Target) < 0:
		return s, fmt.Errorf("%w: %s", domain.ErrMissing, c.Target)
	case c.Method == driver.CallSend:
		id := mint(0)
		return s.put(c.Target, id, &message{Message: driver.Message{ID: id, Text: c.Message.Text}, visible: visible}), nil
	case c.Method == driver.CallLength:
		c.Length = int64(len(s.messages(c.Target)))
		return s, nil
	case c.Method == driver.CallPeek || c.Method == driver.CallReceive:
		c.Messages = nil
		for _, m := range s.messages(c.Target) {
			if len(c.Messages) == c.Limit || m.visible.After(now) {
				continue
			}
			m.Receipt = ""
			if c.Method == driver.CallReceive {
				s, m.Message, err = s.Deliver(c.Target, m.ID, visible)
			}
			c.Messages = append(c.Messages, m.Message)
		}
		return s, err
	case held.ID == "" || held.Receipt != c.Message.Receipt:
		return s, domain.ErrLeaseLost
	case c.Method == driver.CallDelete:
		return s.put(c.Target, held.ID, nil), nil
	}
	held.Text = c.Message.Text
	updated := held.until(visible)
	c.Receipt = updated.Receipt
	return s.put(c.Target, held.ID, updated), nil
}

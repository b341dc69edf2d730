package drivertest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Queues runs the conformance suite of a backend's queues. It calls open once for
// each test; open must register the closing of what it opens with t.Cleanup.
//
// Leases last whole seconds, so some tests take seconds. All run in parallel.
func Queues(t *testing.T, open func(t *testing.T) driver.Backend) {
	run(t, func(t *testing.T) queue { return newQueue(t, open(t)) }, topics[queue]{"Message": messageTests(), "Lease": leaseTests()})
}

const (
	// shortLease is the shortest that Azure grants.
	shortLease = time.Second
	// longLease outlasts every test.
	longLease = time.Hour
	// patience is how long a test waits for what must happen.
	patience = 15 * time.Second
	// pollEvery is the pause between two looks.
	pollEvery = 100 * time.Millisecond
)

// A queue is one that only one test uses.
type queue struct {
	*driver.Queue
	*testing.T
	backend driver.Backend
}

func newQueue(t *testing.T, backend driver.Backend) queue {
	t.Helper()
	name := "q-" + strings.ToLower(rand.Text())
	q := queue{driver.NewQueue(backend, name), t, backend}
	if err := q.Create(t.Context()); err != nil {
		t.Fatalf("creating queue %s: %v", name, err)
	}
	return q
}

func (q queue) send(texts ...string) {
	q.Helper()
	for _, text := range texts {
		if err := q.Send(q.Context(), text); err != nil {
			q.Fatalf("sending %.40q: %v", text, err)
		}
	}
}

// receive polls until it has received these texts, in any order, and leases each message.
func (q queue) receive(lease time.Duration, texts ...string) []driver.Message {
	q.Helper()
	var got []driver.Message
	q.poll(patience, func() bool {
		messages, err := q.Receive(q.Context(), len(texts)-len(got), lease)
		if err != nil || len(got)+len(messages) > len(texts) {
			q.Fatalf("asked for %d messages, received %d, %v", len(texts)-len(got), len(messages), err)
		}
		got = append(got, messages...)
		return len(got) == len(texts)
	})
	received := make([]string, len(got))
	for i, m := range got {
		received[i] = m.Text
		if m.ID == "" || m.Receipt == "" || m.Deliveries < 1 {
			q.Errorf("got ID %q, receipt %q, %d deliveries; want all set", m.ID, m.Receipt, m.Deliveries)
		}
	}
	slices.Sort(received)
	if want := slices.Sorted(slices.Values(texts)); !slices.Equal(received, want) {
		q.Fatalf("received %.1000q, want %.1000q", received, want)
	}
	return got
}

// leased sends a text and receives it.
func (q queue) leased(text string, lease time.Duration) driver.Message {
	q.Helper()
	q.send(text)
	return q.receive(lease, text)[0]
}

// again receives a message for the time that is wanted.
func (q queue) again(text string, deliveries int64) driver.Message {
	q.Helper()
	m := q.receive(longLease, text)[0]
	if m.Deliveries != deliveries {
		q.Errorf("got %d deliveries, want %d", m.Deliveries, deliveries)
	}
	return m
}

// none requires that no message is visible now.
func (q queue) none() {
	q.Helper()
	if messages, err := q.Receive(q.Context(), 32, longLease); err != nil || len(messages) > 0 {
		q.Fatalf("received %v, %v; want none", messages, err)
	}
}

// renew updates a message, which must succeed.
func (q queue) renew(m driver.Message, text string, lease time.Duration) driver.Message {
	q.Helper()
	renewed, err := q.Update(q.Context(), m, text, lease)
	if err != nil || renewed.Receipt == m.Receipt || renewed.Receipt == "" || renewed.Text != text {
		q.Fatalf("%+v became %+v, %v", m, renewed, err)
	}
	return renewed
}

func (q queue) remove(m driver.Message) {
	q.Helper()
	if err := q.Delete(q.Context(), m); err != nil {
		q.Fatalf("settling %q: %v", m.Text, err)
	}
}

// powerless requires that a receipt changes nothing.
func (q queue) powerless(stale driver.Message) {
	q.Helper()
	_, hidden := q.Update(q.Context(), stale, "by a late worker", longLease)
	_, shown := q.Update(q.Context(), stale, "by a late worker", 0)
	refuses(q.T, domain.ErrLeaseLost, hidden, shown, q.Delete(q.Context(), stale))
}

// counts requires that so many messages are on the queue, and that a peek shows these, with
// the numbers of their deliveries.
func (q queue) counts(length int64, visible map[string]int64) {
	q.Helper()
	if n, err := q.Length(q.Context()); n != length || err != nil {
		q.Errorf("the queue holds %d messages (%v), want %d", n, err, length)
	}
	messages, err := q.Peek(q.Context(), 32)
	got := map[string]int64{}
	for _, m := range messages {
		got[m.Text] = m.Deliveries
		if m.Receipt != "" || m.ID == "" {
			q.Errorf("the message %s has the id %q and the receipt %q", m.Text, m.ID, m.Receipt)
		}
	}
	if err != nil || !maps.Equal(got, visible) || len(messages) != len(visible) {
		q.Errorf("the peek shows %v (%v), want %v", got, err, visible)
	}
}

// poll calls done until it returns true or the time is over.
func (q queue) poll(wait time.Duration, done func() bool) {
	q.Helper()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for began := time.Now(); !done() && time.Since(began) < wait; {
		<-ticker.C
	}
}

func messageTests() map[string]func(queue) {
	return map[string]func(queue){
		"keeps Unicode and markup": func(q queue) {
			texts := []string{
				"Grüße, 世界", "👩‍🚀🇪🇺 𝒜𝒷𝒸", "e\u0301 is not \u00e9", "<b>&amp;</b>", `"a" & 'b'`, "]]>", "one\ntwo\tthree",
				"%41 + %2B", "PGI+", `{"name":"~00e4"}`, `{"kind":"channel"}`,
			}
			q.none()
			q.send(texts...)
			for _, m := range q.receive(longLease, texts...) {
				q.renew(m, m.Text, 0)
			}
			q.receive(longLease, texts...)
		},
		"may have 64 KiB": func(q queue) {
			text := strings.Repeat("x", driver.MaxMessageText)
			q.leased(text, longLease)
		},
		"is received within the limit": func(q queue) {
			q.send("a", "b", "c", "d", "e", "f", "g")
			if some, err := q.Receive(q.Context(), 3, longLease); err != nil || len(some) > 3 {
				q.Errorf("asked for 3 messages, got %d, %v", len(some), err)
			}
		},
		"that is deleted is gone and cannot be deleted again": func(q queue) {
			m := q.leased("once", longLease)
			q.remove(m)
			q.powerless(m)
			q.none()
		},
		"stays when the queue is created again, and is not touched by a peek": func(q queue) {
			q.counts(0, map[string]int64{})
			q.send("one", "two", "three")
			if err := q.Create(q.Context()); err != nil {
				q.Fatal(err)
			}
			q.counts(3, map[string]int64{"one": 0, "two": 0, "three": 0})
			for _, m := range q.receive(longLease, "one", "two", "three") {
				if m.Deliveries != 1 {
					q.Errorf("%s was delivered %d times", m.Text, m.Deliveries)
				}
			}
		},
		"queue that is missing fails a peek and a count": func(q queue) {
			missing := driver.NewQueue(q.backend, q.Queue.Name()+"-missing")
			_, peek := missing.Peek(q.Context(), 1)
			if _, length := missing.Length(q.Context()); !errors.Is(peek, domain.ErrMissing) || !errors.Is(length, domain.ErrMissing) {
				q.Errorf("a queue that was never created answers: %v, %v", peek, length)
			}
		},
		"counts until it is deleted, visible or not, and is seen by a peek unless it is leased": func(q queue) {
			m := q.leased("leased", longLease)
			q.send("visible")
			q.counts(2, map[string]int64{"visible": 0})
			q.renew(m, "given back", 0)
			q.counts(2, map[string]int64{"visible": 0, "given back": 1})
			for _, m := range q.receive(longLease, "visible", "given back") {
				if m.Text == "visible" {
					q.remove(m)
				}
			}
			q.counts(1, map[string]int64{})
		},
		"is on one queue only": func(q queue) {
			other := newQueue(q.T, q.backend)
			m := q.leased("here", longLease)
			other.none()
			if err := other.Delete(q.Context(), m); err == nil {
				q.Error("a message was deleted on another queue")
			}
			q.remove(m)
		},
		"goes to one of many receivers": manyReceivers,
	}
}

func manyReceivers(q queue) {
	const messages = 16
	want := make([]string, messages)
	for i := range want {
		want[i] = fmt.Sprintf("message %02d", i)
	}
	q.send(want...)
	var mu sync.Mutex
	var received []string
	Together(8, func(int) {
		for {
			got, err := q.Receive(q.Context(), 2, longLease)
			if err != nil || len(got) == 0 {
				refuses(q.T, nil, err)
				return
			}
			for _, m := range got {
				mu.Lock()
				received = append(received, m.Text)
				mu.Unlock()
				refuses(q.T, nil, q.Delete(q.Context(), m))
			}
		}
	})
	if slices.Sort(received); !slices.Equal(received, want) {
		q.Errorf("received %q, want each once", received)
	}
}

func leaseTests() map[string]func(queue) {
	return map[string]func(queue){
		"makes the message invisible until it runs out": func(q queue) {
			start := time.Now()
			first := q.leased("m", 2*shortLease)
			q.none()
			second := q.again("m", 2)
			// A backend may cut the end of a lease to whole seconds: up to a second less.
			if held := time.Since(start); held < shortLease {
				q.Errorf("a lease of %s ended after %s", 2*shortLease, held)
			}
			if second.ID != first.ID || second.Receipt == first.Receipt {
				q.Errorf("%+v was followed by %+v", first, second)
			}
		},
		"that is renewed keeps the message invisible": func(q queue) {
			m := q.renew(q.leased("m", shortLease), "m", longLease)
			q.poll(2*shortLease, func() bool { q.none(); return false })
			q.remove(q.renew(m, "m", longLease))
		},
		"that is renewed takes the new text, is still one delivery, and with zero makes the message visible immediately": func(q queue) {
			m := q.leased("before", longLease)
			for range 3 {
				m = q.renew(m, "after", longLease)
			}
			q.renew(m, "after\nthat", 0)
			if again := q.again("after\nthat", 2); again.ID != m.ID {
				q.Errorf("got message %q, want %q", again.ID, m.ID)
			}
		},
		"that a message is sent with keeps it invisible, and then ends": func(q queue) {
			start := time.Now()
			refuses(q.T, nil, q.SendDelayed(q.Context(), "later", 2*shortLease))
			q.counts(1, map[string]int64{})
			q.none()
			q.again("later", 1)
			if delay := time.Since(start); delay < shortLease {
				q.Errorf("a message that was sent with a delay of %s was shown after %s", 2*shortLease, delay)
			}
		},
		"that was renewed makes the old receipt powerless": func(q queue) {
			stale := q.leased("m", longLease)
			current := q.renew(stale, "m", longLease)
			q.powerless(stale)
			q.remove(current)
		},
		// A worker wakes up after its lease ran out and another worker received the message.
		"that ran out makes its receipt powerless over the next delivery": func(q queue) {
			stale := q.leased("m", shortLease)
			current := q.again("m", 2)
			q.powerless(stale)
			current = q.renew(current, "still mine", longLease)
			q.powerless(stale)
			q.remove(current)
			q.powerless(stale)
		},
	}
}

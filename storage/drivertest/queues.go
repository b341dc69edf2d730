package drivertest

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"microblogging/storage/driver"
)

// Queues runs the conformance suite of a driver.Queues. It calls open once for
// each test; open must register the closing of what it opens with t.Cleanup.
//
// Leases last whole seconds, so some tests take seconds. All run in parallel.
func Queues(t *testing.T, open func(t *testing.T) driver.Backend) {
	topics := map[string]queueTests{
		"Message": messageTests(),
		"Lease":   leaseTests(),
	}
	for topic, tests := range topics {
		t.Run(topic, func(t *testing.T) {
			for sentence, test := range tests {
				t.Run(sentence, func(t *testing.T) {
					t.Parallel()
					test(t, newQueue(t, open(t)))
				})
			}
		})
	}
}

// queueTests are the tests of one topic. The key is the sentence that the test
// would refute.
type queueTests map[string]func(t *testing.T, queue queueFixture)

// A queueFixture is a queue that only one test uses.
type queueFixture struct {
	*driver.Queue
	backend driver.Backend
	name    string
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

func newQueue(t *testing.T, queues driver.Backend) queueFixture {
	t.Helper()
	name := "q-" + strings.ToLower(rand.Text())
	if err := queues.CreateQueue(t.Context(), name); err != nil {
		t.Fatalf("creating queue %s: %v", name, err)
	}
	return queueFixture{Queue: driver.NewQueue(queues, name), backend: queues, name: name}
}

func (q queueFixture) send(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := q.Send(t.Context(), text); err != nil {
			t.Fatalf("sending %.40q: %v", text, err)
		}
	}
}

// receive polls until it has n messages, and leases each of them.
func (q queueFixture) receive(t *testing.T, n int, lease time.Duration) []driver.Message {
	t.Helper()
	var got []driver.Message
	q.poll(t, patience, func() bool {
		messages, err := q.Receive(t.Context(), n-len(got), lease)
		if err != nil {
			t.Fatalf("receiving: %v", err)
		}
		got = append(got, messages...)
		return len(got) >= n
	})
	if len(got) != n {
		t.Fatalf("received %d messages, want %d", len(got), n)
	}
	return got
}

func (q queueFixture) receiveOne(t *testing.T, lease time.Duration) driver.Message {
	t.Helper()
	return q.receive(t, 1, lease)[0]
}

// none requires that no message is visible now.
func (q queueFixture) none(t *testing.T) {
	t.Helper()
	messages, err := q.Receive(t.Context(), 32, longLease)
	if err != nil {
		t.Fatalf("receiving: %v", err)
	}
	if len(messages) > 0 {
		t.Fatalf("received %d messages that must not be visible: %v", len(messages), messages)
	}
}

// poll calls done until it returns true or the time is over.
func (q queueFixture) poll(t *testing.T, wait time.Duration, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(wait)
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for !done() {
		if time.Now().After(deadline) {
			return
		}
		<-ticker.C
	}
}

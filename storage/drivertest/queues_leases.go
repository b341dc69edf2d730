package drivertest

import (
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func leaseTests() queueTests {
	return queueTests{
		"hides the message from others":                                   leaseHides,
		"that ran out shows the message again":                            leaseExpires,
		"that is renewed hides the message and replaces the receipt":      renewal,
		"that is renewed takes the new text":                              renewalRewrites,
		"of zero shows the message at once":                               zeroLease,
		"that was renewed makes the old receipt powerless":                receiptBeforeRenewal,
		"that ran out makes its receipt powerless over the next delivery": receiptOfLateWorker,
		"that is renewed is still one delivery":                           renewalsAreNoDeliveries,
		"on each of two messages settles its own":                         settleInTime,
	}
}

func leaseHides(t *testing.T, queue queueFixture) {
	queue.send(t, "m")
	m := queue.receiveOne(t, longLease)
	queue.none(t)
	if err := queue.Delete(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

func leaseExpires(t *testing.T, queue queueFixture) {
	queue.send(t, "m")
	start := time.Now()
	first := queue.receiveOne(t, 2*shortLease)
	second := queue.receiveOne(t, longLease)
	// A backend may cut the end of a lease to whole seconds: up to a second less.
	if held := time.Since(start); held < shortLease {
		t.Errorf("a lease of %s ended after %s", 2*shortLease, held)
	}
	if second.ID != first.ID || second.Text != "m" {
		t.Errorf("got message %q %q, want %q again", second.ID, second.Text, first.ID)
	}
	if first.Deliveries != 1 || second.Deliveries != 2 {
		t.Errorf("deliveries %d, then %d", first.Deliveries, second.Deliveries)
	}
	if second.Receipt == first.Receipt {
		t.Error("the second delivery has the first one's receipt")
	}
}

// renew updates a message, which must succeed.
func (q queueFixture) renew(t *testing.T, m driver.Message, text string, lease time.Duration) driver.Message {
	t.Helper()
	renewed, err := q.Update(t.Context(), m, text, lease)
	if err != nil {
		t.Fatalf("renewing: %v", err)
	}
	if renewed.Receipt == m.Receipt || renewed.Receipt == "" {
		t.Fatalf("the receipt %q became %q", m.Receipt, renewed.Receipt)
	}
	return renewed
}

func renewal(t *testing.T, queue queueFixture) {
	queue.send(t, "m")
	m := queue.renew(t, queue.receiveOne(t, shortLease), "m", longLease)
	queue.poll(t, 2*shortLease, func() bool {
		queue.none(t)
		return false
	})
	m = queue.renew(t, m, "m", longLease)
	if err := queue.Delete(t.Context(), m); err != nil {
		t.Fatalf("settling with the latest receipt: %v", err)
	}
}

func renewalRewrites(t *testing.T, queue queueFixture) {
	queue.send(t, "before")
	m := queue.renew(t, queue.receiveOne(t, longLease), "after", longLease)
	if m.Text != "after" {
		t.Errorf("the renewed message has text %q", m.Text)
	}
	queue.renew(t, m, "after\nthat", 0)
	if again := queue.receiveOne(t, longLease); again.Text != "after\nthat" || again.ID != m.ID {
		t.Errorf("got message %q %q, want %q with the new text", again.ID, again.Text, m.ID)
	}
}

func zeroLease(t *testing.T, queue queueFixture) {
	queue.send(t, "m")
	queue.renew(t, queue.receiveOne(t, longLease), "m", 0)
	if m := queue.receiveOne(t, longLease); m.Deliveries != 2 {
		t.Errorf("got %d deliveries, want 2", m.Deliveries)
	}
}

func receiptBeforeRenewal(t *testing.T, queue queueFixture) {
	queue.send(t, "m")
	stale := queue.receiveOne(t, longLease)
	current := queue.renew(t, stale, "m", longLease)
	queue.powerless(t, stale)
	if err := queue.Delete(t.Context(), current); err != nil {
		t.Fatalf("settling with the current receipt: %v", err)
	}
}

// receiptOfLateWorker is about a worker that wakes up after its lease ran out and
// another worker received the message.
func receiptOfLateWorker(t *testing.T, queue queueFixture) {
	queue.send(t, "m")
	stale := queue.receiveOne(t, shortLease)
	current := queue.receiveOne(t, longLease)
	queue.powerless(t, stale)
	current = queue.renew(t, current, "still mine", longLease)
	queue.powerless(t, stale)
	if err := queue.Delete(t.Context(), current); err != nil {
		t.Fatalf("settling with the current receipt: %v", err)
	}
	queue.powerless(t, stale)
}

// powerless requires that the receipt of a stale delivery changes nothing.
func (q queueFixture) powerless(t *testing.T, stale driver.Message) {
	t.Helper()
	_, err := q.Update(t.Context(), stale, "by a late worker", longLease)
	wantError(t, err, domain.ErrLeaseLost)
	_, err = q.Update(t.Context(), stale, "by a late worker", 0)
	wantError(t, err, domain.ErrLeaseLost)
	wantError(t, q.Delete(t.Context(), stale), domain.ErrLeaseLost)
}

func renewalsAreNoDeliveries(t *testing.T, queue queueFixture) {
	queue.send(t, "m")
	m := queue.receiveOne(t, longLease)
	for range 3 {
		m = queue.renew(t, m, "m", longLease)
	}
	queue.renew(t, m, "m", 0)
	if again := queue.receiveOne(t, longLease); again.Deliveries != 2 {
		t.Errorf("got %d deliveries after one receive, 4 updates and another receive; want 2", again.Deliveries)
	}
}

func settleInTime(t *testing.T, queue queueFixture) {
	queue.send(t, "a", "b")
	held := queue.receive(t, 2, longLease)
	for _, m := range held {
		if err := queue.Delete(t.Context(), m); err != nil {
			t.Errorf("settling %q: %v", m.Text, err)
		}
	}
	queue.none(t)
}

package drivertest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func messageTests() queueTests {
	return queueTests{
		"arrives as it was sent":                              sendAndReceive,
		"queue that is empty gives no message and no error":   emptyQueue,
		"keeps Unicode and markup":                            unicodeMessages,
		"may have 64 KiB":                                     longestMessage,
		"is received within the limit":                        receiveLimit,
		"that is settled is gone and cannot be settled again": settledMessage,
		"stays when the queue is created again":               createQueueAgain,
		"is not touched by a ping":                            pingQueue,
		"queue that is missing fails a ping":                  pingMissingQueue,
		"counts until it is settled, hidden or not":           countMessages,
		"queue that is missing has no length":                 missingQueueLength,
		"is seen by a peek, which is no delivery":             peekMessages,
		"that is leased is not seen by a peek":                peekLeased,
		"queue that is missing shows nothing to a peek":       missingQueuePeek,
		"is on one queue only":                                queuesApart,
		"goes to one of many receivers":                       manyReceivers,
	}
}

func sendAndReceive(t *testing.T, queue queueFixture) {
	queue.send(t, `{"kind":"channel"}`)
	m := queue.receiveOne(t, longLease)
	if m.Text != `{"kind":"channel"}` {
		t.Errorf("got text %q", m.Text)
	}
	if m.ID == "" || m.Receipt == "" || m.Deliveries != 1 {
		t.Errorf("got ID %q, receipt %q, %d deliveries; want both set, and 1", m.ID, m.Receipt, m.Deliveries)
	}
}

func emptyQueue(t *testing.T, queue queueFixture) { queue.none(t) }

func unicodeMessages(t *testing.T, queue queueFixture) {
	texts := []string{
		"Grüße, 世界", "👩‍🚀🇪🇺 𝒜𝒷𝒸", "e\u0301 is not \u00e9", "<b>&amp;</b>", `"a" & 'b'`, "]]>", "one\ntwo\tthree",
		"%41 + %2B", "PGI+", `{"name":"~00e4"}`,
	}
	queue.send(t, texts...)
	var got []string
	for _, m := range queue.receive(t, len(texts), longLease) {
		got = append(got, m.Text)
		updated, err := queue.Update(t.Context(), m, m.Text, 0)
		if err != nil || updated.Text != m.Text {
			t.Errorf("rewriting %q: got %q, %v", m.Text, updated.Text, err)
		}
	}
	var again []string
	for _, m := range queue.receive(t, len(texts), longLease) {
		again = append(again, m.Text)
	}
	for _, list := range [][]string{texts, got, again} {
		slices.Sort(list)
	}
	if !slices.Equal(got, texts) {
		t.Errorf("got %q, want %q", got, texts)
	}
	if !slices.Equal(again, texts) {
		t.Errorf("rewritten: got %q, want %q", again, texts)
	}
}

func longestMessage(t *testing.T, queue queueFixture) {
	text := strings.Repeat("x", driver.MaxMessageText)
	queue.send(t, text)
	if m := queue.receiveOne(t, longLease); m.Text != text {
		t.Errorf("sent %d bytes, got %d", len(text), len(m.Text))
	}
	wantError(t, queue.Send(t.Context(), text+"x"), domain.ErrLimit)
}

func receiveLimit(t *testing.T, queue queueFixture) {
	var texts []string
	for i := range 7 {
		texts = append(texts, fmt.Sprintf("message %d", i))
	}
	queue.send(t, texts...)
	var got []string
	queue.poll(t, patience, func() bool {
		messages, err := queue.Receive(t.Context(), 3, longLease)
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) > 3 {
			t.Fatalf("asked for 3 messages, got %d", len(messages))
		}
		for _, m := range messages {
			got = append(got, m.Text)
		}
		return len(got) >= len(texts)
	})
	slices.Sort(got)
	if !slices.Equal(got, texts) {
		t.Errorf("got %q, want %q", got, texts)
	}
}

func settledMessage(t *testing.T, queue queueFixture) {
	queue.send(t, "once")
	m := queue.receiveOne(t, longLease)
	if err := queue.Delete(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	wantError(t, queue.Delete(t.Context(), m), domain.ErrLeaseLost)
	_, err := queue.Update(t.Context(), m, "again", shortLease)
	wantError(t, err, domain.ErrLeaseLost)
	queue.none(t)
}

func createQueueAgain(t *testing.T, queue queueFixture) {
	queue.send(t, "kept")
	if err := queue.backend.CreateQueue(t.Context(), queue.name); err != nil {
		t.Fatal(err)
	}
	if m := queue.receiveOne(t, longLease); m.Text != "kept" {
		t.Errorf("got %q", m.Text)
	}
}

func pingQueue(t *testing.T, queue queueFixture) {
	queue.send(t, "unharmed")
	if err := queue.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m := queue.receiveOne(t, longLease); m.Deliveries != 1 {
		t.Errorf("the ping counted as a delivery")
	}
}

func pingMissingQueue(t *testing.T, queue queueFixture) {
	if err := queue.backend.Ping(t.Context(), queue.name+"-missing"); err == nil {
		t.Error("a queue that was never created answered")
	}
}

func countMessages(t *testing.T, queue queueFixture) {
	wantLength(t, queue, 0)
	queue.send(t, "one", "two", "three")
	wantLength(t, queue, 3)
	m := queue.receiveOne(t, longLease)
	wantLength(t, queue, 3)
	renewed, err := queue.Update(t.Context(), m, "renewed", longLease)
	if err != nil {
		t.Fatal(err)
	}
	wantLength(t, queue, 3)
	if err := queue.Delete(t.Context(), renewed); err != nil {
		t.Fatal(err)
	}
	wantLength(t, queue, 2)
}

func wantLength(t *testing.T, queue queueFixture, want int64) {
	t.Helper()
	if n, err := queue.Length(t.Context()); n != want || err != nil {
		t.Errorf("the queue holds %d messages (%v), want %d", n, err, want)
	}
}

func peekMessages(t *testing.T, queue queueFixture) {
	wantPeeked(t, queue, 32, map[string]int64{})
	queue.send(t, "one", "two", "three")
	wantPeeked(t, queue, 32, map[string]int64{"one": 0, "two": 0, "three": 0})
	if got, err := queue.Peek(t.Context(), 2); len(got) != 2 || err != nil {
		t.Errorf("a peek at 2 shows %d messages (%v)", len(got), err)
	}
	for range 3 {
		if m := queue.receiveOne(t, longLease); m.Deliveries != 1 {
			t.Errorf("the peek counted as a delivery of %s", m.Text)
		}
	}
}

func peekLeased(t *testing.T, queue queueFixture) {
	queue.send(t, "leased")
	m := queue.receiveOne(t, longLease)
	queue.send(t, "visible")
	wantPeeked(t, queue, 32, map[string]int64{"visible": 0})
	if _, err := queue.Update(t.Context(), m, "given back", 0); err != nil {
		t.Fatal(err)
	}
	wantPeeked(t, queue, 32, map[string]int64{"visible": 0, "given back": 1})
}

// wantPeeked checks the texts that a peek shows, and how often each was delivered.
func wantPeeked(t *testing.T, queue queueFixture, limit int, want map[string]int64) {
	t.Helper()
	messages, err := queue.Peek(t.Context(), limit)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int64)
	for _, m := range messages {
		got[m.Text] = m.Deliveries
		if m.Receipt != "" || m.ID == "" {
			t.Errorf("the message %s has the id %q and the receipt %q", m.Text, m.ID, m.Receipt)
		}
	}
	if !maps.Equal(got, want) || len(messages) != len(want) {
		t.Errorf("the peek shows %v, want %v", got, want)
	}
}

func missingQueuePeek(t *testing.T, queue queueFixture) {
	if _, err := queue.backend.Peek(t.Context(), queue.name+"-missing", 1); err == nil {
		t.Error("a queue that was never created shows messages")
	}
}

func missingQueueLength(t *testing.T, queue queueFixture) {
	if _, err := queue.backend.Length(t.Context(), queue.name+"-missing"); err == nil {
		t.Error("a queue that was never created has a length")
	}
}

func queuesApart(t *testing.T, queue queueFixture) {
	other := newQueue(t, queue.backend)
	queue.send(t, "here")
	other.none(t)
	m := queue.receiveOne(t, longLease)
	if err := other.Delete(t.Context(), m); err == nil {
		t.Error("a message was settled on another queue")
	}
	if err := queue.Delete(t.Context(), m); err != nil {
		t.Errorf("settling on its own queue: %v", err)
	}
}

func manyReceivers(t *testing.T, queue queueFixture) {
	const messages = 16
	for i := range messages {
		queue.send(t, fmt.Sprintf("message %d", i))
	}
	received := make(chan driver.Message, 2*messages)
	together(8, func(int) {
		for range messages {
			got, err := queue.Receive(t.Context(), 2, longLease)
			if err != nil {
				t.Errorf("receiving: %v", err)
				return
			}
			for _, m := range got {
				received <- m
				if err := queue.Delete(t.Context(), m); err != nil && !errors.Is(err, domain.ErrLeaseLost) {
					t.Errorf("settling: %v", err)
				}
			}
			if len(got) == 0 {
				return
			}
		}
	})
	close(received)
	seen := map[string]int{}
	for m := range received {
		seen[m.Text]++
	}
	for i := range messages {
		if n := seen[fmt.Sprintf("message %d", i)]; n != 1 {
			t.Errorf("message %d was received %d times", i, n)
		}
	}
}

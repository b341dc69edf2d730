package deletion_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestPoison(t *testing.T) {
	t.Run("message is moved and recorded, and a requeue moves it back", bubble(poisonedMessageIsMovedAndRecorded))
	t.Run("deletion of a post waits until it is requeued, and is then done", bubble(poisonedPostWaits))
	t.Run("text of any kind comes back as it was", unreadTextComesBack)
	t.Run("message that no queue can take stays recorded", bubble(unreadThatCannotBeSent))
	t.Run("dropping leaves none and touches nothing else", bubble(unreadIsDropped))
	t.Run("message that is delivered again has one row", bubble(redeliveredHasOneRow))
	t.Run("message whose record gets no answer stays on the queue, and one without a record waits", bubble(recordIsAwaited))
	t.Run("message of an earlier request does not end the time to undo of the next", bubble(earlierMessagePoisonsNothing))
	t.Run("deletion that is over waits for no operator", bubble(overWaitsForNobody))
}

func TestRequeue(t *testing.T) {
	t.Run("one channel's messages go back and no others", bubble(requeueOneChannelLeavesOthers))
	t.Run("a deletion whose record is damaged goes back once the record is deleted, and no drop loses it", bubble(damagedRecordGoesBack))
	t.Run("a record that cannot be read keeps no other message back", bubble(unreadableRecordKeepsNoneBack))
	t.Run("requeueing ends although a worker poisons concurrently", bubble(requeueEnds))
	t.Run("a message that is poisoned again before its row goes stays poisoned", bubble(poisonedAgainStays))
	t.Run("a state that a worker has recorded meanwhile stays", bubble(recordedStateStays))
	t.Run("no message is lost, whatever happens to a call", stoppedIsNotLost)
}

func poisonedMessageIsMovedAndRecorded(t *testing.T, w *world) {
	ref := w.Ask(w.Create("garden", ada))
	m := w.Receive()
	w.change(ref, func(d *domain.Deletion) { d.LastDelivery, d.WaitingSince = 3, domain.Now() })
	tried, err := domain.DecodeMessage(m.Text)
	w.OK(err)
	tried.Attempts, tried.Waits, tried.Accounted = 5, 2, 7
	m.Text = tried.Encode()
	w.OK(w.Store.Operator.Poison(t.Context(), m))
	if d := w.deletion(ref); d.State != domain.DeletionPoisoned || d.Attempts != 5 {
		t.Errorf("the deletion is %+v", d)
	}
	time.Sleep(time.Hour)
	tried.Attempts, tried.Waits, tried.Accounted, tried.QueuedOn = 0, 0, 0, time.Time{}
	if left := w.Messages(); len(left) != 0 || !slices.Equal(w.poisoned(), []string{tried.Encode()}) {
		t.Errorf("the queue holds %v, poison %q", left, w.poisoned())
	}
	tried.QueuedOn = domain.Now()
	if n := w.requeue(""); n != 1 {
		t.Errorf("requeued %d", n)
	}
	if d := w.deletion(ref); d.State != domain.DeletionQueued || d.Attempts != 0 || d.LastDelivery != 0 || !d.WaitingSince.IsZero() {
		t.Errorf("the requeued deletion is %+v", d)
	}
	if back := w.Messages(); !slices.Equal(back, []domain.Message{tried}) || len(w.poisoned()) != 0 {
		t.Errorf("the queue holds %+v, poison %q", back, w.poisoned())
	}
}

func poisonedPostWaits(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, grace, "one")
	message := ofPost(blog)
	message.Name, message.Attempts = channel.Name, 5
	w.OK(w.Store.Operator.Messages().Send(t.Context(), message.Encode()))
	w.Poison()
	w.Arm(drivertest.Only(func(call drivertest.Call) bool { return call.Method == driver.CallSend },
		func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected }))
	if _, err := w.Faulty.Operator.Requeue(t.Context(), "garden"); err == nil || len(w.poisoned()) != 1 {
		t.Errorf("requeued without a message: %v, and poison holds %q", err, w.poisoned())
	}
	time.Sleep(time.Hour)
	if n := w.requeue("garden"); n != 1 || len(w.poisoned()) != 0 {
		t.Errorf("requeued %d, and poison holds %q", n, w.poisoned())
	}
	again := w.Messages()
	if message.Attempts, message.QueuedOn = 0, domain.Now(); !slices.Equal(again, []domain.Message{message}) {
		t.Fatalf("the queue holds %+v, want %+v", again, message)
	}
	w.Finish(again)
	if w.Has("garden", "blog!"+string(blog.ID)) {
		t.Error("the post is still there")
	}
	w.Finish(again)
	if rows := w.Rows("Deletions"); len(rows) != 0 {
		t.Errorf("the deletions are %+v", rows)
	}
	w.MustBeSound()
}

// ofPost asks for the deletion of a post.
func ofPost(blog domain.Blog) domain.Message {
	return domain.Message{
		Kind: domain.MessageBlog, Channel: blog.Channel.Key, Incarnation: blog.Channel.Incarnation, RequestedBy: grace,
		RequestedOn: domain.Now(), Blog: blog.ID, Revision: blog.Revision,
	}
}

// The worker dies before it ends the message, and the next one counts more attempts and deliveries.
func redeliveredHasOneRow(t *testing.T, w *world) {
	w.Ask(w.Create("garden", ada))
	for attempts := range 3 {
		m := w.Receive()
		says, err := domain.DecodeMessage(m.Text)
		w.OK(err)
		says.Attempts, says.Accounted = attempts, m.Deliveries
		m.Text = says.Encode()
		w.Arm(drivertest.Only(func(call drivertest.Call) bool { return call.Method == driver.CallDelete },
			func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected }))
		if err := w.Faulty.Operator.Poison(t.Context(), m); !errors.Is(err, domain.ErrUnavailable) {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
	}
	if stopped := w.poisoned(); len(stopped) != 1 {
		t.Errorf("poison holds %q", stopped)
	}
}

func recordIsAwaited(t *testing.T, w *world) {
	ref := w.Ask(w.Create("garden", ada))
	w.Arm(drivertest.Only(func(call drivertest.Call) bool { return call.Partition == "garden" },
		func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected }))
	if err := w.Faulty.Operator.Poison(t.Context(), w.Receive()); !errors.Is(err, domain.ErrUnavailable) || len(w.poisoned()) != 0 {
		t.Errorf("without an answer: %v, and poison holds %q", err, w.poisoned())
	}
	time.Sleep(time.Hour)
	w.OK(w.Table("Deletions").Transact(t.Context(), "garden", driver.Delete(string(ref.Incarnation), driver.Exists)))
	if w.Poison(); len(w.poisoned()) != 1 || len(w.Messages()) != 0 {
		t.Errorf("without a record, poison holds %q", w.poisoned())
	}
}

func overWaitsForNobody(t *testing.T, w *world) {
	w.Ask(w.Create("garden", ada))
	m := w.Receive()
	says, err := domain.DecodeMessage(m.Text)
	w.OK(err)
	w.CarryOut([]domain.Message{says})
	w.OK(w.Store.Operator.Poison(t.Context(), m))
	time.Sleep(time.Hour)
	if stopped := w.poisoned(); len(stopped)+len(w.Messages()) != 0 {
		t.Errorf("poison holds %q", stopped)
	}
}

// queuedTexts receives all visible messages of the queue and deletes them.
func (w *world) queuedTexts() (texts []string) {
	w.T.Helper()
	received, err := w.Store.Operator.Messages().Receive(w.T.Context(), 32, time.Minute)
	w.OK(err)
	for _, m := range received {
		texts = append(texts, m.Text)
		w.OK(w.Store.Operator.Messages().Delete(w.T.Context(), m))
	}
	return texts
}

const undecodableText = `{"kind":"of later","in":"Grüße"}`

func unreadTextComesBack(t *testing.T) {
	for name, text := range map[string]string{
		"short":         "x",
		"with quotes":   `{"a":"b\"c\\d"}`,
		"of many bytes": strings.Repeat("€", driver.MaxMessageText/3),
		"of emoji":      strings.Repeat("🙂", driver.MaxMessageText/4),
		"longest":       strings.Repeat("\t", driver.MaxMessageText),
	} {
		t.Run(name, bubble(func(t *testing.T, w *world) {
			w.OK(w.Store.Operator.Messages().Send(t.Context(), text))
			m := w.Receive()
			w.OK(w.Store.Operator.Poison(t.Context(), m))
			if n := w.requeue(""); n != 1 {
				t.Errorf("requeued %d", n)
			}
			if back := w.queuedTexts(); len(back) != 1 || back[0] != text {
				t.Errorf("%d messages came back, and not as they were", len(back))
			}
		}))
	}
}

// Another program can send what our queues refuse.
func unreadThatCannotBeSent(t *testing.T, w *world) {
	for _, text := range []string{"", "two\r\nlines", "\xff\x00"} {
		w.sendForeign(text)
	}
	w.Ask(w.Create("garden", ada))
	w.Poison()
	if stopped := w.poisoned(); len(stopped) != 4 || len(w.queuedTexts()) != 0 {
		t.Errorf("poison holds %q", stopped)
	}
	n, err := w.Store.Operator.Requeue(t.Context(), "")
	if n != 1 || !errors.Is(err, domain.ErrLimit) {
		t.Errorf("requeued %d, %v", n, err)
	}
	left := 0
	checker := w.Store.Operator.NewChecker(time.Minute, false, func(domain.Violation) {})
	checker.Poisoned = func(m storage.PoisonMessage) {
		if left++; m.Undecodable == nil {
			t.Errorf("%q is left", m.Text)
		}
	}
	_, err = checker.Run(t.Context())
	if w.OK(err); left != 3 {
		t.Errorf("%d messages are recorded, want 3", left)
	}
}

// One has a text that no program can read.
func unreadIsDropped(t *testing.T, w *world) {
	for _, text := range []string{undecodableText, "two\r\nlines", "\xff\x00"} {
		w.sendForeign(text)
	}
	w.OK(w.Table("Deletions").Transact(t.Context(), "poison!", driver.Insert("by hand", driver.String("Text0", "x"))))
	w.Ask(w.Create("garden", ada))
	w.Poison()
	if n, err := w.Store.Operator.DropUndecodable(t.Context()); err != nil || n != 4 {
		t.Errorf("dropped %d, %v", n, err)
	}
	if stopped := w.poisoned(); len(stopped) != 1 || len(w.queuedTexts()) != 0 {
		t.Errorf("poison holds %q", stopped)
	}
	if n, err := w.Store.Operator.DropUndecodable(t.Context()); err != nil || n != 0 {
		t.Errorf("dropped %d the second time, %v", n, err)
	}
	w.MustBeSound()
	if n := w.requeue(""); n != 1 || len(w.Messages()) != 1 {
		t.Errorf("requeued %d, want the deletion of the garden", n)
	}
}

func requeueOneChannelLeavesOthers(t *testing.T, w *world) {
	w.Ask(w.Create("garden", ada))
	w.Ask(w.Create("harbour", ada))
	message := ofPost(w.Post(w.Create("posts", ada), grace, "one"))
	for _, text := range []string{message.Encode(), "not a message", `{"kind":"of later"}`} {
		w.OK(w.Store.Operator.Messages().Send(t.Context(), text))
	}
	w.Poison()
	before := w.poisoned()
	if n := w.requeue("norman"); n != 0 || !slices.Equal(w.poisoned(), before) {
		t.Errorf("requeued %d of no channel", n)
	}
	if n := w.requeue("garden"); n != 1 || len(w.poisoned()) != 4 {
		t.Errorf("requeued %d of one channel, and %q is left", n, w.poisoned())
	}
	if back := w.Messages(); len(back) != 1 || back[0].Channel != "garden" {
		t.Errorf("the queue holds %+v", back)
	}
	if n := w.requeue("posts"); n != 1 || w.Messages()[0].Blog != message.Blog {
		t.Errorf("requeued %d of a post", n)
	}
	if n := w.requeue(""); n != 3 || len(w.poisoned()) != 0 {
		t.Errorf("requeued %d of all, and %q is left", n, w.poisoned())
	}
	if rows := w.Rows("Deletions"); len(rows) != 2 {
		t.Errorf("deletions are recorded of %v", rows)
	}
}

// A row that no operation wrote is where the record belongs. The store refuses to write it, because it has no time.
func damagedRecordGoesBack(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Ask(channel)
	record := string(channel.Incarnation)
	w.OK(w.Table("Deletions").Transact(t.Context(), "garden", driver.Replace(record, driver.Exists, driver.String("State", "pending"), driver.String("Step", ""))))
	w.OK(w.Store.Operator.Messages().Send(t.Context(), undecodableText))
	w.Poison()
	if n, err := w.Store.Operator.DropUndecodable(t.Context()); err != nil || n != 1 || len(w.poisoned()) != 1 {
		t.Errorf("dropped %d, %v; poison holds %q", n, err, w.poisoned())
	}
	if n := w.requeue("harbour"); n != 0 || len(w.poisoned()) != 1 {
		t.Errorf("requeued %d of another channel, and poison holds %q", n, w.poisoned())
	}
	w.Ask(w.Create("harbour", ada))
	w.Poison()
	n, err := w.Store.Operator.Requeue(t.Context(), "")
	if back := w.Messages(); n != 1 || !errors.Is(err, domain.ErrLimit) || len(back) != 1 || back[0].Channel != "harbour" || len(w.poisoned()) != 1 {
		t.Errorf("requeued %d with a record that cannot be written, %v; the queue holds %+v, poison %q", n, err, back, w.poisoned())
	}
	w.OK(w.Table("Deletions").Transact(t.Context(), "garden", driver.Delete(record, driver.Exists)))
	n = w.requeue("garden")
	if back := w.Messages(); n != 1 || len(w.poisoned()) != 0 || len(back) != 1 || back[0].Ref() != channel.Ref() {
		t.Errorf("requeued %d of the channel, the queue holds %+v, and poison %q", n, back, w.poisoned())
	}
}

func unreadableRecordKeepsNoneBack(t *testing.T, w *world) {
	for _, name := range []string{"a", "b", "c", "d"} {
		w.Ask(w.Create(name, ada))
	}
	w.Poison()
	unreadable := errors.New("unreadable")
	w.Arm(drivertest.Only(func(call drivertest.Call) bool { return call.Method == driver.CallGet && call.Partition == "b" },
		func(context.Context, drivertest.Call, drivertest.Send) error { return unreadable }))
	if n, err := w.Faulty.Operator.Requeue(t.Context(), ""); n != 3 || !errors.Is(err, unreadable) || len(w.poisoned()) != 1 {
		t.Errorf("requeued %d, %v, and poison holds %q", n, err, w.poisoned())
	}
}

// A worker stops the message that the operator has just sent.
func poisonedAgainStays(t *testing.T, w *world) {
	w.Ask(w.Create("garden", ada))
	post := ofPost(w.Post(w.Create("posts", ada), grace, "one"))
	for _, text := range []string{post.Encode(), undecodableText} {
		w.OK(w.Store.Operator.Messages().Send(t.Context(), text))
	}
	w.Poison()
	before := w.poisoned()
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		err := send(ctx)
		if call.Method == driver.CallSend {
			w.Poison()
		}
		return err
	})
	for _, act := range []func() (int, error){
		func() (int, error) { return w.Faulty.Operator.Requeue(t.Context(), "") },
		func() (int, error) { return w.Faulty.Operator.Requeue(t.Context(), "garden") },
	} {
		_, err := act()
		if w.OK(err); !slices.Equal(w.poisoned(), before) {
			t.Errorf("poison holds %q, want %q", w.poisoned(), before)
		}
	}
	if n := w.requeue(""); n != 3 || len(w.queuedTexts()) != 3 {
		t.Errorf("requeued %d", n)
	}
}

// Requeue moves each message once. A message that fails again meanwhile stays for the
// next time.
func requeueEnds(t *testing.T, w *world) {
	const messages = 40
	for i := range messages {
		w.OK(w.Store.Operator.Messages().Send(t.Context(), fmt.Sprintf("not a message %02d", i)))
	}
	w.Poison()
	w.Poison()
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Seq > 100*messages {
			return drivertest.ErrInjected
		}
		err := send(ctx)
		if call.Method == "Send" && call.Target == domain.QueueName {
			w.Poison()
		}
		return err
	})
	if n, err := w.Faulty.Operator.Requeue(t.Context(), ""); err != nil || n != messages {
		t.Errorf("requeued %d, %v", n, err)
	}
	if left := w.poisoned(); len(left) != messages {
		t.Errorf("%d messages are poisoned in the end", len(left))
	}
}

// sendForeign sends a text as another program can, past what our queues refuse.
func (w *world) sendForeign(text string) {
	w.T.Helper()
	w.OK(w.DB.Do(w.T.Context(), &driver.Call{
		Method: driver.CallSend, Target: domain.QueueName, Message: driver.Message{Text: text},
	}))
}

// The record was poisoned by one message, and a worker handles another.
func recordedStateStays(t *testing.T, w *world) {
	ref := w.Ask(w.Create("garden", ada))
	w.Poison()
	w.change(ref, func(d *domain.Deletion) { d.State, d.Attempts = domain.DeletionRunning, 2 })
	if n := w.requeue(""); n != 1 || w.deletion(ref).State != domain.DeletionRunning || w.deletion(ref).Attempts != 2 {
		t.Errorf("requeued %d, and the record is %+v", n, w.deletion(ref))
	}
}

// poisoned returns the texts of the messages that wait for an operator, sorted.
func (w *world) poisoned() (texts []string) {
	w.T.Helper()
	for m, err := range w.Store.Operator.PoisonMessages(w.T.Context()) {
		w.OK(err)
		texts = append(texts, m.Text)
	}
	slices.Sort(texts)
	return texts
}

func (w *world) requeue(only domain.ChannelKey) int {
	w.T.Helper()
	n, err := w.Store.Operator.Requeue(w.T.Context(), only)
	w.OK(err)
	return n
}

func stoppedIsNotLost(t *testing.T) {
	for what, stopped := range map[string]func(w *world) (text string){
		"undecodable": func(*world) string { return undecodableText },
		"of a post":   func(w *world) string { return ofPost(w.Post(w.Create("posts", ada), grace, "one")).Encode() },
	} {
		for _, fault := range storetest.CallFaults {
			eachCall(t, what+", "+fault.Name, func(w *world, n int) {
				text := stopped(w)
				w.OK(w.Store.Operator.Messages().Send(w.T.Context(), text))
				w.Poison()
				w.Arm(fault.At(n))
				_, err := w.Faulty.Operator.Requeue(w.T.Context(), "")
				calls := w.Calls.Load()
				if lost := calls >= int64(n) && fault.Name != "is sent twice"; err != nil && (!lost || !errors.Is(err, domain.ErrUnavailable)) {
					w.T.Errorf("told %v", err)
				}
				time.Sleep(time.Hour)
				w.requeue("")
				back, poisoned := w.queuedTexts(), w.poisoned()
				if len(back) == 0 || slices.ContainsFunc(back, func(other string) bool { return undated(other) != text }) || len(poisoned) != 0 || w.requeue("") != 0 {
					w.T.Errorf("the queue holds %q, poison %q", back, poisoned)
				}
				w.Calls.Store(calls)
			})
		}
	}
}

// undated is a message without the time at which it was queued.
func undated(text string) string {
	m, err := domain.DecodeMessage(text)
	if err != nil {
		return text
	}
	m.QueuedOn = time.Time{}
	return m.Encode()
}

// A request died after its message, and the user asked again. The first message fails so often that it is poisoned.
func earlierMessagePoisonsNothing(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	died := errors.New("died")
	dying := storage.New(drivertest.NewFaults(w.DB, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Deletions" && call.Partition == "garden" {
			return died
		}
		return send(ctx)
	}), storage.Options{Undo: 30 * time.Second})
	if _, err := dying.Deletions.Request(t.Context(), channel.Key(), domain.By(ada), storetest.AnyIncarnation); !errors.Is(err, died) {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Second)
	ref := w.askUndoable(channel)
	until := w.deletion(ref).UndoableUntil
	time.Sleep(11 * time.Second)
	w.Poison()
	w.requeue("")
	early := w.Messages()
	for _, m := range early {
		w.OK(w.Store.Operator.RecordDeletion(t.Context(), m))
	}
	if d := w.deletion(ref); d.State != domain.DeletionPending || len(early) > 0 {
		t.Errorf("%s before the time until which it can be undone, it is %s, and a worker gets %+v", time.Until(until), d.State, early)
	}
}

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
	t.Run("deletion of a post is recorded until it is done", bubble(poisonedPostIsRecorded))
	t.Run("text of any kind comes back as it was", unreadTextComesBack)
	t.Run("message that no queue can take stays recorded", bubble(unreadThatCannotBeSent))
	t.Run("dropping leaves none and touches nothing else", bubble(unreadIsDropped))
	t.Run("message of an earlier request does not end the time to undo of the next", bubble(earlierMessagePoisonsNothing))
}

func TestRequeue(t *testing.T) {
	t.Run("one channel's messages go back and no others", bubble(requeueOneChannelLeavesOthers))
	t.Run("a deletion whose record is damaged goes back with its channel, and no drop loses it", bubble(damagedRecordGoesBack))
	t.Run("requeueing ends although a worker poisons concurrently", bubble(requeueEnds))
	t.Run("no message that cannot be decoded is lost, whatever happens to a call", undecodableIsNotLost)
}

func poisonedMessageIsMovedAndRecorded(t *testing.T, w *world) {
	ref := w.Ask(w.Create("garden", ada))
	m := w.Receive()
	tried, err := domain.DecodeMessage(m.Text)
	w.OK(err)
	tried.Attempts = 5
	m.Text = tried.Encode()
	w.OK(w.Store.Operator.Poison(t.Context(), m))
	if d := w.deletion(ref); d.State != domain.DeletionPoisoned || d.Attempts != 5 {
		t.Errorf("the deletion is %+v", d)
	}
	time.Sleep(time.Hour)
	if left := w.Messages(); len(left) != 0 || !slices.Equal(w.poisoned(), []string{m.Text}) {
		t.Errorf("the queue holds %v, poison %q", left, w.poisoned())
	}
	tried.Attempts, tried.QueuedOn = 0, domain.Now()
	if n := w.requeue(""); n != 1 {
		t.Errorf("requeued %d", n)
	}
	if d := w.deletion(ref); d.State != domain.DeletionQueued || d.Attempts != 0 {
		t.Errorf("the requeued deletion is %+v", d)
	}
	if back := w.Messages(); !slices.Equal(back, []domain.Message{tried}) || len(w.poisoned()) != 0 {
		t.Errorf("the queue holds %+v, poison %q", back, w.poisoned())
	}
}

func poisonedPostIsRecorded(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, grace, "one")
	message := domain.Message{
		Kind: domain.MessageBlog, Channel: channel.Key(), Incarnation: channel.Incarnation, Name: channel.Name, RequestedBy: grace,
		RequestedOn: domain.Now(), Blog: blog.ID, Revision: blog.Revision, Attempts: 5,
	}
	w.OK(w.Store.Operator.Messages().Send(t.Context(), message.Encode()))
	w.Poison()
	w.Arm(drivertest.Only(func(call drivertest.Call) bool { return call.Method == driver.CallSend },
		func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected }))
	if _, err := w.Faulty.Operator.Requeue(t.Context(), "garden"); err == nil {
		t.Error("requeued without a message")
	}
	w.mustRecordPost(message, domain.DeletionPoisoned) // no index leads to it
	time.Sleep(time.Hour)
	if n := w.requeue("garden"); n != 1 {
		t.Errorf("requeued %d", n)
	}
	w.mustRecordPost(message, domain.DeletionQueued)
	again := w.Messages()
	if len(again) != 1 || again[0].Ref() != message.Ref() || again[0].Blog != message.Blog || again[0].Revision != message.Revision || again[0].Attempts != 0 || again[0].RequestedBy != grace {
		t.Fatalf("the queue holds %+v", again)
	}
	w.Finish(again)
	w.mustRecordPost(message, domain.DeletionDone)
	if w.Has("garden", "blog!"+string(blog.ID)) {
		t.Error("the post is still there")
	}
	w.Finish(again)
	w.MustBeSound()
}

// mustRecordPost checks the state in the one row of Deletions.
func (w *world) mustRecordPost(m domain.Message, state domain.DeletionState) {
	w.T.Helper()
	rows := w.Rows("Deletions")
	if len(rows) != 1 || rows[0].Row != string(m.Incarnation)+"!"+string(m.Blog)+"!"+string(m.Revision) || rows[0].Properties.String("State") != string(state) {
		w.T.Errorf("the deletions are %+v, want that of one post, %s", rows, state)
	}
	w.MustBeSound()
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
			// The worker dies before it sends the copy, so that only the record is left.
			w.Arm(drivertest.FailBefore(2))
			if err := w.Faulty.Operator.Poison(t.Context(), m); !errors.Is(err, domain.ErrUnavailable) {
				t.Fatal(err)
			}
			w.OK(w.Store.Operator.Messages().Delete(t.Context(), m))
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
	if copies := w.poisoned(); len(copies) != 1 || len(w.queuedTexts()) != 0 {
		t.Errorf("poison holds %q", copies)
	}
	n, err := w.Store.Operator.Requeue(t.Context(), "")
	if n != 1 || !errors.Is(err, domain.ErrLimit) {
		t.Errorf("requeued %d, %v", n, err)
	}
	left := 0
	checker := w.Store.Operator.NewChecker(time.Minute, false, func(domain.Violation) {})
	checker.Undecodable = func(string) { left++ }
	_, err = checker.Run(t.Context())
	if w.OK(err); left != 3 {
		t.Errorf("%d messages are recorded, want 3", left)
	}
}

// Some have a copy on the poison queue and a record, some only one of the two, and one has a
// record that no program can read either.
func unreadIsDropped(t *testing.T, w *world) {
	for _, text := range []string{undecodableText, "two\r\nlines", "\xff\x00"} {
		w.sendForeign(text)
	}
	w.OK(driver.NewQueue(w.DB, domain.PoisonQueueName).Send(t.Context(), "put there by hand"))
	w.OK(w.Table("Deletions").Transact(t.Context(), "undecodable!", driver.Insert("by hand", driver.String("State", "poisoned"), driver.String("Text0", "x"))))
	w.Ask(w.Create("garden", ada))
	w.Poison()
	if n, err := w.Store.Operator.DropUndecodable(t.Context()); err != nil || n != 4 {
		t.Errorf("dropped %d, %v", n, err)
	}
	if copies := w.poisoned(); len(copies) != 1 || len(w.queuedTexts()) != 0 {
		t.Errorf("poison holds %q", copies)
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
	blog := w.Post(w.Create("posts", ada), grace, "one")
	ofPost := domain.Message{
		Kind: domain.MessageBlog, Channel: "posts", Incarnation: blog.Channel.Incarnation, RequestedBy: grace,
		RequestedOn: domain.Now(), Blog: blog.ID, Revision: blog.Revision,
	}
	for _, text := range []string{ofPost.Encode(), "not a message", `{"kind":"of later"}`} {
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
	if n := w.requeue("posts"); n != 1 || w.Messages()[0].Blog != ofPost.Blog {
		t.Errorf("requeued %d of a post", n)
	}
	if n := w.requeue(""); n != 3 || len(w.poisoned()) != 0 {
		t.Errorf("requeued %d of all, and %q is left", n, w.poisoned())
	}
	rows := slices.DeleteFunc(w.Rows("Deletions"), func(row driver.Entity) bool { return row.Partition == "undecodable!" })
	if len(rows) != 3 {
		t.Errorf("deletions are recorded of %v", rows)
	}
}

// A row that no operation wrote is where the record belongs.
func damagedRecordGoesBack(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	blog := w.Post(channel, grace, "one")
	message := domain.Message{
		Kind: domain.MessageBlog, Channel: "garden", Incarnation: channel.Incarnation, Name: "garden", RequestedBy: grace,
		RequestedOn: domain.Now(), Blog: blog.ID, Revision: blog.Revision,
	}
	w.OK(w.Table("Deletions").Transact(t.Context(), "garden",
		driver.Insert(string(message.Incarnation)+"!"+string(message.Blog)+"!"+string(message.Revision), driver.String("State", "pending"))))
	for _, text := range []string{message.Encode(), undecodableText} {
		w.OK(w.Store.Operator.Messages().Send(t.Context(), text))
	}
	w.Poison()
	if n, err := w.Store.Operator.DropUndecodable(t.Context()); err != nil || n != 1 || !slices.Equal(w.poisoned(), []string{message.Encode()}) {
		t.Errorf("dropped %d, %v; poison holds %q", n, err, w.poisoned())
	}
	if n := w.requeue("harbour"); n != 0 || len(w.poisoned()) != 1 {
		t.Errorf("requeued %d of another channel, and poison holds %q", n, w.poisoned())
	}
	if n := w.requeue("garden"); n != 1 || len(w.poisoned()) != 0 || !slices.Equal(w.queuedTexts(), []string{message.Encode()}) {
		t.Errorf("requeued %d of the channel, and poison holds %q", n, w.poisoned())
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

// poisoned returns the texts of the visible messages of the poison queue, sorted.
// The messages stay there.
func (w *world) poisoned() []string {
	w.T.Helper()
	queue := driver.NewQueue(w.DB, domain.PoisonQueueName)
	var texts []string
	for {
		received, err := queue.Receive(w.T.Context(), 32, time.Minute)
		w.OK(err)
		if len(received) == 0 {
			break
		}
		for _, m := range received {
			texts = append(texts, m.Text)
		}
	}
	time.Sleep(time.Minute)
	slices.Sort(texts)
	return texts
}

func (w *world) requeue(only domain.ChannelKey) int {
	w.T.Helper()
	n, err := w.Store.Operator.Requeue(w.T.Context(), only)
	w.OK(err)
	return n
}

func undecodableIsNotLost(t *testing.T) {
	for _, fault := range storetest.CallFaults {
		eachCall(t, fault.Name, func(w *world, n int) {
			w.OK(w.Store.Operator.Messages().Send(w.T.Context(), undecodableText))
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
			if len(back) == 0 || slices.ContainsFunc(back, func(text string) bool { return text != undecodableText }) || len(poisoned) != 0 || w.requeue("") != 0 {
				w.T.Errorf("the queue holds %q, poison %q", back, poisoned)
			}
			w.Calls.Store(calls)
		})
	}
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
	if _, err := dying.Deletions.Request(t.Context(), channel.Key(), ada, storetest.AnyIncarnation); !errors.Is(err, died) {
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

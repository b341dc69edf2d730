package storage_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestUnread(t *testing.T) {
	t.Run("message makes one copy and is not lost, whatever fails", unreadMakesOneCopy)
	t.Run("message makes one copy and is not lost, wherever its workers die", unreadSurvivesDeath)
	t.Run("message of two workers at once makes one copy", unreadOfTwoWorkers)
	t.Run("requeue loses none, whatever fails", unreadRequeueLosesNone)
	t.Run("requeue loses none, wherever it dies", unreadRequeueSurvivesDeath)
	t.Run("message that waits is reported by the checker", unreadIsReported)
	t.Run("text of any kind comes back as it was", unreadTextComesBack)
	t.Run("message that no queue can take stays recorded", unreadThatCannotBeSent)
	t.Run("dropping leaves none and touches nothing else", unreadIsDropped)
	t.Run("dropping can be repeated, wherever it died", unreadDropSurvivesDeath)
	t.Run("nothing is sent while the tables are away", unreadWithoutTables)
}

const unreadText = `{"kind":"of later","in":"Grüße"}`

func (w *world) sendUnread() {
	w.t.Helper()
	w.ok(w.store.Messages().Send(w.t.Context(), unreadText))
}

// queuedTexts receives all visible messages of the queue and settles them.
func (w *world) queuedTexts() (texts []string) {
	w.t.Helper()
	received, err := w.store.Messages().Receive(w.t.Context(), 32, time.Minute)
	w.ok(err)
	for _, m := range received {
		texts = append(texts, m.Text)
		w.ok(w.store.Messages().Delete(w.t.Context(), m))
	}
	return texts
}

// mustComeBack checks that the unreadable message has at most one copy, that one
// requeue brings it back, and that the next finds nothing.
func (w *world) mustComeBack() {
	w.t.Helper()
	time.Sleep(time.Hour)
	w.poison() // the next delivery, if there is one
	if copies := w.poisoned(); len(copies) > 1 {
		w.t.Errorf("%d copies are on the poison queue", len(copies))
	}
	if left := w.queuedTexts(); len(left) != 0 {
		w.t.Errorf("the queue still holds %q", left)
	}
	if n := w.requeue(""); n != 1 {
		w.t.Errorf("requeued %d", n)
	}
	if back := w.queuedTexts(); len(back) != 1 || back[0] != unreadText || len(w.poisoned()) != 0 {
		w.t.Errorf("the queue holds %q, poison %q", back, w.poisoned())
	}
	if n := w.requeue(""); n != 0 || len(w.queuedTexts()) != 0 {
		w.t.Errorf("requeued %d the second time", n)
	}
}

// poisonFaulty gives each delivery to a worker that meets the same fault.
func (w *world) poisonFaulty(deliveries int, at drivertest.Hook) (calls int) {
	w.t.Helper()
	for range deliveries {
		received, err := w.store.Messages().Receive(w.t.Context(), 1, time.Minute)
		w.ok(err)
		if len(received) == 0 {
			break
		}
		w.arm(at)
		_ = w.faulty.Poison(w.t.Context(), received[0]) // whatever it answers
		calls = max(calls, int(w.calls.Load()))
		time.Sleep(time.Hour)
	}
	return calls
}

func unreadMakesOneCopy(t *testing.T) {
	for _, fault := range callFaults {
		eachCall(t, fault.name+" in ten deliveries", func(w *world, n int) {
			w.sendUnread()
			calls := w.poisonFaulty(10, fault.at(n))
			w.mustComeBack()
			w.calls.Store(int64(calls))
		})
	}
}

func unreadSurvivesDeath(t *testing.T) {
	for _, fault := range callFaults {
		eachCall(t, fault.name+", and then its worker dies", func(w *world, n int) {
			w.sendUnread()
			calls := w.poisonFaulty(3, deadAfter(n, fault.at(n)))
			w.mustComeBack()
			w.calls.Store(int64(calls))
		})
	}
}

// The first worker is so slow that the second receives the message too.
func unreadOfTwoWorkers(t *testing.T) {
	eachCall(t, "is overtaken by another worker", func(w *world, n int) {
		w.sendUnread()
		slow := w.receive()
		w.arm(before(n, func() {
			time.Sleep(2 * time.Minute)
			w.poison()
		}))
		if err := w.faulty.Poison(w.t.Context(), slow); err != nil && !errors.Is(err, domain.ErrLeaseLost) {
			w.t.Errorf("poisoning reports %v", err)
		}
		calls := w.calls.Load()
		w.mustComeBack()
		w.calls.Store(calls)
	})
}

func unreadRequeueLosesNone(t *testing.T) {
	for _, fault := range callFaults {
		eachCall(t, fault.name, func(w *world, n int) { w.requeueFaulty(fault.at(n)) })
	}
}

func unreadRequeueSurvivesDeath(t *testing.T) {
	for _, fault := range callFaults {
		eachCall(t, fault.name+", and then the process dies", func(w *world, n int) {
			w.requeueFaulty(deadAfter(n, fault.at(n)))
		})
	}
}

// requeueFaulty checks a requeue with a fault and then a sound one: the message is on the
// queue then, more than once if need be, and nothing is left in poison.
func (w *world) requeueFaulty(at drivertest.Hook) {
	w.t.Helper()
	w.sendUnread()
	w.poison()
	w.arm(at)
	if _, err := w.faulty.Requeue(w.t.Context(), ""); err != nil && !errors.Is(err, domain.ErrUnavailable) {
		w.t.Errorf("requeueing reports %v", err)
	}
	calls := w.calls.Load()
	time.Sleep(time.Hour)
	w.requeue("")
	for _, text := range w.queuedTexts() {
		if text != unreadText {
			w.t.Errorf("the queue holds %q", text)
		}
		calls |= 1 << 40 // it is there
	}
	if calls < 1<<40 || len(w.poisoned()) != 0 {
		w.t.Errorf("the message is lost, or %q is left in poison", w.poisoned())
	}
	if n := w.requeue(""); n != 0 {
		w.t.Errorf("requeued %d the third time", n)
	}
	w.calls.Store(calls &^ (1 << 40))
}

func unreadIsReported(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.sendUnread()
		w.poison()
		var reported []string
		check := func() {
			reported = nil
			checker := w.store.NewChecker(time.Minute, false, func(b domain.Breach) { t.Errorf("breach: %+v", b) })
			checker.Poisoned = func(d domain.Deletion) { t.Errorf("reported a deletion: %+v", d) }
			checker.Unread = func(text string) { reported = append(reported, text) }
			_, err := checker.Run(t.Context())
			w.ok(err)
		}
		if check(); len(reported) != 1 || reported[0] != unreadText {
			t.Errorf("reported %q", reported)
		}
		w.requeue("")
		if check(); len(reported) != 0 {
			t.Errorf("reported %q, which was requeued", reported)
		}
		w.mustBeSound()
	})
}

func unreadTextComesBack(t *testing.T) {
	for name, text := range map[string]string{
		"short":         "x",
		"with quotes":   `{"a":"b\"c\\d"}`,
		"of many bytes": strings.Repeat("€", driver.MaxMessageText/3),
		"of emoji":      strings.Repeat("🙂", driver.MaxMessageText/4),
		"longest":       strings.Repeat("\t", driver.MaxMessageText),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.ok(w.store.Messages().Send(t.Context(), text))
				m := w.receive()
				// The worker dies before it sends the copy, so that only the record is left.
				w.arm(deadAfter(1, drivertest.Pass))
				if err := w.faulty.Poison(t.Context(), m); !errors.Is(err, domain.ErrUnavailable) {
					t.Fatal(err)
				}
				w.ok(w.store.Messages().Delete(t.Context(), m))
				if n := w.requeue(""); n != 1 {
					t.Errorf("requeued %d", n)
				}
				if back := w.queuedTexts(); len(back) != 1 || back[0] != text {
					t.Errorf("%d messages came back, and not as they were", len(back))
				}
			})
		})
	}
}

// Another program can send what our queues refuse.
func unreadThatCannotBeSent(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for _, text := range []string{"", "two\r\nlines", "\xff\x00"} {
			w.ok(w.db.Send(t.Context(), domain.QueueName, text))
		}
		w.ask(w.create("garden", ada))
		w.poison()
		if copies := w.poisoned(); len(copies) != 1 || len(w.queuedTexts()) != 0 {
			t.Errorf("poison holds %q", copies)
		}
		n, err := w.store.Requeue(t.Context(), "")
		if n != 1 || !errors.Is(err, domain.ErrLimit) {
			t.Errorf("requeued %d, %v", n, err)
		}
		left := 0
		checker := w.store.NewChecker(time.Minute, false, func(domain.Breach) {})
		checker.Unread = func(string) { left++ }
		_, err = checker.Run(t.Context())
		if w.ok(err); left != 3 {
			t.Errorf("%d messages are recorded, want 3", left)
		}
	})
}

// Some have a copy on the poison queue and a record, some only one of the two, and one has a
// record that nobody can read either.
func unreadIsDropped(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		for _, text := range []string{unreadText, "two\r\nlines", "\xff\x00"} {
			w.ok(w.db.Send(t.Context(), domain.QueueName, text))
		}
		w.ok(driver.NewQueue(w.db, domain.PoisonQueueName).Send(t.Context(), "put there by hand"))
		w.ok(w.table("Deletions").Transact(t.Context(), "unread!", driver.Insert("by hand", driver.String("State", "poisoned"), driver.String("Text0", "x"))))
		w.ask(w.create("garden", ada))
		w.poison()
		if n, err := w.store.DropUnread(t.Context()); err != nil || n != 5 {
			t.Errorf("dropped %d, %v", n, err)
		}
		if copies := w.poisoned(); len(copies) != 1 || len(w.queuedTexts()) != 0 {
			t.Errorf("poison holds %q", copies)
		}
		if n, err := w.store.DropUnread(t.Context()); err != nil || n != 0 {
			t.Errorf("dropped %d the second time, %v", n, err)
		}
		w.mustBeSound()
		if n := w.requeue(""); n != 1 || len(w.messages()) != 1 {
			t.Errorf("requeued %d, want the deletion of the garden", n)
		}
	})
}

func unreadDropSurvivesDeath(t *testing.T) {
	for _, fault := range callFaults {
		eachCall(t, fault.name+", and then the process dies", func(w *world, n int) {
			w.sendUnread()
			late := w.receive()
			time.Sleep(2 * time.Minute)
			w.poison()
			w.arm(deadAfter(n, fault.at(n)))
			if _, err := w.faulty.DropUnread(w.t.Context()); err != nil && !errors.Is(err, domain.ErrUnavailable) {
				w.t.Error(err)
			}
			calls := w.calls.Load()
			time.Sleep(time.Hour)
			_, err := w.store.DropUnread(w.t.Context())
			w.ok(err)
			if err := w.store.Poison(w.t.Context(), late); err != nil && !errors.Is(err, domain.ErrLeaseLost) {
				w.t.Error(err)
			}
			if n := w.requeue(""); n != 0 || len(w.poisoned()) != 0 || len(w.queuedTexts()) != 0 {
				w.t.Errorf("requeued %d that was dropped", n)
			}
			w.calls.Store(calls)
		})
	}
}

func unreadWithoutTables(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.sendUnread()
		away := func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if call.Target == "Deletions" {
				return drivertest.ErrInjected
			}
			return send(ctx)
		}
		w.poisonFaulty(100, away)
		if copies := w.poisoned(); len(copies) != 0 {
			t.Errorf("%d copies are on the poison queue", len(copies))
		}
		w.mustComeBack()
	})
}

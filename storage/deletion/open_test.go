package deletion_test

import (
	"context"
	"errors"
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

func TestOpenDeletions(t *testing.T) {
	t.Run("row of a deletion that is done goes", bubble(doneLeavesIndex))
	t.Run("channel whose row came back after its deletion is done goes with its row", bubble(rowThatCameBackGoes))
	t.Run("accounts on the index are listed once each, as many as asked for", bubble(openAccountsAreListed))
	t.Run("row of a request that died goes after an hour", diedRequestLeavesIndex)
	t.Run("request that stalls until a pass gives it up, and dies, leaves no record that no pass reads", bubble(givenUpIsRecorded))
	t.Run("request that stalls until a pass gives it up fails, and its message asks for nothing", bubble(givenUpFails))
	t.Run("request that writes its record while a pass gives it up stays on the index", bubble(recordedMeanwhileStaysOnIndex))
	t.Run("request stays while it is under way, although another user has reclaimed its channel's row", bubble(reclaimedIsDone))
	t.Run("row that is renewed during a pass stays, and so does that of a request whose channel is written", bubble(passMeetsOthers))
	t.Run("poisoned deletion that is requeued during a pass stays, and the pass goes on", bubble(passMeetsRequeue))
	t.Run("poisoned deletion is looked at immediately, and comes back with a requeue", bubble(poisonLeavesIndex))
}

// openDeletions are the channels on the index.
func (w *world) openDeletions() (keys []string) {
	w.T.Helper()
	for _, row := range w.index("Deletions") {
		key, _, _ := strings.Cut(row.Row, "!")
		keys = append(keys, key)
	}
	return keys
}

// pass makes a reconciling pass.
func (w *world) pass() storage.Reconciled {
	w.T.Helper()
	done, err := w.Store.Operator.Reconcile(w.T.Context(), storetest.Patience, time.Now())
	w.OK(err)
	return done
}

func doneLeavesIndex(t *testing.T, w *world) {
	first, second := w.Create("garden", ada), w.Create("kitchen", ada)
	w.Ask(first)
	w.CarryOut(w.Messages())
	w.Ask(second)
	w.Create("garden", eve) // the next incarnation
	w.pass()
	if got := w.openDeletions(); len(got) != 1 || got[0] != "kitchen" {
		t.Errorf("the index has %v, want kitchen", got)
	}
	if _, err := w.Store.Channels.Get(t.Context(), domain.ChannelKey("garden").Address()); err != nil {
		t.Errorf("the next incarnation: %v", err)
	}
	w.MustBeSound()
}

func openAccountsAreListed(t *testing.T, w *world) {
	w.Ask(w.Create("garden", ada))
	for _, user := range []domain.UserName{ada, ada, grace, eve} {
		e := domain.Erasure{User: user, ID: domain.NewIncarnation()}
		w.OK(w.Store.Operator.RenewOpen(t.Context(), e.Ref(), domain.Now()))
	}
	for limit, want := range map[int]int{2: 2, 3: 3, 100: 3} {
		users, err := w.Store.Operator.OpenAccounts(t.Context(), limit)
		slices.Sort(users)
		if n := len(slices.Compact(users)); err != nil || n != want || slices.Contains(users, "") {
			t.Errorf("of at most %d, they are %q, %v", limit, users, err)
		}
	}
}

// A delayed duplicate of its insert has brought the row back, and maybe the owner has asked again.
func rowThatCameBackGoes(t *testing.T, w *world) {
	for _, asked := range []bool{false, true} {
		channel := w.Create("garden", ada)
		row := w.Rows("Channels")[0]
		if w.Ask(channel); asked {
			row = w.Rows("Channels")[0]
		}
		w.CarryOut(w.Messages())
		w.OK(w.Table("Channels").Transact(t.Context(), row.Partition, driver.Insert(row.Row, row.Properties...)))
		if ungated := w.pass().Ungated; (ungated == 1) == asked {
			t.Errorf("asked again %t: %d rows without a gate are counted", asked, ungated)
		}
		w.pass()
		if rows := w.Rows("Channels"); len(rows)+len(w.openDeletions()) != 0 {
			t.Errorf("asked again %t: left: %v, and the index has %v", asked, rows, w.openDeletions())
		}
	}
}

// The web role dies between the index and the message. Its clock may have been a day ahead.
func diedRequestLeavesIndex(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		bubble(func(t *testing.T, w *world) {
			channel := w.Create("garden", ada)
			w.Arm(drivertest.Only(func(call drivertest.Call) bool { return call.Method == "Send" },
				func(context.Context, drivertest.Call, drivertest.Send) error { return drivertest.ErrInjected }))
			if _, err := w.Faulty.Deletions.Request(t.Context(), channel.Key(), domain.By(ada), storetest.AnyIncarnation); err == nil {
				t.Fatal("a request that was to die succeeded")
			}
			if ahead {
				w.Postdate("Deletions", 24*time.Hour)
			} else {
				time.Sleep(time.Hour - time.Second)
				if w.pass(); len(w.openDeletions()) != 1 {
					t.Error("the row of a request that may be under way is gone")
				}
				time.Sleep(time.Second)
			}
			if w.pass(); len(w.openDeletions()) != 0 {
				t.Error("the row of a request that died is left")
			}
			w.Post(channel, grace, "still there")
		})(t)
	}
}

// stallsForHours makes requests stall for two hours before they write the record, in which a pass gives them up.
func (w *world) stallsForHours(then drivertest.Hook) {
	stalled := false
	w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == "Users" { // the list says when it was requested, and the index when it was renewed
			time.Sleep(time.Second)
		}
		if drivertest.Writes(call) && call.Target == "Deletions" && !strings.HasPrefix(call.Partition, "open!") && !stalled {
			stalled = true
			time.Sleep(2 * time.Hour)
			if w.pass(); len(w.openDeletions()) != 0 {
				w.T.Error("the index has the request still")
			}
		}
		return then(ctx, call, send)
	})
}

// The message is lost, and the process dies before it sets the channel pending.
func givenUpIsRecorded(t *testing.T, w *world) {
	channel, asked := w.Create("garden", ada), time.Now()
	w.Post(channel, ada, "a post")
	w.stallsForHours(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if drivertest.Writes(call) && call.Target == "Channels" {
			w.Messages()
			return drivertest.ErrInjected
		}
		return send(ctx)
	})
	if _, err := w.Faulty.Deletions.Request(t.Context(), channel.Key(), domain.By(ada), storetest.AnyIncarnation); !errors.Is(err, drivertest.ErrInjected) {
		t.Fatalf("the request ends with %v", err)
	}
	time.Sleep(time.Hour)
	w.pass()
	if d := w.deletion(channel.Ref()); d.State != domain.DeletionUndone || d.RequestedOn.After(asked.Add(time.Minute)) {
		t.Errorf("for ever, the deletion of %s is %s, as of %s", asked, d.State, d.RequestedOn)
	}
	if violations, _ := w.Check(false); len(violations) > 0 {
		t.Errorf("a check finds %v", violations)
	}
	w.mustLive(channel)
}

func givenUpFails(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Post(channel, ada, "a post")
	w.stallsForHours(drivertest.Pass)
	if _, err := w.Faulty.Deletions.Request(t.Context(), channel.Key(), domain.By(ada), storetest.AnyIncarnation); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("the request ends with %v", err)
	}
	w.mustLive(channel)
	w.askUndoable(channel)
	if d := w.deletion(channel.Ref()); d.State != domain.DeletionPending || d.UndoCount != 1 || len(w.openDeletions()) != 1 {
		t.Errorf("the next request is recorded as %+v, and on the index is %v", d, w.openDeletions())
	}
}

// A creation failed, and its delayed insert has left a row without a gate. A worker drops the message before the
// request has written the record.
func reclaimedIsDone(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Ungate(channel)
	w.Arm(drivertest.Only(func(call drivertest.Call) bool {
		return drivertest.Writes(call) && call.Target == "Deletions" && call.Partition == string(channel.Key())
	}, storetest.Before(1, func() {
		w.Create("garden", eve)
		for _, m := range w.Messages() {
			if over, err := w.Store.Operator.RecordReceived(t.Context(), m); err != nil || !over {
				t.Errorf("a worker goes on: %t, %v", !over, err)
			}
		}
		time.Sleep(time.Hour - time.Second)
		w.pass()
	})))
	_, err := w.Faulty.Deletions.Request(t.Context(), channel.Key(), domain.By(ada), storetest.AnyIncarnation)
	w.OK(err)
	time.Sleep(time.Hour)
	if again := w.pass().Requeued; again != 1 {
		t.Errorf("a later pass queues %d deletions again, want 1", again)
	}
	w.CarryOut(w.Messages())
	if w.pass(); w.deletion(channel.Ref()).State != domain.DeletionDone || len(w.openDeletions()) != 0 {
		t.Errorf("the deletion is %+v, and the index has %v", w.deletion(channel.Ref()), w.openDeletions())
	}
	w.MustBeSound()
}

func recordedMeanwhileStaysOnIndex(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Post(channel, ada, "a post")
	recording := func(call drivertest.Call) bool {
		return drivertest.Writes(call) && call.Target == "Deletions" && call.Partition == string(channel.Key())
	}
	w.Arm(drivertest.Only(recording, drivertest.FailBefore(1)))
	if _, err := w.Faulty.Deletions.Request(t.Context(), channel.Key(), domain.By(ada), storetest.AnyIncarnation); err == nil {
		t.Fatal("a request that was to stall went on")
	}
	lost := w.Messages()
	time.Sleep(2 * time.Hour)
	w.Arm(drivertest.Only(recording, storetest.Before(1, func() { w.OK(w.Store.Operator.RecordDeletion(t.Context(), lost[0])) })))
	_, err := w.Faulty.Operator.Reconcile(t.Context(), storetest.Patience, time.Now())
	if w.OK(err); len(w.openDeletions()) != 1 {
		t.Error("no pass will look at the record")
	}
	time.Sleep(time.Hour)
	if again := w.pass().Requeued; again != 1 {
		t.Errorf("a later pass queues %d deletions again, want 1", again)
	}
	w.mustLive(channel)
	if d := w.deletion(channel.Ref()); d.State != domain.DeletionUndone {
		t.Errorf("in the end, the deletion is %s", d.State)
	}
}

func passMeetsOthers(t *testing.T, w *world) {
	over, died := w.Create("garden", ada), w.Create("kitchen", ada)
	w.Ask(over)
	w.CarryOut(w.Messages())
	w.OK(w.Store.Operator.RenewOpen(t.Context(), died.Ref(), domain.Now()))
	time.Sleep(time.Hour)
	meets := func(table string, meanwhile func()) {
		w.T.Helper()
		w.Arm(drivertest.Only(func(call drivertest.Call) bool { return call.Target == table && call.Writes() }, storetest.Before(1, meanwhile)))
		_, err := w.Faulty.Operator.Reconcile(t.Context(), storetest.Patience, time.Now())
		w.OK(err)
	}
	meets("Channels", func() {
		w.OK(w.Table("Channels").Transact(t.Context(), "kitchen", driver.Merge("", driver.Exists)))
	})
	if got := w.openDeletions(); !slices.Equal(got, []string{"kitchen"}) {
		t.Errorf("after a write of a channel, the index has %v", got)
	}
	meets("Deletions", func() { w.OK(w.Store.Operator.RenewOpen(t.Context(), died.Ref(), domain.Now())) })
	if got := w.openDeletions(); !slices.Equal(got, []string{"kitchen"}) {
		t.Errorf("after a renewal, the index has %v", got)
	}
}

func passMeetsRequeue(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Ask(channel)
	w.Poison()
	w.Arm(drivertest.Only(func(call drivertest.Call) bool {
		return call.Writes() && call.Target == "Deletions" && call.Partition == string(channel.Key())
	}, storetest.Before(1, func() { w.requeue("") })))
	_, err := w.Faulty.Operator.Reconcile(t.Context(), storetest.Patience, time.Now())
	if got := w.openDeletions(); err != nil || !slices.Equal(got, []string{"garden"}) {
		t.Errorf("the pass ends with %v, and the index has %v", err, got)
	}
}

func poisonLeavesIndex(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Ask(channel)
	w.Poison()
	w.pass()
	w.Arm(drivertest.Pass)
	_, err := w.Faulty.Operator.Reconcile(t.Context(), storetest.Patience, time.Now())
	w.OK(err)
	if n := w.Calls.Load(); n != 1 || len(w.openDeletions()) != 0 {
		t.Errorf("a pass over poison made %d requests, and the index has %v", n, w.openDeletions())
	}
	if n := w.requeue(""); n != 1 || len(w.openDeletions()) != 1 {
		t.Errorf("requeued %d, and the index has %v", n, w.openDeletions())
	}
	w.Messages() // lost
	time.Sleep(2 * storetest.Patience)
	w.pass()
	w.CarryOut(w.Messages())
	if _, err := w.Store.Channels.Get(t.Context(), channel.Key().Address()); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("its message is lost again, and the channel reads %v", err)
	}
}

// index reads the index of open deletions.
func (w *world) index(table string) []driver.Entity {
	w.T.Helper()
	return slices.DeleteFunc(w.AllRows(table), func(row driver.Entity) bool { return !storetest.IsIndex(row) })
}

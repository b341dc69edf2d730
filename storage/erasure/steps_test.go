package erasure_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/erasure"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
)

func TestErasureSteps(t *testing.T) {
	t.Run("a channel that another has made under a former name of theirs stays", bubble(erasureSparesNextOwner))
	t.Run("the deletion of a channel that could be undone is due once its owner's is", bubble(erasureWaitsForNoUndo))
	t.Run("channels that are being deleted do not hold it up, and theirs loses its posts", bubble(erasurePassesDyingChannels))
	t.Run("a post that was kept stays when the next of the name is deleted", drivertest.Long(bubble(keptPostStays)))
	t.Run("a session that was there to undo is worth nothing past the pivot, nor for the next of the name", drivertest.Long(bubble(pivotEndsSessions)))
	t.Run("the message of a request that was undone does not delete what the next one is about", bubble(undoneMessageIsIgnored))
	t.Run("the index forgets a request that was undone before it was recorded", bubble(indexForgetsUndone))
	t.Run("a list that cannot be read, or a row that cannot be removed, is an error", bubble(failedStepsFail))
	t.Run("an undo that died before its record is recorded by a worker", bubble(undoIsRecorded))
	t.Run("an undo that meets another write of the account is made", bubble(undoMeetsOtherWrite))
	t.Run("an undo that meets the request undoes it", bubble(undoMeetsRequest))
	t.Run("an undo that meets the pivot comes too late, and one of nothing is no error", bubble(undoMeetsPivot))
	t.Run("an undo holds against a request that was never answered, and whose write comes later", bubble(undoOfRequestUnderWay))
	t.Run("the index forgets one that is over", bubble(indexForgetsOver))
	t.Run("what its user has made is not shown while it waits for an operator", bubble(poisonedIsNotShown))
	t.Run("no vote of its user is left on a post whose own deletion waits for an operator", bubble(voteOnPoisonedPostGoes))
	t.Run("a request that died before it changed the account is recorded as undone, and the index forgets it", bubble(givenUpIsRecorded))
	t.Run("a request stays on the index if the pass that gives it up dies before it records that", bubble(givenUpStaysOnIndex))
	t.Run("a request that a pass has given up begins again", bubble(givenUpBeginsAgain))
	t.Run("an earlier record does not delete the next user of the name", drivertest.Long(bubble(recordSparesNextOfName)))
	t.Run("no write of it that arrives again changes what the next user of the name has", bubble(lateWritesSpareNextOfName))
	t.Run("a worker that dies before its last record does not make the deletion look undone", bubble(buriedIsDone))
	t.Run("an account is buried last, even if its row is written just then", bubble(buryMeetsOtherWrite))
	t.Run("one call in twenty that is refused in the channels does not keep it from its end", bubble(refusedCallsKeepProgress))
	t.Run("what is still under way in a channel that refuses once does not land", bubble(fenceIsTriedAgain))
	t.Run("the record of one that was undone, or is done, is removed, and a later message writes none", bubble(erasureRecordGoes))
}

// ends makes a worker delete the account, and takes the record of that.
func (l *leaving) ends(keep bool) domain.Deletion {
	l.T.Helper()
	l.ask(keep)
	l.gone()
	d, err := l.Store.Deletions.Get(l.T.Context(), l.state().Ref(), domain.By(leaver))
	l.OK(err)
	return d
}

// returns signs up with the name again, once it is free.
func (l *leaving) returns() {
	l.T.Helper()
	l.SleepClosed(domain.NameKept + time.Hour)
	_, err := l.Store.Operator.SignUp(l.T.Context(), string(leaver), leaverPass)
	l.OK(err)
}

func erasureSparesNextOwner(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.OK(l.Store.Operator.EraseChannel(t.Context(), l.victim.Key(), leaver))
	if still, err := l.Store.Channels.Get(t.Context(), l.victim.Key().Address()); err != nil || still != l.victim {
		t.Errorf("the channel of another is read as %+v, %v", still, err)
	}
}

func erasureWaitsForNoUndo(t *testing.T) {
	l := newLeaving(t, storage.Options{Undo: domain.MaxUndo})
	_, err := l.Store.Deletions.Request(t.Context(), l.own.Key(), domain.By(leaver), domain.OneOf(l.own.Incarnation))
	l.OK(err)
	if n := len(l.Messages()); n != 0 {
		t.Errorf("while the deletion can be undone, %d messages are visible", n)
	}
	l.OK(l.Store.Operator.EraseChannel(t.Context(), l.own.Key(), leaver))
	row, err := l.Store.Operator.ReadChannel(t.Context(), l.own.Key())
	l.OK(err)
	if n := len(l.Messages()); n != 1 || row.State != domain.ChannelDeleting {
		t.Errorf("once it cannot, %d messages are visible, and the channel is %s", n, row.State)
	}
}

// Their post and their vote are in channels behind a shut gate, as their own is, whose deletions come no further.
func erasurePassesDyingChannels(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	for _, dying := range []domain.Channel{l.victim, l.bystander, l.own} {
		_, err := l.Store.Deletions.Request(t.Context(), dying.Key(), domain.By(dying.Owner), domain.OneOf(dying.Incarnation))
		l.OK(err)
		l.OK(l.Store.Operator.Messages().Delete(t.Context(), l.Receive()))
		_, err = l.Store.Operator.ShutGate(t.Context(), dying.Ref())
		l.OK(err)
	}
	if d := l.ends(false); d.Attempts > 0 {
		t.Errorf("it took %d failed attempts", d.Attempts)
	}
	if left := l.Texts(l.own.Ref()); len(left) > 0 {
		t.Errorf("in their channel, posts are left: %q", left)
	}
}

// A delayed duplicate of the request that put the post on its author's list lands on that of the next.
func keptPostStays(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.ends(true)
	l.returns()
	l.OK(l.Store.Operator.ListPosts(t.Context(), leaver, l.post))
	l.ends(false)
	if post, err := l.Store.Posts.Get(t.Context(), l.post.Channel, l.post.ID); err != nil || post.UserID != domain.DeletedUser {
		t.Errorf("the post is read as %+v, %v", post, err)
	}
	l.mustBeErased()
}

// dies makes the faulty side end before the first call that is so.
func (l *leaving) dies(before func(call drivertest.Call) bool) {
	var dead atomic.Bool
	l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if dead.Load() || before(call) {
			dead.Store(true)
			return drivertest.ErrInjected
		}
		return send(ctx)
	}
}

// works runs a worker on the faulty side, and then takes what the account's row says.
func (l *leaving) works() domain.Erasure {
	l.T.Helper()
	stop := l.start(l.Faulty)
	time.Sleep(2 * time.Minute) // for a reconciling pass
	stop()
	return l.state()
}

func pivotEndsSessions(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	asked := l.ask(false)
	token, _, err := l.Store.Accounts.SignIn(t.Context(), l.attempt())
	l.OK(err)
	time.Sleep(time.Until(asked.UndoableUntil) + time.Hour)
	l.dies(func(call drivertest.Call) bool {
		return call.Method == driver.CallRange && call.Target == schema.TableUsers
	})
	if e := l.works(); e.State != domain.AccountErasing {
		t.Fatalf("the account is %+v", e)
	}
	for _, then := range []func(){l.gone, l.returns, func() {}} {
		if _, err := l.Store.Accounts.Session(t.Context(), token, ""); !errors.Is(err, domain.ErrNotSignedIn) {
			t.Errorf("past the pivot, the session is %v", err)
		}
		then()
	}
}

func undoneMessageIsIgnored(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	former := l.ask(false)
	time.Sleep(undoAccount / 2)
	l.undo()
	l.ask(false)
	time.Sleep(time.Until(former.UndoableUntil) + time.Hour)
	l.OK(l.Store.Operator.Messages().Send(t.Context(), former.Message().Encode()))
	if e := l.works(); e.State != domain.AccountPending {
		t.Errorf("while it can be undone, the account is %q", e.State)
	}
	l.undo()
	l.mustBeSound()
}

func indexForgetsUndone(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	indexed := func(partition string) bool { return strings.HasPrefix(partition, schema.OpenPrefix) }
	l.dies(func(call drivertest.Call) bool {
		return call.Method == driver.CallSend || call.Method == driver.CallTransact && call.Target == schema.TableDeletions && !indexed(call.Partition)
	})
	_, _ = l.askOn(l.Faulty, false)
	former := l.state()
	if former.State != domain.AccountPending {
		t.Fatalf("the request has left the account %+v", former)
	}
	time.Sleep(undoAccount / 2)
	l.undo()
	l.ask(false)
	time.Sleep(time.Until(former.UndoableUntil) + time.Hour)
	if rows, e := l.indexed(), l.state(); rows != 1 || e.State != domain.AccountPending {
		t.Errorf("the index has %d rows, and the account is %q", rows, e.State)
	}
}

// indexed counts the rows of the index after some passes.
func (l *leaving) indexed() int {
	l.T.Helper()
	stop := l.start(l.Store)
	time.Sleep(5 * time.Minute)
	stop()
	return l.onIndex()
}

func (l *leaving) onIndex() int {
	l.T.Helper()
	return len(l.AllRows(schema.TableDeletions)) - len(l.Rows(schema.TableDeletions)) - 1 // the version is no index
}

func failedStepsFail(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	for what, step := range map[string]struct {
		fails drivertest.Hook
		take  func(context.Context, domain.Message, erasure.Removed) error
	}{
		"a list":         {drivertest.Only(func(call drivertest.Call) bool { return call.Target == schema.TableUsers }, drivertest.FailBefore(1)), l.Faulty.Operator.EraseVotes},
		"a subscription": {drivertest.Only(drivertest.Writes, drivertest.FailBefore(1)), l.Faulty.Operator.EraseSubscriptions},
	} {
		rows := 0
		take := func() error {
			return step.take(t.Context(), domain.Message{RequestedBy: leaver}, func(n int) error { rows += n; return nil })
		}
		l.Arm(step.fails)
		if err := take(); err == nil || rows > 0 {
			t.Errorf("%s that failed ends with %v, and %d rows", what, err, rows)
		}
		l.Arm(drivertest.Pass)
		if err := take(); err != nil || rows == 0 {
			t.Errorf("%s is removed with %v, and %d rows", what, err, rows)
		}
	}
}

func undoIsRecorded(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	l.ask(false)
	l.dies(func(call drivertest.Call) bool { return call.Writes() && call.Target == schema.TableDeletions })
	if _, err := l.Faulty.Accounts.Undo(t.Context(), leaver, domain.By(leaver)); err == nil {
		t.Error("the undo has not died")
	}
	time.Sleep(undoAccount + time.Hour)
	rows := l.indexed()
	if records := l.Rows(schema.TableDeletions); rows != 0 || len(records) != 1 || deletion.Decode(records[0]).State != domain.DeletionUndone {
		t.Errorf("the index has %d rows, and the records are %v", rows, records)
	}
}

func undoMeetsOtherWrite(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	l.ask(false)
	l.Arm(drivertest.Only(drivertest.Writes, storetest.Before(1, func() {
		l.OK(l.Table(schema.TableUsers).Transact(t.Context(), string(leaver), driver.Merge("", driver.Exists)))
	})))
	if _, err := l.Faulty.Accounts.Undo(t.Context(), leaver, domain.By(leaver)); err != nil || l.state().State != domain.AccountActive {
		t.Errorf("it ends with %v, and the account is %q", err, l.state().State)
	}
}

func undoMeetsRequest(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	l.Arm(drivertest.Only(drivertest.Writes, storetest.Before(1, func() { l.ask(false) })))
	undone, err := l.Faulty.Accounts.Undo(t.Context(), leaver, domain.By(leaver))
	if err != nil || undone.ID == "" || l.state().State != domain.AccountActive {
		t.Errorf("it undoes %+v, %v, and the account is %q", undone, err, l.state().State)
	}
}

// A pass that gives up an earlier request writes the row.
func buryMeetsOtherWrite(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.ask(false)
	buries := func(call drivertest.Call) bool {
		return call.Target == schema.TableUsers && len(call.Operations) > 0 && call.Operations[0].Action == driver.ActionReplace
	}
	l.Arm(drivertest.Only(buries, storetest.Before(1, func() {
		rows, err := l.Table(schema.TableUsers).First(t.Context(), 2, driver.Range{Partition: string(leaver)})
		if l.OK(err); len(rows) != 1 {
			t.Errorf("next to an account that is about to be buried lies %q", rows[1].Row)
		}
		l.OK(l.Table(schema.TableUsers).Transact(t.Context(), string(leaver), driver.Merge("", driver.Exists)))
	})))
	m := l.state().Message()
	_, err := l.Store.Operator.BeginErasure(t.Context(), m)
	l.OK(err)
	l.OK(l.Faulty.Operator.EraseAccount(t.Context(), m, func(int) error { return nil }))
	if e := l.state(); e.State != domain.AccountGone {
		t.Errorf("the account is %s", e.State)
	}
}

func undoMeetsPivot(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	if undone, err := l.Store.Accounts.Undo(t.Context(), leaver, domain.By(leaver)); err != nil || undone.ID != "" {
		t.Errorf("without a deletion it undoes %+v, %v", undone, err)
	}
	l.ask(false)
	l.Arm(drivertest.Only(drivertest.Writes, storetest.Before(1, func() {
		l.OK(l.Table(schema.TableUsers).Transact(t.Context(), string(leaver),
			driver.Merge("", driver.Exists, driver.String(schema.PropState, domain.AccountErasing))))
	})))
	if undone, err := l.Faulty.Accounts.Undo(t.Context(), leaver, domain.By(leaver)); !errors.Is(err, domain.ErrTooLate) {
		t.Errorf("past the pivot it undoes %+v, %v", undone, err)
	}
}

func indexForgetsOver(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.ends(false)
	if rows := l.indexed(); rows != 0 {
		t.Errorf("the index has %d rows", rows)
	}
}

// A pass has seen that the deletion waits for an operator.
func poisonedIsNotShown(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	ctx := t.Context()
	l.ask(false)
	time.Sleep(undoAccount + time.Hour)
	for range 2 {
		_, err := l.Store.Operator.Reconcile(ctx, storetest.Patience, time.Now())
		l.OK(err)
		l.Poison()
	}
	l.OK(l.Store.Accounts.FindLeaving(ctx))
	_, err := l.Store.Channels.Get(ctx, l.own.Key().Address())
	_, unread := l.Store.Posts.Get(ctx, l.victim.Ref(), l.post.ID)
	if err == nil || unread == nil {
		t.Errorf("the account is %s, and what its user has made is shown", l.state().State)
	}
	if n, err := l.Store.Operator.Requeue(ctx, ""); err != nil || n != 1 {
		t.Errorf("requeued %d, %v", n, err)
	}
	l.gone()
	l.mustBeErased()
}

// The record keeps a request that stalls from opening the deletion while no pass would read it.
func givenUpIsRecorded(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.dies(func(call drivertest.Call) bool {
		return call.Method == driver.CallTransact && call.Target == schema.TableUsers
	})
	_, err := l.askOn(l.Faulty, false)
	if before := len(l.AllRows(schema.TableDeletions)); err == nil || before != 2 { // with the version
		t.Fatalf("the request has left %d rows, and ends with %v", before, err)
	}
	time.Sleep(2 * time.Hour)
	rows := l.indexed()
	if records := l.Rows(schema.TableDeletions); rows != 0 || len(records) != 1 || deletion.Decode(records[0]).State != domain.DeletionUndone {
		t.Errorf("the index has %d rows, and the records are %v", rows, records)
	}
}

// Otherwise a request that stalls could still insert a record, which no pass would read.
func givenUpStaysOnIndex(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.dies(func(call drivertest.Call) bool {
		return call.Method == driver.CallTransact && call.Target == schema.TableUsers
	})
	if _, err := l.askOn(l.Faulty, false); err == nil {
		t.Fatal("the request did not die")
	}
	time.Sleep(2 * time.Hour)
	l.dies(func(call drivertest.Call) bool {
		return drivertest.Writes(call) && call.Target == schema.TableDeletions && strings.HasPrefix(call.Partition, "@")
	})
	_, err := l.Faulty.Operator.Reconcile(t.Context(), storetest.Patience, time.Now())
	if rows := l.onIndex(); err == nil || rows != 1 {
		t.Errorf("the pass ends with %v, and the index has %d rows", err, rows)
	}
	if rows := l.indexed(); rows != 0 {
		t.Errorf("after another pass, the index has %d rows", rows)
	}
}

func givenUpBeginsAgain(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.Arm(drivertest.Only(drivertest.Writes, storetest.Before(2, func() { // after the index, before the account
		time.Sleep(2 * time.Hour)
		if rows := l.indexed(); rows != 0 {
			t.Errorf("the index has %d rows", rows)
		}
	})))
	_, err := l.askOn(l.Faulty, false)
	l.OK(err)
	l.gone() // which demands that the record says so
	l.mustBeErased()
}

// The next user does what the former did.
func lateWritesSpareNextOfName(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	var writing sync.Mutex
	var writes []driver.Call
	l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallTransact && call.Partition == schema.UserPartition(leaver) {
			writing.Lock()
			writes = append(writes, *call)
			writing.Unlock()
		}
		return send(ctx)
	}
	_, err := l.askOn(l.Faulty, false)
	l.OK(err)
	stop := l.start(l.Faulty)
	l.until("the account is gone", func() bool { return l.state().State == domain.AccountGone })
	stop()
	l.gone()
	l.Postdate(schema.TableUsers, -domain.NameKept-time.Hour)
	_, err = l.Store.Operator.SignUp(t.Context(), string(leaver), leaverPass)
	l.OK(err)
	l.createBy("Own", leaver)
	l.OK(l.Store.Posts.Vote(t.Context(), l.voted.Channel, l.voted.ID, leaver))
	l.OK(l.Store.Subscriptions.Create(t.Context(), l.victim, leaver))
	has := func() string { return fmt.Sprint(l.Rows(schema.TableUsers), l.Rows(schema.TableSubscriptions)) }
	before := has()
	for _, late := range writes {
		err := l.Table(late.Target).Transact(t.Context(), late.Partition, late.Operations...)
		if now := has(); now != before {
			t.Fatalf("%+v (%v) makes of\n%s\nthis:\n%s", late.Operations, err, before, now)
		}
	}
	if len(writes) < 5 {
		t.Errorf("of its writes, %d arrive again", len(writes))
	}
}

func recordSparesNextOfName(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.ends(false)
	records, err := l.Store.Operator.DeletionRecords(t.Context())
	l.OK(err)
	l.returns()
	if n, err := l.Store.Operator.RepeatDeletions(t.Context(), records); err != nil || n != 0 || l.state().State != domain.AccountActive {
		t.Errorf("%d deletions were repeated, and the account is %q, %v", n, l.state().State, err)
	}
}

func buriedIsDone(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.ask(false)
	l.dies(func(call drivertest.Call) bool { // after the account is buried
		return call.Target == schema.TableDeletions && l.state().State == domain.AccountGone
	})
	if e := l.works(); e.State != domain.AccountGone {
		t.Fatalf("the account is %+v", e)
	}
	l.gone() // which demands that the record says so
}

func refusedCallsKeepProgress(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	for i := range 32 {
		to := l.Create(fmt.Sprint("Many", i), ada)
		l.OK(l.Store.Posts.Vote(t.Context(), to.Ref(), l.Post(to, leaver, "one").ID, leaver))
	}
	l.ask(false)
	var calls atomic.Int64
	l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == schema.TableBlogs && calls.Add(1)%20 == 0 {
			return errors.New("refused")
		}
		return send(ctx)
	}
	stop := l.start(l.Faulty)
	time.Sleep(time.Hour)
	stop()
	d, err := l.Store.Deletions.Get(t.Context(), l.state().Ref(), domain.By(leaver))
	if err != nil || d.State != domain.DeletionDone {
		t.Errorf("an hour later, the deletion is %s at step %s after %d attempts, %v", d.State, d.Step, d.Attempts, err)
	}
	l.gone()
	l.mustBeErased()
}

func fenceIsTriedAgain(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	before := l.rules()
	refused := false
	l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Partition == schema.ChannelPartition(l.victim.Key()) && drivertest.Writes(call) && !refused {
			refused = true
			return errors.New("refused")
		}
		return send(ctx)
	}
	l.ask(false)
	if e := l.works(); e.State != domain.AccountGone || !refused {
		t.Errorf("the account is %+v, refused %t", e, refused)
	}
	for channel, rule := range l.rules() {
		if before[channel] == rule {
			t.Errorf("what was sent to channel %s may still take effect", channel)
		}
	}
}

// rules are the rows by which others may post, and vote.
func (l *leaving) rules() map[string]string {
	l.T.Helper()
	rules := map[string]string{}
	for row, err := range driver.NewTable(l.DB, schema.TableBlogs).All(l.T.Context(), driver.Scan{}) {
		l.OK(err)
		if schema.PostingRule.Has(row.Row) {
			rules[row.Partition] = row.Row
		}
	}
	return rules
}

// The request to delete was told that the store does not answer, and its write takes effect after the undo.
func undoOfRequestUnderWay(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	var late func() error
	l.Hook = func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Target == schema.TableUsers && len(call.Operations) > 0 && call.Operations[0].Properties.String(schema.PropState) == string(domain.AccountPending) {
			kept := *call
			late = func() error {
				return driver.NewTable(l.DB, kept.Target).Transact(l.T.Context(), kept.Partition, kept.Operations...)
			}
			return drivertest.ErrInjected
		}
		return send(ctx)
	}
	if _, err := l.askOn(l.Faulty, false); !errors.Is(err, domain.ErrUnavailable) || late == nil {
		t.Fatal(err)
	}
	l.undo() // the page says that the account stays
	err := late()
	if e := l.state(); e.State != domain.AccountActive {
		t.Errorf("after the undo, the account is %s (%v)", e.State, err)
	}
}

func voteOnPoisonedPostGoes(t *testing.T) {
	l := newLeaving(t, storage.Options{})
	l.OK(l.Store.Posts.Delete(t.Context(), l.bystander, l.voted.ID, domain.By(grace), domain.Any[domain.Revision]()))
	l.Poison()
	l.ask(false)
	l.gone()
	if l.Has(l.bystander.Key(), schema.VoteRow(l.voted.ID, leaver)) {
		t.Error("the vote is left")
	}
	for _, v := range l.Violations() {
		t.Errorf("reported %+v", v)
	}
}

func erasureRecordGoes(t *testing.T) {
	l := newLeaving(t, storage.Options{UndoAccount: undoAccount})
	prune := func(want int) {
		t.Helper()
		if n, err := l.Store.Operator.Prune(t.Context(), 0); err != nil || n != want {
			t.Errorf("%d rows go, %v, want %d", n, err, want)
		}
	}
	l.ask(false)
	l.undo()
	time.Sleep(undoAccount + domain.ClockMargin)
	_, err := l.Store.Operator.Reconcile(t.Context(), storetest.Patience, time.Now())
	l.OK(err)
	prune(1)
	asked := l.ask(false)
	prune(0)
	if d, err := l.Store.Deletions.Get(t.Context(), asked.Ref(), domain.By(leaver)); err != nil || d.State != domain.DeletionPending {
		t.Errorf("the record of one that can be undone is read as %+v, %v", d, err)
	}
	time.Sleep(undoAccount + domain.ClockMargin)
	l.gone()
	prune(2) // and that of their channel
	if over, err := l.Store.Operator.RecordReceived(t.Context(), asked.Message()); err != nil || !over {
		t.Errorf("a message that comes later is over: %t, %v", over, err)
	}
	if rows := l.Rows("Deletions"); len(rows) != 0 {
		t.Errorf("these are left: %v", rows)
	}
	l.mustBeErased()
}

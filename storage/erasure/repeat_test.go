package erasure_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/account"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
	"microblogging/storage/schema"
	"microblogging/worker"
)

// A store is restored from a backup, and asks again for what a later store has recorded. These tests take each
// state that came back with each record.
func TestRepeatDeletions(t *testing.T) {
	t.Run("of channels keep each promise, whatever came back", repeatsOfChannels)
	t.Run("of accounts keep each promise, whatever came back", repeatsOfAccounts)
	t.Run("begin after each undo was repeated", bubble(undosAreRepeatedFirst))
	t.Run("go by the row of a later store whose process died before it recorded an undo, or the end", rowsCorrectRecords)
}

// What must hold of a channel or an account that came back.
const (
	kept   = "kept"   // it can be read, and stays
	absent = "absent" // another has the name, or none, and the record is not about that
	ends   = "ends"   // no page shows it, it cannot be undone, and it goes
	late   = "late"   // no page shows it, and it goes; no time that was promised is to come
	first  = "first"  // it goes, but not before the time that was told before the backup, until which an undo holds
	second = "second" // the same, of the time that the record says
	waits  = "waits"  // no page shows it, and an operator has to requeue its message
)

// The columns of the tables: a pending record whose time is to come, one whose time is over, an undone record, and
// one of a deletion that a worker has begun.
const recordColumns = 4

// records are those of a column, of a request that was made just now.
func recordsOf(column int, request domain.Deletion) (records []domain.Deletion) {
	states := [recordColumns][]domain.DeletionState{
		{domain.DeletionPending}, {domain.DeletionPending}, {domain.DeletionUndone},
		{domain.DeletionQueued, domain.DeletionRunning, domain.DeletionPoisoned, domain.DeletionDone},
	}[column]
	for _, state := range states {
		d := request
		if d.State = state; column > 0 && request.State == "" {
			d.RequestedOn, d.UndoableUntil = request.RequestedOn.Add(-2*time.Minute), request.RequestedOn.Add(-time.Second)
		}
		records = append(records, d)
	}
	return records
}

const (
	// undoTold is how long a channel's deletion could be undone before the backup, which was taken after half of it.
	undoTold = time.Minute
	// undoSecond is until when the later request can be undone, from the restore on.
	undoSecond = 3 * time.Minute
)

// A restored channel is one that came back.
type restored struct {
	*leaving
	channel domain.Channel
	undos   int64
	// told is until when the deletion that came back could be undone.
	told time.Time
}

func newRestored(t *testing.T) *restored {
	w := storetest.NewOf(t, storage.Options{Undo: undoTold})
	r := &restored{leaving: &leaving{World: w, options: worker.Options{
		Lease: 30 * time.Second, Reconcile: time.Minute, Concurrency: 4, MaxAttempts: 5, Log: slog.New(slog.DiscardHandler),
	}}}
	r.channel = r.Create("Garden", ada)
	r.Post(r.channel, ada, "there")
	r.OK(r.Store.Posts.Delete(t.Context(), r.channel, r.Post(r.channel, ada, "gone").ID, domain.By(ada), domain.Any[domain.Revision]()))
	r.Finish(r.Messages())
	return r
}

// deletePost asks for the deletion of a post, whose process then dies.
func (r *restored) deletePost(post domain.Blog) {
	r.T.Helper()
	r.dies(func(call drivertest.Call) bool { return drivertest.Writes(call) && call.Target == schema.TableBlogs })
	if err := r.Faulty.Posts.Delete(r.T.Context(), r.channel, post.ID, domain.By(ada), domain.Any[domain.Revision]()); err == nil {
		r.T.Fatal("the process did not die")
	}
}

// askFor asks for the deletion of the channel on a side of the store.
func (r *restored) askFor(s *storage.Parts) {
	r.T.Helper()
	_, err := s.Deletions.Request(r.T.Context(), r.channel.Key(), domain.By(ada), storetest.AnyIncarnation)
	if s == r.Store {
		r.OK(err)
	}
	r.told = domain.Now().Add(undoTold)
}

func (r *restored) undoChannel() {
	r.T.Helper()
	undone, err := r.Store.Deletions.Undo(r.T.Context(), r.channel.Ref(), domain.By(ada))
	r.OK(err)
	r.undos = undone.UndoCount
}

// channelRow is what the row of the channel says; nothing once that is gone.
func (r *restored) channelRow() domain.Channel {
	r.T.Helper()
	channel, err := r.Store.Operator.ReadChannel(r.T.Context(), r.channel.Key())
	if errors.Is(err, domain.ErrNotFound) {
		return domain.Channel{}
	}
	r.OK(err)
	return channel.Channel
}

// A channelCase is a state in which a channel came back, and what must hold with each record: without one; of an
// earlier request than the one that the channel's undo count belongs to, if there can be one; of that; of a later one.
type channelCase struct {
	name                 string
	back                 func(r *restored)
	without              string
	earlier, same, later string // one word for each column
}

func channelCases() []channelCase {
	asked := func(r *restored) { r.askFor(r.Store) }
	undone := func(r *restored) { r.askFor(r.Store); r.undoChannel() }
	return []channelCase{
		{"gone", func(r *restored) { r.channel.Incarnation = domain.NewIncarnation() }, absent, "", "absent absent absent absent", "absent absent absent absent"},
		{"active", func(*restored) {}, kept, "", "second late kept ends", "second late kept ends"},
		{"active, undone", undone, kept, "kept kept kept kept", "second late kept ends", "second late kept ends"},
		{"deleted", func(r *restored) {
			asked(r)
			stop := r.start(r.Store)
			time.Sleep(5 * time.Minute)
			stop()
		}, late, "", "late late late late", "late late late late"},
		{"active, and a request has sent its message", func(r *restored) {
			r.dies(func(call drivertest.Call) bool {
				return drivertest.Writes(call) && call.Target == schema.TableDeletions && call.Partition == string(r.channel.Key())
			})
			r.askFor(r.Faulty)
		}, late, "", "second late kept ends", "second late kept ends"},
		{"active, undone, and a request has sent its message", func(r *restored) {
			undone(r)
			r.dies(func(call drivertest.Call) bool {
				return drivertest.Writes(call) && call.Target == schema.TableDeletions && call.Partition == string(r.channel.Key())
			})
			r.askFor(r.Faulty)
		}, late, "", "second late kept ends", "second late kept ends"},
		{"active, and a request has written its record", func(r *restored) {
			r.dies(func(call drivertest.Call) bool { return drivertest.Writes(call) && call.Target == schema.TableChannels })
			r.askFor(r.Faulty)
		}, first, "", "first first kept ends", "second late kept ends"},
		{"pending", asked, first, "", "first first kept ends", "second late kept ends"},
		{"pending, undone before", func(r *restored) { undone(r); asked(r) }, first, "first first first first", "first first kept ends", "second late kept ends"},
		{"pending, and its message is lost", func(r *restored) {
			asked(r)
			time.Sleep(undoTold)
			r.Messages()
			r.told = domain.Now()
		}, late, "", "late late kept ends", "second late kept ends"},
		{"pending and poisoned", func(r *restored) {
			asked(r)
			time.Sleep(undoTold)
			r.Poison()
		}, waits, "", "waits waits kept ends", "second late kept ends"},
		{"deleting", func(r *restored) { r.askFor(storage.New(r.DB, storage.Options{})) }, ends, "", "ends ends ends ends", "ends ends ends ends"},
	}
}

func repeatsOfChannels(t *testing.T) {
	for _, c := range channelCases() {
		run := func(name, want string, records func(r *restored) []domain.Deletion) {
			t.Run(c.name+", and "+name, func(t *testing.T) {
				for _, undo := range []bool{false, true} {
					if !undo || want == first || want == second {
						synctest.Test(t, func(t *testing.T) { repeatOfChannel(t, c, records, want, undo) })
					}
				}
			})
		}
		run("no record", c.without, func(*restored) []domain.Deletion { return nil })
		for of, words := range map[int64]string{-1: c.earlier, 0: c.same, 2000: c.later} {
			for column, want := range strings.Fields(words) {
				for i, state := range recordsOf(column, domain.Deletion{}) {
					run(fmt.Sprintf("a record (%d) says %s of %+d", column, state.State, of), want, func(r *restored) []domain.Deletion {
						return recordsOf(column, r.recordOf(r.undos+of))[i : i+1]
					})
				}
			}
		}
	}
}

// recordOf is a record of the request with this undo count: that which came back, if there is one, because no
// request replaces that of another one with the same count.
func (r *restored) recordOf(undos int64) domain.Deletion {
	r.T.Helper()
	d := domain.Deletion{
		Channel: r.channel.Ref(), Name: r.channel.Name, RequestedBy: ada, RequestedOn: domain.Now(),
		UndoCount: undos, UndoableUntil: domain.Now().Add(undoSecond),
	}
	records, err := r.Store.Operator.DeletionRecords(r.T.Context())
	r.OK(err)
	for _, is := range records {
		if is.Channel == d.Channel && is.UndoCount == undos {
			return is
		}
	}
	return d
}

func repeatOfChannel(t *testing.T, c channelCase, recorded func(*restored) []domain.Deletion, want string, undo bool) {
	r := newRestored(t)
	waiting := r.Post(r.channel, ada, "waiting")
	of := r.channel
	c.back(r)
	if want != absent {
		r.deletePost(waiting)
	}
	time.Sleep(undoTold / 2) // until the backup
	records := recorded(r)
	for again := range 2 {
		n, err := r.Store.Operator.RepeatDeletions(t.Context(), records)
		if err != nil || n > 0 && again > 0 {
			t.Fatalf("%d deletions are repeated, %v", n, err)
		}
	}
	began := r.channelRow()
	if hidden := began.State != domain.ChannelActive; hidden != (want != kept && want != absent) && (records != nil || want == kept) {
		t.Errorf("the channel is %s", began.State)
	}
	if want == ends && began.State != domain.ChannelDeleting {
		t.Errorf("the channel is %s, and can be undone", began.State)
	}
	stop := r.start(r.Store)
	if want == first || want == second {
		until := r.told
		if want == second {
			until = records[0].UndoableUntil
		}
		time.Sleep(time.Until(until) - time.Second)
		if state := r.channelRow().State; state != domain.ChannelPending && state != domain.ChannelActive {
			t.Errorf("the channel is %q before the time that was promised", state)
		}
		if undo {
			r.undoChannel()
			want = kept
		}
	}
	time.Sleep(15 * time.Minute)
	stop()
	switch left := r.channelRow(); {
	case want == kept && !slices.Equal(r.Texts(r.channel.Ref()), []string{"there"}):
		t.Errorf("the posts are %q", r.Texts(r.channel.Ref()))
	case want == kept && left.State != domain.ChannelActive, want == absent && left.Incarnation != of.Incarnation, want == waits && left.State != domain.ChannelPending:
		t.Errorf("in the end the channel is %q", left.State)
	case (want == ends || want == late || want == first || want == second) && left.State != "":
		t.Errorf("in the end the channel is %q", left.State)
	}
	if want != waits {
		r.mustBeSoundWithin(time.Minute)
	}
}

// A worker runs while the deletion of another channel is asked for again.
func undosAreRepeatedFirst(t *testing.T) {
	l := newLeaving(t, storage.Options{Undo: undoTold})
	ref := l.Ask(l.bystander)
	time.Sleep(undoTold)
	undone, err := l.Store.Operator.DeletionRecords(t.Context())
	l.OK(err)
	undone[0].State = domain.DeletionUndone
	again := domain.Deletion{Channel: l.victim.Ref(), Name: l.victim.Name, RequestedBy: ada, RequestedOn: domain.Now(), State: domain.DeletionQueued}
	l.Arm(drivertest.Only(func(call drivertest.Call) bool {
		return drivertest.Writes(call) && call.Target == schema.TableChannels && call.Partition == string(l.victim.Key())
	}, storetest.Before(1, func() { l.CarryOut(l.Messages()) })))
	n, err := l.Faulty.Operator.RepeatDeletions(t.Context(), append([]domain.Deletion{again}, undone...))
	if posts := l.Texts(ref); err != nil || n != 1 || len(posts) != len(l.kept) {
		t.Errorf("%d deletions are repeated, %v, and the channel whose deletion was undone has %q", n, err, posts)
	}
}

// rowsCorrectRecords: an undo that is sent again after its process died is acknowledged, and the record does not say so.
func rowsCorrectRecords(t *testing.T) {
	recording := func(call drivertest.Call) bool {
		return drivertest.Writes(call) && call.Target == schema.TableDeletions
	}
	for name, c := range map[string]struct {
		act   func(l *leaving) error
		want  domain.DeletionState
		undos int64 // the undo count of the latest request that was undone
	}{
		"the undo of a channel": {func(l *leaving) error {
			_, err := l.Store.Deletions.Request(l.T.Context(), l.victim.Key(), domain.By(ada), storetest.AnyIncarnation)
			l.OK(err)
			l.dies(recording)
			_, err = l.Faulty.Deletions.Undo(l.T.Context(), l.victim.Ref(), domain.By(ada))
			return err
		}, domain.DeletionUndone, 0},
		"the undo of a request that died after its message, and after an undo": {func(l *leaving) error {
			_, err := l.Store.Deletions.Request(l.T.Context(), l.victim.Key(), domain.By(ada), storetest.AnyIncarnation)
			l.OK(err)
			_, err = l.Store.Deletions.Undo(l.T.Context(), l.victim.Ref(), domain.By(ada))
			l.OK(err)
			l.dies(func(call drivertest.Call) bool { return recording(call) && call.Partition == string(l.victim.Key()) })
			_, died := l.Faulty.Deletions.Request(l.T.Context(), l.victim.Key(), domain.By(ada), storetest.AnyIncarnation)
			_, err = l.Store.Deletions.Undo(l.T.Context(), l.victim.Ref(), domain.By(ada))
			l.OK(err)
			return died
		}, domain.DeletionUndone, 1},
		"the undo of an account": {func(l *leaving) error {
			l.ask(false)
			l.dies(recording)
			_, err := l.Faulty.Accounts.Undo(l.T.Context(), leaver, domain.By(leaver))
			return err
		}, domain.DeletionUndone, 0},
		"the end of an account": {func(l *leaving) error {
			l.ask(false)
			time.Sleep(2 * undoAccountTold)
			l.dies(func(call drivertest.Call) bool { return recording(call) && l.state().State == domain.AccountGone })
			l.works()
			return drivertest.ErrInjected
		}, domain.DeletionRunning, 0},
		"the next account of a name": {func(l *leaving) error {
			l.ask(false)
			time.Sleep(2 * undoAccountTold)
			l.gone()
			l.returns()
			return drivertest.ErrInjected
		}, domain.DeletionDone, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLeaving(t, storage.Options{Undo: undoTold, UndoAccount: undoAccountTold})
				if c.act(l) == nil {
					t.Fatal("the process did not die")
				}
				records, err := l.Store.Operator.DeletionRecords(t.Context())
				l.OK(err)
				for _, d := range records {
					if of := d.Channel; of.Key != l.own.Key() && (d.State != c.want || d.UndoCount != c.undos) {
						t.Errorf("the record of %s says %s of %d, want %s of %d", of.Key, d.State, d.UndoCount, c.want, c.undos)
					}
				}
				if len(records) == 0 {
					t.Error("there is no record")
				}
			})
		})
	}
}

// undoAccountTold and undoAccountSecond are as for channels.
const (
	undoAccountTold   = time.Hour
	undoAccountSecond = 3 * time.Hour
)

// An accountCase is a state in which an account came back, and what must hold with each record: of the request
// that it came back with, if there is one; and of a later one.
type accountCase struct {
	name        string
	back        func(l *leaving)
	without     string
	same, later string
}

func accountCases() []accountCase {
	asked := func(l *leaving) { l.ask(false) }
	dies := func(l *leaving, before func(call drivertest.Call) bool) {
		l.dies(func(call drivertest.Call) bool { return call.Method == driver.CallTransact && before(call) })
		if _, err := l.askOn(l.Faulty, false); err == nil {
			l.T.Fatal("the process did not die")
		}
	}
	return []accountCase{
		{"active", func(*leaving) {}, kept, "", "second late kept ends"},
		{"active, and made just before by a clock that is ahead", func(l *leaving) {
			l.Postdate(schema.TableUsers, 10*time.Minute+domain.ClockMargin-time.Minute)
		}, kept, "", "second late kept ends"},
		{"active, undone", func(l *leaving) { asked(l); l.undo() }, kept, "kept kept kept kept", "second late kept ends"},
		{"active, and a request is on the index", func(l *leaving) {
			dies(l, func(call drivertest.Call) bool { return call.Target == schema.TableUsers })
		}, kept, "", "second late kept ends"},
		{"closing", asked, first, "first first kept ends", "second late kept ends"},
		{"closing, and not recorded", func(l *leaving) {
			dies(l, func(call drivertest.Call) bool {
				return call.Target == schema.TableDeletions && strings.HasPrefix(call.Partition, "@")
			})
		}, first, "first first kept ends", "second late kept ends"},
		{"past the pivot", func(l *leaving) {
			asked(l)
			_, err := l.Store.Operator.BeginErasure(l.T.Context(), l.state().Message())
			l.OK(err)
		}, late, "late late late late", "late late late late"},
		{"gone", func(l *leaving) { asked(l); time.Sleep(2 * undoAccountTold); l.gone() }, late, "late late late late", "late late late late"},
		{"another user’s", func(l *leaving) {
			asked(l)
			time.Sleep(2 * undoAccountTold)
			l.gone()
			l.returns()
			l.own = l.createBy("Own", leaver)
		}, kept, "kept kept kept kept", ""},
	}
}

func repeatsOfAccounts(t *testing.T) {
	for _, c := range accountCases() {
		run := func(name, want string, records func(l *leaving) []domain.Deletion) {
			t.Run(c.name+", and "+name, func(t *testing.T) {
				for _, undo := range []bool{false, true} {
					if !undo || want == first || want == second {
						synctest.Test(t, func(t *testing.T) { repeatOfAccount(t, c, records, want, undo) })
					}
				}
			})
		}
		run("no record", c.without, func(*leaving) []domain.Deletion { return nil })
		for of, words := range map[string]string{"the same": c.same, "a later": c.later} {
			for column, want := range strings.Fields(words) {
				for i, state := range recordsOf(column, domain.Deletion{}) {
					run(fmt.Sprintf("a record (%d) says %s of %s request", column, state.State, of), want, func(l *leaving) []domain.Deletion {
						return recordsOf(column, l.accountRecord(of == "the same"))[i : i+1]
					})
				}
			}
		}
	}
}

// accountRecord is a record of a request to delete the account: of that which came back, or of a later one.
func (l *leaving) accountRecord(same bool) domain.Deletion {
	l.T.Helper()
	if !same {
		later := domain.Erasure{User: leaver, ID: domain.NewIncarnation()}
		return domain.Deletion{Channel: later.Ref(), RequestedBy: leaver, RequestedOn: domain.Now(), UndoableUntil: domain.Now().Add(undoAccountSecond)}
	}
	records, err := l.Store.Operator.DeletionRecords(l.T.Context())
	if l.OK(err); len(records) > 0 {
		return records[0]
	}
	e := l.state()
	return domain.Deletion{Channel: e.Ref(), RequestedBy: leaver, RequestedOn: e.RequestedOn, UndoableUntil: e.UndoableUntil, State: domain.DeletionPending}
}

func repeatOfAccount(t *testing.T, c accountCase, recorded func(*leaving) []domain.Deletion, want string, undo bool) {
	l := &leaving{World: storetest.NewOf(t, storage.Options{UndoAccount: undoAccountTold}), options: worker.Options{
		Lease: 30 * time.Second, Reconcile: time.Minute, Concurrency: 4, MaxAttempts: 5, Log: slog.New(slog.DiscardHandler),
	}}
	_, err := l.Store.Operator.SignUp(t.Context(), string(leaver), leaverPass)
	l.OK(err)
	l.own = l.createBy("Own", leaver)
	time.Sleep(10 * time.Minute) // since when there were no requests
	told := domain.Now().Add(undoAccountTold)
	c.back(l)
	time.Sleep(10 * time.Minute) // until the backup
	records := recorded(l)
	for again := range 2 {
		n, err := l.Store.Operator.RepeatDeletions(t.Context(), records)
		if err != nil || n > 0 && again > 0 {
			t.Fatalf("%d deletions are repeated, %v", n, err)
		}
	}
	if state := l.state().State; (state == domain.AccountActive) != (want == kept) || want == ends && state != domain.AccountErasing {
		t.Errorf("the account is %s", state)
	}
	stop := l.start(l.Store)
	if want == first || want == second {
		until := told
		if want == second {
			until = records[0].UndoableUntil
		}
		time.Sleep(time.Until(until) - time.Second)
		if state := l.state().State; state != domain.AccountPending {
			t.Errorf("the account is %s before the time that was promised", state)
		}
		if undo {
			l.undo()
			want = kept
		}
	}
	time.Sleep(2 * time.Hour)
	stop()
	if state := l.state().State; want == kept && state != domain.AccountActive || want != kept && state != domain.AccountGone {
		t.Errorf("in the end the account is %s", state)
	}
	if _, err := l.Store.Operator.ReadChannel(t.Context(), l.own.Key()); (err == nil) != (want == kept) {
		t.Errorf("their channel is read with %v", err)
	}
	if _, _, err := l.Store.Accounts.SignIn(t.Context(), account.Attempt{Name: string(leaver), Password: leaverPass}); (err == nil) != (want == kept) {
		t.Errorf("they sign in with %v", err)
	}
	l.mustBeSoundWithin(time.Minute)
}

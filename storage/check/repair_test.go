package check_test

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
	"microblogging/storage/schema"
)

func TestRepair(t *testing.T) {
	t.Run("row that changed since it was read is not deleted", repairNeverDeletesChangedRow)
	t.Run("whose answer is lost is reported", lostRepairIsReported)
	t.Run("of a post of a user who is gone, in a channel that lost its gate, leaves it and its row on the list", bubble(ungatedPostIsLeft))
	t.Run("channel that lost its gate keeps its posts until its owner deletes it", bubble(lostGateIsLeft))
	t.Run("join row of a dead joiner is not counted, and is deleted once it is old", bubble(joinRowOfDeadJoinerIsNotCounted))
	t.Run("deletes the subscription of a user whom the channel does not know", bubble(danglingSubscriptionGoes))
	t.Run("of a rating goes by its votes, and a vote on no post is deleted", bubble(ratingIsRecounted))
	t.Run("late row on the list of a user who is gone is deleted, and one of the next user of the name stays", bubble(lateListRowIsDeleted))
	t.Run("account whose deletion is not on the index is not deleted before that is due", bubble(unnamedErasureWaits))
}

// Its rows are removed once its owner has deleted it.
func lostGateIsLeft(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Post(channel, grace, "one")
	w.remove(channel.Key(), storetest.OpenGateRow(channel.Incarnation))
	if _, _, err := w.Store.Channels.Create(t.Context(), w.NewChannel("garden", eve), domain.PostersOpen, "", 0); !errors.Is(err, domain.ErrExists) {
		t.Errorf("who wants the name is told %v", err)
	}
	violations, _ := w.Check(true)
	if len(violations) != 1 || violations[0].Invariant != "I9" || !strings.HasPrefix(violations[0].Repaired, "left: ") || len(w.Texts(channel.Ref())) != 1 {
		t.Errorf("repaired %+v, and the posts are %q", violations, w.Texts(channel.Ref()))
	}
	w.Delete(channel)
	w.Check(true)
	if violations, _ := w.Check(false); len(violations) != 0 || len(w.Rows("Blogs")) != 0 {
		t.Errorf("after its deletion: %+v, %+v", violations, w.Rows("Blogs"))
	}
}

// A repair takes effect, and its answer is lost: nothing else says what was there.
func lostRepairIsReported(t *testing.T) {
	for _, plant := range plants() {
		t.Run(plant.name, bubble(func(t *testing.T, w *world) {
			plant.found(w)
			before := w.snapshot()
			w.Arm(drivertest.Only(drivertest.Writes, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
				_ = send(ctx) // the answer that is lost
				return drivertest.ErrInjected
			}))
			reported := 0
			_, err := w.Faulty.Operator.NewChecker(storetest.Patience, true, func(domain.Violation) { reported++ }).Run(t.Context())
			for key := range before {
				if _, still := w.snapshot()[key]; !still && reported == 0 {
					t.Errorf("the repair removed %+v, and reported nothing: %v", key, err)
				}
			}
		}))
	}
}

func ungatedPostIsLeft(t *testing.T, w *world) {
	w.account(lea)
	channel := w.Create("garden", ada)
	post := w.Post(channel, lea, "one")
	w.remove(channel.Key(), storetest.OpenGateRow(channel.Incarnation))
	w.leave(lea)
	w.work()
	for _, listed := range []bool{false, true} {
		if listed {
			w.OK(w.Store.Operator.ListPosts(t.Context(), lea, post))
		}
		for range 2 {
			violations, _ := w.Check(true)
			if got := places(violations); !slices.Contains(got, found("I12", "Blogs", "garden", "blog!"+string(post.ID))[0]) {
				t.Errorf("listed %t: repaired %q", listed, got)
			}
			for _, b := range violations {
				if !strings.HasPrefix(b.Repaired, "left: ") {
					t.Errorf("listed %t: repaired %+v", listed, b)
				}
			}
		}
	}
	if len(w.OnList(lea)) != 1 {
		t.Error("the row that leads to the post is gone")
	}
}

// A repair deletes only the version that it read. A row that another process has
// written since stays.
func repairNeverDeletesChangedRow(t *testing.T) {
	for _, plant := range plants() {
		if plant.again {
			continue
		}
		t.Run(plant.name, bubble(func(t *testing.T, w *world) {
			plant.found(w)
			touched := map[string][]driver.Entity{}
			w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
				for _, op := range call.Operations {
					if op.Action == driver.ActionDelete {
						touched[call.Target] = append(touched[call.Target], w.touch(call, op))
					}
				}
				return send(ctx)
			})
			_, err := w.Faulty.Operator.NewChecker(storetest.Patience, true, func(b domain.Violation) {
				if b.Repaired == "deleted" && b.Table == "Blogs" {
					t.Errorf("reported as deleted: %+v", b)
				}
			}).Run(t.Context())
			w.OK(err)
			for table, rows := range touched {
				for _, row := range rows {
					if _, err := w.Table(table).Get(t.Context(), row.Partition, row.Row); err != nil {
						t.Errorf("%s has changed, and is deleted: %v", row.Row, err)
					}
				}
			}
		}))
	}
}

// touch writes to the row that a repair is about to delete, and returns it.
func (w *world) touch(call drivertest.Call, op driver.Operation) driver.Entity {
	w.T.Helper()
	if _, conditional := op.If.ETag(); !conditional {
		w.T.Errorf("a repair deletes %q in any version", op.Row)
	}
	for _, row := range w.Rows(call.Target) {
		if row.Row == op.Row {
			w.OK(w.Table(call.Target).Transact(w.T.Context(), row.Partition, driver.Merge(row.Row, driver.Exists)))
			return row
		}
	}
	w.T.Fatalf("a repair deletes %q, which is not there", op.Row)
	panic("unreachable")
}

func joinRowOfDeadJoinerIsNotCounted(t *testing.T, w *world) {
	channel := w.Create("garden", ada)
	w.Insert("garden", "join!grace", channel.Incarnation, driver.Time("SubscribedOn", time.Now()))
	if n, _, err := w.Store.Subscriptions.Count(t.Context(), channel.Ref()); n != 1 || err != nil {
		t.Errorf("%d subscribers are counted, %v, want the owner alone", n, err)
	}
	for _, old := range []bool{false, true} {
		if violations, _ := w.Check(true); len(violations) != 0 || w.Has("garden", "join!grace") == old {
			t.Errorf("old %v: a repair found %+v, and left the row: %v", old, violations, !old)
		}
		time.Sleep(storetest.Patience)
	}
}

func ratingIsRecounted(t *testing.T, w *world) {
	want := votePlant().found(w)
	if violations, _ := w.Check(true); !slices.Equal(places(violations), want) {
		t.Errorf("repaired %+v, want %q", violations, want)
	}
	if violations, _ := w.Check(false); len(violations) != 0 {
		t.Errorf("after the repair: %+v", violations)
	}
}

// The rows name a post that lea chose to keep, and a channel of ada.
func lateListRowIsDeleted(t *testing.T, w *world) {
	w.account(lea)
	garden := w.Create("garden", ada)
	post := w.Post(garden, lea, "kept")
	_, err := w.Store.Accounts.Delete(t.Context(), storage.Attempt{Name: string(lea), Password: password}, true)
	w.OK(err)
	w.work()
	garden.Owner = lea
	for _, again := range []bool{false, true} {
		w.OK(w.Store.Operator.ListPosts(t.Context(), lea, post))
		w.OK(w.Store.Operator.ListChannel(t.Context(), garden))
		w.Arm(func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
			if again && call.Method == driver.CallGet && call.Partition == string(lea) {
				w.account(lea)
			}
			return send(ctx)
		})
		_, err := w.Faulty.Operator.NewChecker(storetest.Patience, true, func(b domain.Violation) { t.Errorf("reported %+v", b) }).Run(t.Context())
		w.OK(err)
		if _, err := w.Table("Users").Get(t.Context(), string(lea), schema.OwnedRow("garden")); (err == nil) != again || (len(w.OnList(lea)) > 0) != again {
			t.Errorf("another has the name %t: the rows are %q, %v", again, w.OnList(lea), err)
		}
		w.SleepClosed(domain.NameKept + time.Hour)
	}
}

func unnamedErasureWaits(t *testing.T, w *world) {
	w.account(lea)
	_, err := w.undoable(w.DB).Accounts.Delete(t.Context(), storage.Attempt{Name: string(lea), Password: password}, false)
	w.OK(err)
	for _, want := range []string{"indexed", "queued"} {
		for _, row := range w.AllRows("Deletions") {
			w.OK(w.Table("Deletions").Transact(t.Context(), row.Partition, driver.Delete(row.Row, driver.Exists)))
		}
		violations, _ := w.Check(true)
		if messages := w.Messages(); len(violations) != 1 || violations[0].Repaired != want || (len(messages) == 1) != (want == "queued") {
			t.Errorf("repaired %+v, want %q, and sent %+v", violations, want, messages)
		}
		time.Sleep(undoAccount + domain.ClockMargin)
	}
}

// unlist takes a post off its author's list.
func (w *world) unlist(blog domain.Blog) {
	w.T.Helper()
	w.OK(w.Table("Users").Transact(w.T.Context(), string(blog.UserID), driver.Delete("wrote!"+string(blog.ID), driver.Exists)))
}

func danglingSubscriptionGoes(t *testing.T, w *world) {
	channel := w.Create("Garden", ada)
	_, err := w.Store.Operator.SignUp(t.Context(), string(eve), "a long enough one 9")
	w.OK(err)
	w.OK(w.Store.Subscriptions.Create(t.Context(), channel, eve))
	w.OK(w.Table(schema.TableBlogs).Transact(t.Context(), schema.ChannelPartition(channel.Key()), driver.Delete(schema.SubRow(eve), driver.Exists)))
	w.Check(true)
	if joined, err := w.Store.Subscriptions.Joined(t.Context(), eve); err != nil || len(joined) > 0 {
		t.Errorf("the user's own rows say %+v, %v", joined, err)
	}
}

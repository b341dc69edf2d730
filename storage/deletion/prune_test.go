package deletion_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/internal/storetest"
)

func TestPrune(t *testing.T) {
	t.Run("the record of a deletion and its row on the list go when the channel is gone and the time is over", bubble(prunedInTime))
	t.Run("nothing goes that is about a channel that is there", bubble(pruneKeepsWhatIsThere))
	t.Run("every entry of a user's lists goes that leads to a channel that is gone", bubble(prunesLists))
	t.Run("a row of a deletion that has another record, or none, goes with its channel", bubble(prunesUnrecorded))
	t.Run("a record that changes after it was read stays, with its row on the list", bubble(pruneSparesChangedRecord))
	t.Run("at most eight records go concurrently", bubble(prunesEightTogether))
	t.Run("what another program wrote does not stop it", bubble(prunePassesForeignRows))
	t.Run("a failure leaves no violation, and the next call removes the rest", pruneFails)
}

const kept = 90 * 24 * time.Hour

func (w *world) prune(keep time.Duration) (removed int) {
	w.T.Helper()
	removed, err := w.Store.Operator.Prune(w.T.Context(), keep)
	w.OK(err)
	return removed
}

// ended makes a channel with a post and a vote, and deletes it.
func (w *world) ended(name string) domain.ChannelRef {
	w.T.Helper()
	channel := w.Create(name, ada)
	w.Vote(w.Post(channel, grace, "post"), 0, 1)
	w.Ask(channel)
	w.CarryOut(w.Messages())
	return channel.Ref()
}

// listEntries are the rows of all users that lead to an incarnation.
func (w *world) listEntries() (entries []string) {
	for _, row := range w.Rows("Users") {
		if row.Row != "" && !strings.HasPrefix(row.Row, "owned!") {
			entries = append(entries, row.Partition+" "+row.Row)
		}
	}
	return entries
}

// records counts the rows of Deletions that are records.
func (w *world) records() (n int) {
	for _, row := range w.Rows("Deletions") {
		if !strings.Contains(row.Partition, "!") {
			n++
		}
	}
	return n
}

func prunedInTime(t *testing.T, w *world) {
	first := w.ended("garden")
	time.Sleep(time.Hour)
	w.ended("garden") // the same name again
	w.SleepClosed(kept - time.Hour - time.Second)
	for _, step := range []struct {
		after   time.Duration
		removed int
	}{{0, 1}, {time.Second, 2}, {time.Hour - time.Second, 0}, {time.Second, 2}} { // first the name on its owner's list
		time.Sleep(step.after)
		if n := w.prune(kept); n != step.removed {
			t.Errorf("after %s more, %d rows go, want %d", step.after, n, step.removed)
		}
		w.MustBeSound()
	}
	if _, err := w.Store.Deletions.Get(t.Context(), first, domain.By(ada)); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("the record of a deletion that ended long ago is read with %v", err)
	}
	if listed, rows := w.deletionsListed(ada, 10), w.Rows("Users"); w.records() != 0 || len(listed) != 0 || len(rows) != 0 {
		t.Errorf("%d records are left, %q on the page, and %v on the lists", w.records(), listed, rows)
	}
}

func pruneKeepsWhatIsThere(t *testing.T, w *world) {
	undone, poisoned := w.Create("undone", ada), w.Create("poisoned", ada)
	post := w.Post(undone, grace, "post")
	w.Vote(post, 0, 1)
	w.OK(w.Store.Posts.Unvote(t.Context(), post.Channel, post.ID, "voter0"))
	w.OK(w.undo(w.askUndoable(undone), ada))
	w.Ask(poisoned)
	w.Poison()
	before := fmt.Sprint(w.Rows("Deletions"), w.Rows("Users"))
	w.SleepClosed(10 * kept)
	if n := w.prune(kept); n != 0 || fmt.Sprint(w.Rows("Deletions"), w.Rows("Users")) != before {
		t.Errorf("%d rows go, and %q are left on the lists", n, w.listEntries())
	}
}

// The lists have more entries than a transaction can remove, and some of a channel that is there.
func prunesLists(t *testing.T, w *world) {
	stays, goes := w.Create("stays", ada), w.Create("goes", ada)
	kept := []string{string(grace) + " wrote!" + string(w.Post(stays, grace, "post").ID)}
	posts := make([]domain.Blog, 2*driver.MaxOperations+1)
	for i := range posts {
		posts[i] = domain.Blog{ID: domain.NewBlogID(domain.Now()), Channel: goes.Ref()}
	}
	w.OK(w.Store.Operator.ListPosts(t.Context(), grace, posts...)) // of requests that died
	post := w.Post(goes, ada, "post")
	w.Vote(post, 0, 3)
	for n := range 3 {
		w.OK(w.Store.Posts.Unvote(t.Context(), post.Channel, post.ID, domain.UserName(fmt.Sprintf("voter%d", n))))
	}
	w.Ask(goes)
	w.CarryOut(w.Messages())
	if n := w.prune(0); n != len(posts)+3+2 {
		t.Errorf("%d rows go, want %d posts, 3 votes, and a record with its row on the list", n, len(posts))
	}
	if entries := w.listEntries(); !slices.Equal(entries, kept) {
		t.Errorf("%q are left on the lists, want %q", entries, kept)
	}
	w.MustBeSound()
}

// A user has asked twice concurrently, and one request died before its record.
func prunesUnrecorded(t *testing.T, w *world) {
	channel, other := w.Create("garden", ada), w.Create("other", ada)
	w.Ask(channel)
	message := w.Messages()[0]
	again := message
	again.RequestedOn = again.RequestedOn.Add(time.Second)
	w.OK(w.Store.Operator.ListDeletion(t.Context(), again))
	w.OK(w.Store.Operator.ListDeletion(t.Context(), domain.Message{Channel: other.Key(), Incarnation: other.Incarnation, RequestedBy: ada, RequestedOn: again.RequestedOn}))
	w.SleepClosed(kept + time.Minute)
	w.CarryOut([]domain.Message{message})
	if n := w.prune(kept); n != 2 {
		t.Errorf("%d rows go, want that of the deletion which has another record, and that of the owner", n)
	}
	if listed := w.deletionsListed(ada, 10); !slices.Equal(listed, []string{"garden"}) {
		t.Errorf("the list is %q", listed)
	}
	w.Delete(other)
	w.OK(w.Store.Operator.ListDeletion(t.Context(), domain.Message{Channel: other.Key(), Incarnation: other.Incarnation, RequestedBy: ada, RequestedOn: domain.Now()}))
	if n := w.prune(kept); n != 2 {
		t.Errorf("%d rows go, want that of the deletion which has none, that of the owner, and not that of a request which may be under way", n)
	}
}

func isPrune(call drivertest.Call) bool {
	return call.Target == "Deletions" && call.Method == "Transact" && call.Operations[0].Action == driver.ActionDelete
}

func pruneSparesChangedRecord(t *testing.T, w *world) {
	ref := w.ended("garden")
	w.Arm(drivertest.Only(isPrune, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		w.OK(w.Table("Deletions").Transact(ctx, string(ref.Key), driver.Merge(string(ref.Incarnation), driver.Exists)))
		return send(ctx)
	}))
	if n, err := w.Faulty.Operator.Prune(t.Context(), 0); n != 0 || err != nil {
		t.Errorf("%d rows go, %v", n, err)
	}
	w.MustBeSound()
	if n := w.prune(0); n != 2 {
		t.Errorf("%d rows go with the next call, want 2", n)
	}
}

func prunesEightTogether(t *testing.T, w *world) {
	for i := range 20 {
		w.ended(fmt.Sprintf("garden%d", i))
	}
	var now, most atomic.Int64
	w.Arm(drivertest.Only(isPrune, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		defer now.Add(-1)
		n := now.Add(1)
		time.Sleep(time.Second) // in the bubble: every transaction that can start has started
		most.Store(max(most.Load(), n))
		return send(ctx)
	}))
	n, err := w.Faulty.Operator.Prune(t.Context(), 0)
	if w.OK(err); n != 40 || most.Load() != 8 {
		t.Errorf("%d rows go, %d records concurrently, want 40 rows, and 8 concurrently", n, most.Load())
	}
}

// The embedded store refuses such rows, so they are on the way from it only.
func prunePassesForeignRows(t *testing.T, w *world) {
	w.ended("garden")
	foreign := func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		err := send(ctx)
		if call.Method == "Scan" {
			incarnation := string(domain.NewIncarnation())
			listed := driver.Properties{driver.String("Channel", "garden"), driver.String("Incarnation", incarnation)}
			call.Page.Rows = append(call.Page.Rows, driver.Entity{Partition: "gärten", Row: incarnation, ETag: "1"},
				driver.Entity{Partition: "grace", Row: "wrote!ä", ETag: "1", Properties: listed},
				driver.Entity{Partition: "grace", Row: "owned!gärten", ETag: "1"},
				driver.Entity{Partition: "müller", Row: "owned!garden", ETag: "1"},
				driver.Entity{Partition: "müller", Row: "voted!a", ETag: "1", Properties: listed},
				driver.Entity{Partition: "grace", Row: "requested!yesterday!garden!" + incarnation, ETag: "1"},
				driver.Entity{Partition: "grace", Row: "wrote!b", ETag: "1", Properties: driver.Properties{driver.String("Channel", "gärten")}})
		}
		return err
	}
	w.Arm(foreign)
	if n, err := w.Faulty.Operator.Prune(t.Context(), 0); n != 2 || err != nil {
		t.Errorf("%d rows go, %v, want 2", n, err)
	}
}

func pruneFails(t *testing.T) {
	for _, fault := range storetest.CallFaults {
		eachCall(t, fault.Name, func(w *world, n int) {
			w.ended("garden")
			w.ended("meadow")
			post := w.Post(w.Create("stays", ada), grace, "post")
			w.Arm(fault.At(n))
			_, err := w.Faulty.Operator.Prune(w.T.Context(), 0)
			if err != nil && !errors.Is(err, domain.ErrUnavailable) {
				w.T.Error(err)
			}
			w.MustBeSound()
			w.prune(0)
			if entries := w.listEntries(); w.records() != 0 || !slices.Equal(entries, []string{string(grace) + " wrote!" + string(post.ID)}) {
				w.T.Errorf("%d records are left, and %q on the lists", w.records(), entries)
			}
			w.MustBeSound()
		})
	}
}

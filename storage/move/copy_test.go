package move_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"microblogging/domain"
	"microblogging/lab/mem"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
	"microblogging/storage/move"
	"microblogging/storage/schema"
	"microblogging/storage/version"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCopy(t *testing.T) {
	content := makeSite(t)
	for sentence, test := range map[string]func(*testing.T, mem.Snapshot){
		"carries all rows and messages": carriesAll,
		"goes on wherever it was killed, or lost a reply": func(t *testing.T, content mem.Snapshot) {
			drivertest.Long(func(t *testing.T) { goesOn(t, content, mem.Open(content, "whole")) })(t)
		},
		"refuses a target that is in use":                                         refusesTargets,
		"that has ended is compared, and never goes on":                           endedIsCompared,
		"of a store to itself does nothing":                                       toItself,
		"changes nothing once a role has begun, although its writes arrive again": lateWritesChangeNothing,
		"refuses a store of another version":                                      refusesVersions,
		"of an empty store is the store it was":                                   copiesToPrepared,
		"waits for messages that are not visible":                                 waitsForMessages,
		"sends each message, however often it was killed":                         sendsAll,
		"fails if either side is written to meanwhile": func(t *testing.T, content mem.Snapshot) {
			synctest.Test(t, func(t *testing.T) { changeFails(t, content) }) // a copy that failed holds messages for a while
		},
		"halves a transaction that is too large":          halves,
		"tells how many rows it walked over, and no more": tellsProgress,
	} {
		t.Run(sentence, func(t *testing.T) { test(t, content) })
	}
}

// enoughPosts make three rows each: more than a transaction holds.
const enoughPosts = 35

// makeSite is the content of a store with some of everything.
func makeSite(t *testing.T) mem.Snapshot {
	t.Helper()
	db := mem.Open(mem.Snapshot{}, "made")
	store := storage.New(db, storage.Options{})
	ctx := t.Context()
	ok(t, store.Operator.Prepare(ctx))
	_, err := store.Operator.SignUp(ctx, "ada", "correct horse battery")
	ok(t, err)
	for _, name := range []string{"garden", "pond"} {
		channel, err := domain.NewChannel(name, domain.About{}, "ada")
		ok(t, err)
		channel, _, err = store.Channels.Create(ctx, channel, domain.PostersOpen, "", 0)
		ok(t, err)
		for i := range enoughPosts {
			draft, err := domain.ParseDraft(domain.Draft{Text: fmt.Sprintf("%s %d", name, i)})
			ok(t, err)
			blog, _, err := store.Posts.Create(ctx, storage.NewPost{
				Channel: channel, By: "ada", Key: fmt.Sprint(i), Draft: draft, CreatedOn: domain.Now()})
			ok(t, err)
			if i%10 == 0 {
				ok(t, store.Posts.Vote(ctx, channel.Ref(), blog.ID, "eve"))
			}
		}
		ok(t, store.Subscriptions.Create(ctx, channel, "eve"))
	}
	_, err = store.Deletions.Request(ctx, "pond", domain.By("ada"), domain.Any[domain.Incarnation]())
	ok(t, err)
	ok(t, store.Operator.Messages().Send(ctx, "not a message"))
	return db.Snapshot()
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func side(name string, db driver.Backend) move.Side { return move.Side{Name: name, Backend: db} }

// open returns a store with that content, and an empty one.
func open(content mem.Snapshot) (from, to *mem.DB) {
	return mem.Open(content, "from"), mem.Open(mem.Snapshot{}, "to")
}

func copyStore(t *testing.T, from, to move.Side) (move.Result, error) {
	t.Helper()
	return move.Copy(t.Context(), from, to, move.Options{Flight: 4})
}

// rows are all rows of a store without their versions, in words.
func rows(db *mem.DB) []string {
	var list []string
	for _, table := range schema.Tables() {
		for row := range db.Snapshot().Rows(table) {
			list = append(list, inWords(table, row))
		}
	}
	return list
}

func inWords(table string, row driver.Entity) string {
	words := []string{table, row.Partition, row.Row}
	for _, p := range row.Properties {
		words = append(words, fmt.Sprint(p))
	}
	slices.Sort(words[3:])
	return fmt.Sprint(words)
}

func texts(db *mem.DB, queue string) []string {
	var list []string
	for _, m := range db.Snapshot().Messages(queue) {
		list = append(list, m.Text)
	}
	slices.Sort(list)
	return slices.Compact(list) // one may be there twice
}

// mustEqual fails unless the target holds what the source does.
func mustEqual(t *testing.T, from, to *mem.DB) {
	t.Helper()
	if want, got := rows(from), rows(to); !slices.Equal(want, got) {
		t.Errorf("the target has %d rows, the source %d, or other ones", len(got), len(want))
	}
	if want, got := texts(from, domain.QueueName), texts(to, domain.QueueName); !slices.Equal(want, got) {
		t.Errorf("the target has the messages %q, want %q", got, want)
	}
}

func carriesAll(t *testing.T, content mem.Snapshot) {
	from, to := open(content)
	for range 2 { // the second run finds all of it
		result, err := copyStore(t, side("from", from), side("to", to))
		ok(t, err)
		mustEqual(t, from, to)
		if result.Rows["Channels"] != 2 || result.Rows["Blogs"] < 2*enoughPosts*3 {
			t.Errorf("the result is %+v", result)
		}
	}
	if n := len(to.Snapshot().Messages(domain.QueueName)); n != 2 {
		t.Errorf("the target has %d messages after two runs", n)
	}
	if n := len(from.Snapshot().Messages(domain.QueueName)); n != 2 {
		t.Errorf("the source has %d messages", n)
	}
}

func lateWritesChangeNothing(t *testing.T, content mem.Snapshot) {
	from, to := open(content)
	var writing sync.Mutex
	var writes []driver.Call
	keeping := drivertest.NewFaults(to, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == driver.CallTransact {
			writing.Lock()
			writes = append(writes, *call)
			writing.Unlock()
		}
		return send(ctx)
	})
	_, err := copyStore(t, side("from", from), side("to", keeping))
	ok(t, err)
	store := storage.New(to, storage.Options{})
	garden, err := store.Channels.Get(t.Context(), domain.ChannelKey("garden").Address())
	ok(t, err)
	posts, err := store.Posts.List(t.Context(), garden.Ref(), storage.BlogQuery{Limit: 1})
	ok(t, err)
	ok(t, store.Posts.Vote(t.Context(), garden.Ref(), posts.Items[0].ID, "grace"))
	before := rows(to)
	for _, late := range writes {
		_ = driver.NewTable(to, late.Target).Transact(t.Context(), late.Partition, late.Operations...)
	}
	if now := rows(to); len(writes) == 0 || !slices.Equal(before, now) {
		t.Errorf("after %d writes that arrive again, there are %d rows and were %d, or other ones", len(writes), len(now), len(before))
	}
}

var errDead = errors.New("dead")

// disturbed is a store one of whose calls goes wrong: the process dies before it or after it,
// or the client sends it again. Calls count on both sides.
func disturbed(db *mem.DB, at int, how string, calls *atomic.Int64) *drivertest.Faults {
	return drivertest.NewFaults(drivertest.Far(db), func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		switch call := int(calls.Add(1)); {
		case call == at && how == "is sent again":
			_ = send(ctx) // the answer that is lost
		case call == at && how == "dies after":
			return errors.Join(send(ctx), errDead)
		case call >= at && how != "is sent again":
			return errDead
		}
		return send(ctx)
	})
}

// goesOn requires that a copy that goes on holds what a whole copy does.
func goesOn(t *testing.T, content mem.Snapshot, whole *mem.DB) {
	synctest.Test(t, func(t *testing.T) { // a copy that died holds messages for a while
		for _, how := range []string{"dies before", "dies after", "is sent again"} {
			for at, last := 1, 0; at <= last+1; at++ {
				from, to := open(content)
				var calls atomic.Int64
				_, err := copyStore(t, side("from", disturbed(from, at, how, &calls)), side("to", disturbed(to, at, how, &calls)))
				if last = int(calls.Load()); how == "is sent again" {
					ok(t, err)
				}
				if ready := storage.New(to, storage.Options{}).Health.Ready(t.Context()); ready == nil {
					mustEqual(t, whole, to) // otherwise a role would accept it
				} else if !strings.Contains(ready.Error(), "run that copy again") {
					t.Errorf("check would say %v", ready)
				}
				_, err = copyStore(t, side("from", from), side("to", to))
				ok(t, err)
				mustEqual(t, whole, to)
				if t.Failed() {
					t.Fatalf("call %d %s", at, how)
				}
			}
		}
	})
}

// A row of Users is written while the copy compares the tables before.
func changeFails(t *testing.T, content mem.Snapshot) {
	for how, write := range map[string]driver.Operation{
		"a row comes":            driver.Insert("late"),
		"a row changes":          driver.Merge("", driver.Exists, driver.String("Description", "other")),
		"a row is there no more": driver.Delete("", driver.Exists),
	} {
		for _, changes := range []string{"from", "to"} {
			from, to := open(content)
			changed := false
			_, err := move.Copy(t.Context(), side("from", from), side("to", to), move.Options{Progress: func(doing string, _ int) {
				if doing == "comparing" && !changed {
					changed = true
					ok(t, driver.NewTable(map[string]*mem.DB{"from": from, "to": to}[changes], "Users").Transact(t.Context(), "ada", write))
				}
			}})
			if !errors.Is(err, move.ErrChanged) || !strings.HasPrefix(err.Error(), changes+" was written to") {
				t.Errorf("%s in %q, and the copy ended with %v", how, changes, err)
			}
			if how == "a row comes" && changes == "from" {
				_, err = copyStore(t, side("from", from), side("to", to))
				ok(t, err)
				mustEqual(t, from, to)
			}
		}
	}
}

func refusesTargets(t *testing.T, content mem.Snapshot) {
	whole := func(change func(db *mem.DB)) *mem.DB {
		db := mem.Open(content, "whole")
		change(db)
		return db
	}
	for name, to := range map[string]*mem.DB{
		"a row that the source lacks": whole(func(db *mem.DB) {
			ok(t, driver.NewTable(db, "Users").Transact(t.Context(), "zoe", driver.Insert("!")))
		}),
		"a row that differs": whole(func(db *mem.DB) {
			for row := range content.Rows("Channels") {
				ok(t, driver.NewTable(db, "Channels").Transact(t.Context(), row.Partition, driver.Merge(row.Row, driver.Exists, driver.String("Description", "other"))))
			}
		}),
		"a message alone": func() *mem.DB {
			db := mem.Open(mem.Snapshot{}, "queued")
			ok(t, storage.New(db, storage.Options{}).Operator.Prepare(t.Context()))
			ok(t, driver.NewQueue(db, domain.QueueName).Send(t.Context(), "x"))
			return db
		}(),
	} {
		from, before := mem.Open(content, "from"), rows(to)
		_, err := copyStore(t, side("from", from), side("to", to))
		if refused := (*move.RefusedError)(nil); !errors.As(err, &refused) || !slices.Equal(before, rows(to)) {
			t.Errorf("%s: the copy ended with %v, and the target has %d rows, had %d", name, err, len(rows(to)), len(before))
		}
	}
}

// unchanged is a store that must not be written to. Its tables may be created again.
func unchanged(t *testing.T, db *mem.DB) driver.Backend {
	return driver.Wrap(db, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		if c.Method == driver.CallTransact || c.Method == driver.CallSend || c.Method == driver.CallReceive {
			t.Errorf("%s of %s", c.Method, c.Target)
		}
		return next(ctx)
	})
}

// The target is used after the copy: what is deleted there stays deleted, also if what is left are rows of the
// source alone.
func endedIsCompared(t *testing.T, content mem.Snapshot) {
	for name, content := range map[string]mem.Snapshot{"of the present version": content, "of an earlier version": readFixture(t)} {
		from, to := open(content)
		first, err := copyStore(t, side("from", from), side("to", to))
		ok(t, err)
		again, err := copyStore(t, side("from", from), side("to", unchanged(t, to)))
		if err != nil || !maps.Equal(again.Rows, first.Rows) || again.Messages != 0 {
			t.Errorf("%s: the same copy again ended with %+v (%v), want the rows of %+v", name, again, err, first)
		}
		for row := range to.Snapshot().Rows(schema.TableChannels) {
			ok(t, driver.NewTable(to, schema.TableChannels).Transact(t.Context(), row.Partition, driver.Delete(row.Row, driver.Exists)))
		}
		_, err = copyStore(t, side("from", from), side("to", unchanged(t, to)))
		if refused := (*move.RefusedError)(nil); !errors.As(err, &refused) {
			t.Errorf("%s: rows were deleted in the target, and the copy ended with %v", name, err)
		}
		ok(t, version.Check(t.Context(), to))
	}
}

func toItself(t *testing.T, content mem.Snapshot) {
	db := mem.Open(content, "one")
	_, err := copyStore(t, side("from", unchanged(t, db)), side("to", unchanged(t, db)))
	ok(t, err)
	ok(t, version.Check(t.Context(), db))
}

// prepared is an empty store of a version.
func prepared(t *testing.T, of string) *mem.DB {
	t.Helper()
	db := mem.Open(mem.Snapshot{}, "prepared")
	ok(t, storage.New(db, storage.Options{}).Operator.CreateTables(t.Context()))
	ok(t, driver.NewTable(db, schema.TableDeletions).Transact(t.Context(), schema.VersionPartition,
		driver.Insert(schema.SingleRow, driver.String(schema.PropVersion, of))))
	return db
}

func refusesVersions(t *testing.T, content mem.Snapshot) {
	unfinished := mem.Open(content, "unfinished")
	ok(t, version.Replace(t.Context(), unfinished, version.Unfinished))
	empty := func() *mem.DB { return mem.Open(mem.Snapshot{}, "to") }
	unversioned := mem.Open(content, "unversioned")
	ok(t, driver.NewTable(unversioned, schema.TableDeletions).Transact(t.Context(), schema.VersionPartition, driver.Delete(schema.SingleRow, driver.Exists)))
	const copies = "this program copies stores of commit 0064adec and version 0.1 and version 1.0 and version 1.1"
	for name, c := range map[string]struct {
		from, to *mem.DB
		says     string
	}{
		"a source that is an unfinished copy": {unfinished, empty(), "run that copy again"},
		"a newer source":                      {prepared(t, "9.9"), empty(), copies},
		"a source that is too old":            {prepared(t, "0.0"), empty(), copies},
		"a newer target":                      {mem.Open(content, "from"), prepared(t, "9.9"), "copy to an empty store"},
		"an older target":                     {mem.Open(content, "from"), prepared(t, "0.1"), "copy to an empty store"},
		"a target without a version":          {mem.Open(content, "from"), unversioned, "copy to an empty store"},
	} {
		before := rows(c.to)
		_, err := copyStore(t, side("from", c.from), side("to", c.to))
		if !errors.Is(err, version.ErrRefused) || !slices.Equal(before, rows(c.to)) {
			t.Errorf("%s: the copy ended with %v, and the target has %q", name, err, rows(c.to))
		}
		if says := fmt.Sprint(err); !strings.Contains(says, c.says) || strings.Contains(says, "--from OLD") { // which is this command
			t.Errorf("%s: the copy says %q, want %q", name, says, c.says)
		}
	}
}

// A role has started on the target and has ended. Another one starts there while the copy runs.
func copiesToPrepared(t *testing.T, content mem.Snapshot) {
	for _, at := range []string{"", "before the first row", "comparing"} {
		from, to, started := mem.Open(content, "from"), prepared(t, schema.CurrentVersion), error(nil)
		var start sync.Once
		starts := func(now string) {
			if now == at {
				start.Do(func() { started = storage.New(to, storage.Options{}).Operator.Prepare(t.Context()) })
			}
		}
		target := driver.Wrap(to, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
			if c.Method == driver.CallTransact && c.Target == schema.TableChannels {
				starts("before the first row")
			}
			return next(ctx)
		})
		_, err := move.Copy(t.Context(), side("from", from), side("to", target), move.Options{Progress: func(doing string, _ int) { starts(doing) }})
		ok(t, err)
		if errors.Is(started, version.ErrRefused) != (at != "") {
			t.Errorf("%s: the role starts with %v", at, started)
		}
		mustEqual(t, from, to)
	}
}

func waitsForMessages(t *testing.T, content mem.Snapshot) {
	synctest.Test(t, func(t *testing.T) {
		from, to := open(content)
		held, err := driver.NewQueue(from, domain.QueueName).Receive(t.Context(), 1, time.Hour)
		ok(t, err)
		waits := 0
		_, err = move.Copy(t.Context(), side("from", from), side("to", to), move.Options{Progress: func(doing string, rows int) {
			if doing != "waiting until 1 messages are visible, which a process has leased or which are delayed" {
				return
			}
			if waits++; waits == 3 {
				_, err := driver.NewQueue(from, domain.QueueName).Update(t.Context(), held[0], held[0].Text, 0)
				ok(t, err)
			}
		}})
		ok(t, err)
		if waits != 3 {
			t.Errorf("it waited %d times", waits)
		}
		mustEqual(t, from, to)
	})
}

// Two runs are killed while they send. In the first, each message is sent once more by a client that saw no
// answer. Deletions of posts wait in a source of which messages alone say so.
func sendsAll(t *testing.T, _ mem.Snapshot) {
	const posts = 6
	made := mem.Open(mem.Snapshot{}, "made")
	ok(t, storage.New(made, storage.Options{}).Operator.Prepare(t.Context()))
	ok(t, driver.NewTable(made, "Users").Transact(t.Context(), "zoe", driver.Insert("!")))
	for i := range posts {
		ok(t, driver.NewQueue(made, domain.QueueName).Send(t.Context(), fmt.Sprint("post ", i)))
	}
	synctest.Test(t, func(t *testing.T) {
		for first := range posts {
			for second := range posts {
				from, to := open(made.Snapshot())
				for _, run := range []struct{ sends, times int }{{first, 2}, {second, 1}} {
					sent := 0
					target := driver.Wrap(to, func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
						if c.Method != driver.CallSend {
							return next(ctx)
						}
						if sent == run.sends {
							return errDead
						}
						sent++
						for range run.times - 1 {
							again := *c
							ok(t, to.Do(ctx, &again))
						}
						return next(ctx)
					})
					if _, err := copyStore(t, side("from", from), side("to", target)); !errors.Is(err, errDead) {
						t.Errorf("killed at %d and %d sends, a run ends with %v", first, second, err)
					}
				}
				result, err := copyStore(t, side("from", from), side("to", to))
				ok(t, err)
				if result.Messages != posts {
					t.Errorf("killed at %d and %d sends, the last run sends %d messages of %d", first, second, result.Messages, posts)
				}
				mustEqual(t, from, to)
			}
		}
	})
}

func halves(t *testing.T, _ mem.Snapshot) {
	from, to := open(mem.Snapshot{})
	ok(t, storage.New(from, storage.Options{}).Operator.Prepare(t.Context()))
	table := driver.NewTable(from, "Blogs")
	long := string(make([]byte, 30_000))
	for i := range 60 { // 60 rows of up to 180 kB each, as they are sent
		ok(t, table.Transact(t.Context(), "p", driver.Insert(fmt.Sprintf("%03d", i), driver.String("Text", long))))
	}
	_, err := copyStore(t, side("from", from), side("to", to))
	ok(t, err)
	mustEqual(t, from, to)
}

func tellsProgress(t *testing.T, content mem.Snapshot) {
	from, to := open(content)
	told := map[string]int{}
	_, err := move.Copy(t.Context(), side("from", from), side("to", to), move.Options{Progress: func(doing string, rows int) { told[doing] += rows }})
	ok(t, err)
	if n := len(rows(from)) - 1; told["copying"] != n || told["comparing"] != n || told["looking at what is there"] != 0 {
		t.Errorf("told of %v, of %d rows", told, n)
	}
}

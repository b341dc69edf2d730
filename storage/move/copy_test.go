package move_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCopy(t *testing.T) {
	t.Run("carries all rows and messages", carriesAll)
	site(t) // outside of the bubble
	t.Run("goes on wherever it was killed", func(t *testing.T) { synctest.Test(t, goesOnAfterDeath) })
	t.Run("goes on after lost replies", goesOnAfterLostReplies)
	t.Run("mends what a thawed source changed", mendsThawed)
	t.Run("is taken over by a later run", takenOver)
	t.Run("refuses a target that is in use", refusesTargets)
	t.Run("thaws the source that it froze in vain", thawsInVain)
	t.Run("waits for messages that workers hold", waitsForMessages)
	t.Run("does not end if the source was thawed", thawedMeanwhile)
	t.Run("deletes nothing if the source cannot be read", keepsUnread)
	t.Run("does not wait for a disk that is full", diskIsFull)
	t.Run("halves a transaction that is too large", halves)
}

// site is a store in memory with some of everything.
func site(t *testing.T) *mem.DB {
	t.Helper()
	made.once.Do(func() { made.content = makeSite(t).Snapshot() })
	return mem.Open(made.content, "site")
}

// made is the content of a site, which is made once.
var made struct {
	once    sync.Once
	content mem.Snapshot
}

func makeSite(t *testing.T) *mem.DB {
	t.Helper()
	db := mem.Open(mem.Snapshot{}, "made")
	store := storage.New(db, db)
	ctx := t.Context()
	ok(t, store.Prepare(ctx))
	_, err := store.SignUp(ctx, "ada", "correct horse battery")
	ok(t, err)
	for _, name := range []string{"garden", "pond"} {
		channel, err := domain.NewChannel(name, "", "ada")
		ok(t, err)
		channel, err = store.CreateChannel(ctx, channel)
		ok(t, err)
		for i := range 70 { // three rows each: more than a transaction holds
			draft, err := domain.NewDraft("", fmt.Sprintf("%s %d", name, i))
			ok(t, err)
			blog, _, err := store.Post(ctx, storage.Posting{
				Channel: channel.Ref(), By: "ada", Key: fmt.Sprint(i), Draft: draft, CreatedOn: domain.Now()})
			ok(t, err)
			if i%10 == 0 {
				ok(t, store.Vote(ctx, channel.Ref(), blog.ID, "eve"))
			}
		}
		ok(t, store.Subscribe(ctx, channel, "eve"))
	}
	_, err = store.AskDeletion(ctx, "pond", "ada", domain.Any[domain.Incarnation]())
	ok(t, err)
	ok(t, store.Messages().Send(ctx, "not a message"))
	return db
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func side(name string, db interface {
	driver.Tables
	driver.Queues
}) move.Side {
	return move.Side{Name: name, Tables: db, Queues: db}
}

// quick are options that do not wait.
func quick() move.Options {
	return move.Options{Flight: 4, Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
}

// rows are all rows of a store without their versions, in words.
func rows(db *mem.DB) []string {
	var list []string
	for _, table := range storage.DataTables() {
		for row := range db.Snapshot().Rows(table) {
			properties := slices.Clone(row.Properties)
			slices.SortFunc(properties, func(a, b driver.Property) int { return compare(a.Name, b.Name) })
			list = append(list, fmt.Sprintf("%s %s %s %v", table, row.Partition, row.Row, properties))
		}
	}
	return list
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func texts(db *mem.DB, queue string) []string {
	var list []string
	for _, m := range db.Snapshot().Messages(queue) {
		list = append(list, m.Text)
	}
	slices.Sort(list)
	return list
}

// mustEqual fails unless the target holds what the source does, and is whole.
func mustEqual(t *testing.T, from, to *mem.DB) {
	t.Helper()
	if want, got := rows(from), rows(to); !slices.Equal(want, got) {
		t.Errorf("the target has %d rows, the source %d, or other ones", len(got), len(want))
	}
	want, got := texts(from, domain.QueueName), texts(to, domain.QueueName)
	if got = slices.Compact(got); !slices.Equal(slices.Compact(want), got) { // one may be there twice
		t.Errorf("the target has the messages %q, want %q", got, want)
	}
	target, err := storage.New(to, to).Moving(t.Context())
	ok(t, err)
	if !target.Target || target.Unfinished {
		t.Errorf("the target says %+v", target)
	}
}

func carriesAll(t *testing.T) {
	from, to := site(t), mem.Open(mem.Snapshot{}, "to")
	checked := false
	o := quick()
	o.Check = func(context.Context, *storage.Store, *storage.Store) error { checked = true; return nil }
	result, err := move.Copy(t.Context(), side("from", from), side("to", to), o)
	ok(t, err)
	mustEqual(t, from, to)
	if result.Messages != 2 || result.Mended != 0 || !checked || result.Rows["Channels"] != 2 {
		t.Errorf("the result is %+v; checked: %v", result, checked)
	}
	source, err := storage.New(from, from).Moving(t.Context())
	ok(t, err)
	if !source.Freeze.Frozen {
		t.Error("the source takes writes after the copy")
	}
	again, err := move.Copy(t.Context(), side("from", from), side("to", to), quick())
	ok(t, err)
	if !again.Already {
		t.Error("a copy that had finished was made again")
	}
}

// errDead is no domain.ErrUnavailable, which a copy waits for.
var errDead = errors.New("dead")

// mortal is a store on which the process dies at one call: the call takes effect or not, and
// nothing after it does.
func mortal(db *mem.DB, death int, after bool, calls *atomic.Int64) *drivertest.Faults {
	return drivertest.NewFaults(db, db, func(ctx context.Context, _ drivertest.Call, send drivertest.Send) error {
		switch call := int(calls.Add(1)); {
		case call > death, call == death && !after:
			return errDead
		case call == death:
			return errors.Join(send(ctx), errDead)
		}
		return send(ctx)
	})
}

func goesOnAfterDeath(t *testing.T) {
	content := site(t).Snapshot()
	o := move.Options{} // a killed copy holds messages for a while, in the time of the bubble
	for death, ended := 1, false; !ended; death++ {
		for _, after := range []bool{false, true} {
			from, to := mem.Open(content, "a"), mem.Open(mem.Snapshot{}, "to")
			var calls atomic.Int64
			_, err := move.Copy(t.Context(), side("from", mortal(from, death, after, &calls)), side("to", mortal(to, death, after, &calls)), o)
			ended = err == nil
			if !ended && death > 1 {
				mustBeUnfinished(t, to, death)
			}
			_, err = move.Copy(t.Context(), side("from", from), side("to", to), o)
			ok(t, err)
			mustEqual(t, from, to)
			if t.Failed() {
				t.Fatalf("killed at call %d; after it: %v", death, after)
			}
		}
	}
}

// mustBeUnfinished fails if a target that has any row looks whole before the end.
func mustBeUnfinished(t *testing.T, to *mem.DB, death int) {
	t.Helper()
	store := storage.New(to, to)
	ok(t, store.Prepare(t.Context()))
	target, err := store.Moving(t.Context())
	ok(t, err)
	if len(rows(to)) > 0 && !target.Unfinished && len(target.At) > 0 {
		t.Errorf("killed at call %d, the target has %d rows and looks whole", death, len(rows(to)))
	}
}

func goesOnAfterLostReplies(t *testing.T) {
	content := site(t).Snapshot()
	o := quick()
	o.Flight = 1
	for twice := 1; ; twice++ {
		from, to := mem.Open(content, "a"), mem.Open(mem.Snapshot{}, "to")
		faults := drivertest.NewFaults(to, to, drivertest.Only(drivertest.Writes, drivertest.SentTwice(twice)))
		_, err := move.Copy(t.Context(), side("from", from), side("to", faults), o)
		ok(t, err)
		mustEqual(t, from, to)
		if t.Failed() {
			t.Fatalf("request %d was sent twice", twice)
		}
		if twice > faults.Calls() {
			break
		}
	}
}

func mendsThawed(t *testing.T) {
	from, to := site(t), mem.Open(mem.Snapshot{}, "to")
	o := quick()
	o.Check = func(context.Context, *storage.Store, *storage.Store) error { return errDead }
	_, err := move.Copy(t.Context(), side("from", from), side("to", to), o)
	if !errors.Is(err, errDead) {
		t.Fatalf("the copy ended with %v", err)
	}
	store := storage.New(from, from)
	_, err = store.Thaw(t.Context())
	ok(t, err)
	channel, err := store.Channel(t.Context(), "garden")
	ok(t, err)
	page, err := store.Blogs(t.Context(), channel.Ref(), storage.BlogQuery{Limit: 5})
	ok(t, err)
	ok(t, store.DeleteBlog(t.Context(), channel, page.Items[0].ID, "ada", domain.Any[domain.Revision]()))
	ok(t, store.Vote(t.Context(), channel.Ref(), page.Items[2].ID, "eve"))
	_, err = move.Copy(t.Context(), side("from", from), side("to", to), quick())
	ok(t, err)
	mustEqual(t, from, to)
}

func takenOver(t *testing.T) {
	from, to := site(t), mem.Open(mem.Snapshot{}, "to")
	o := quick()
	var second error
	o.Check = func(context.Context, *storage.Store, *storage.Store) error {
		_, second = move.Copy(t.Context(), side("from", from), side("to", to), quick())
		return nil
	}
	_, err := move.Copy(t.Context(), side("from", from), side("to", to), o)
	ok(t, second)
	if !errors.Is(err, storage.ErrTakenOver) {
		t.Errorf("the first run ended with %v", err)
	}
	mustEqual(t, from, to)
}

func refusesTargets(t *testing.T) {
	content := site(t).Snapshot()
	queued := mem.Open(mem.Snapshot{}, "q")
	ok(t, storage.New(queued, queued).Prepare(t.Context()))
	ok(t, queued.Send(t.Context(), domain.PoisonQueueName, "x"))
	other := mem.Open(mem.Snapshot{}, "o")
	var calls atomic.Int64
	_, err := move.Copy(t.Context(), side("other", site(t)), side("to", mortal(other, 60, true, &calls)), quick())
	if err == nil {
		t.Fatal("the copy did not die")
	}
	used, source := mem.Open(mem.Snapshot{}, "u"), site(t)
	_, err = move.Copy(t.Context(), side("from", source), side("to", used), quick())
	ok(t, err)
	_, err = storage.New(source, source).Thaw(t.Context())
	ok(t, err)
	same := mem.Open(mem.Snapshot{}, "s")
	for name, pair := range map[string][2]*mem.DB{
		"rows":                     {mem.Open(content, "a"), site(t)},
		"messages":                 {mem.Open(content, "a"), queued},
		"another copy":             {mem.Open(content, "a"), other},
		"an unfinished source":     {other, mem.Open(mem.Snapshot{}, "to")},
		"a copy that is in use":    {source, used},
		"itself":                   {same, same},
		"itself, with rows":        {source, source},
		"the source of a finished": {used, source},
	} {
		from, to := pair[0], pair[1]
		before, beforeTo := rows(from), rows(to)
		_, err := move.Copy(t.Context(), side("from", from), side("to", to), quick())
		if refused := (*move.RefusedError)(nil); !errors.As(err, &refused) {
			t.Errorf("%s: the copy ended with %v", name, err)
		}
		source, err := storage.New(from, from).Moving(t.Context())
		ok(t, err)
		if source.Freeze.Frozen || !slices.Equal(before, rows(from)) || !slices.Equal(beforeTo, rows(to)) {
			t.Errorf("%s: something changed; frozen: %v", name, source.Freeze.Frozen)
		}
	}
}

func thawsInVain(t *testing.T) {
	from, to := site(t), mem.Open(mem.Snapshot{}, "to")
	o := quick()
	o.Pause = func(ctx context.Context, d time.Duration) error {
		if d == storage.LastWrite { // somebody signs up in the target, which looked empty
			_, err := storage.New(to, to).SignUp(ctx, "mallory", "correct horse battery")
			ok(t, err)
		}
		return nil
	}
	_, err := move.Copy(t.Context(), side("from", from), side("to", to), o)
	if refused := (*move.RefusedError)(nil); !errors.As(err, &refused) {
		t.Errorf("the copy ended with %v", err)
	}
	source, err := storage.New(from, from).Moving(t.Context())
	ok(t, err)
	target, err := storage.New(to, to).Moving(t.Context())
	ok(t, err)
	if source.Freeze.Frozen || target.Target {
		t.Errorf("the source is frozen: %v; the target says %+v", source.Freeze.Frozen, target)
	}
}

func waitsForMessages(t *testing.T) {
	from, to := site(t), mem.Open(mem.Snapshot{}, "to")
	queue := storage.New(from, from).Messages()
	held, err := queue.Receive(t.Context(), 1, time.Hour)
	ok(t, err)
	o := quick()
	waits := 0
	o.Progress = func(p move.Progress) {
		if p.Phase == move.WaitingForMessages && p.Held == 1 {
			if waits++; waits == 3 {
				_, err := queue.Update(t.Context(), held[0], held[0].Text, 0)
				ok(t, err)
			}
		}
	}
	_, err = move.Copy(t.Context(), side("from", from), side("to", to), o)
	ok(t, err)
	if waits != 3 {
		t.Errorf("it waited %d times", waits)
	}
	mustEqual(t, from, to)
	if left, err := queue.Peek(t.Context(), 10); err != nil || len(left) != 2 {
		t.Errorf("%d messages are visible in the source, error %v", len(left), err)
	}
}

func thawedMeanwhile(t *testing.T) {
	from, to := site(t), mem.Open(mem.Snapshot{}, "to")
	o := quick()
	o.Check = func(ctx context.Context, source, _ *storage.Store) error {
		_, err := source.Thaw(ctx)
		return err
	}
	if _, err := move.Copy(t.Context(), side("from", from), side("to", to), o); err == nil {
		t.Error("a copy of a source that was thawed has ended")
	}
	target, err := storage.New(to, to).Moving(t.Context())
	ok(t, err)
	if !target.Unfinished {
		t.Error("the target looks whole")
	}
}

func keepsUnread(t *testing.T) {
	from, to := site(t), mem.Open(mem.Snapshot{}, "to")
	o := quick()
	o.Check = func(context.Context, *storage.Store, *storage.Store) error { return errors.New("not yet") }
	_, err := move.Copy(t.Context(), side("from", from), side("to", to), o)
	if err == nil {
		t.Fatal("the check was not heeded")
	}
	before := len(rows(to))
	scans := 0
	broken := drivertest.NewFaults(from, from, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Scan" && call.Target == "Blogs" {
			scans++
			return domain.ErrUnavailable
		}
		return send(ctx)
	})
	if _, err := move.Copy(t.Context(), side("from", broken), side("to", to), quick()); !errors.Is(err, domain.ErrUnavailable) || scans == 0 {
		t.Errorf("the copy ended with %v after %d scans", err, scans)
	}
	if after := len(rows(to)); after != before {
		t.Errorf("the target had %d rows, and has %d", before, after)
	}
}

// A store that one process has alone does not answer later what it does not answer now.
func diskIsFull(t *testing.T) {
	from, to := site(t), mem.Open(mem.Snapshot{}, "to")
	full := drivertest.NewFaults(to, to, func(ctx context.Context, call drivertest.Call, send drivertest.Send) error {
		if call.Method == "Transact" && call.Target == "Blogs" {
			return fmt.Errorf("%w: no space left on device", domain.ErrUnavailable)
		}
		return send(ctx)
	})
	a, b := side("from", from), side("to", full)
	a.Alone, b.Alone = true, true
	o := quick()
	o.Pause = func(_ context.Context, d time.Duration) error {
		if d >= time.Second { // those who meet at a row pause for less
			t.Errorf("it waits %s", d)
			return errDead
		}
		return nil
	}
	if _, err := move.Copy(t.Context(), a, b, o); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("the copy ended with %v", err)
	}
}

func halves(t *testing.T) {
	from, to := mem.Open(mem.Snapshot{}, "a"), mem.Open(mem.Snapshot{}, "to")
	ok(t, storage.New(from, from).Prepare(t.Context()))
	table := driver.NewTable(from, "Blogs")
	long := string(make([]byte, 30_000))
	for i := range 60 { // 60 rows of up to 180 kB each, as they are sent
		ok(t, table.Transact(t.Context(), "p", driver.Insert(fmt.Sprintf("%03d", i), driver.String("Text", long))))
	}
	_, err := move.Copy(t.Context(), side("from", from), side("to", to), quick())
	ok(t, err)
	mustEqual(t, from, to)
}

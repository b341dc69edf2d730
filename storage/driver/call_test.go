package driver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
)

func TestWrap(t *testing.T) {
	t.Run("shows each call of a table, and how it ended", aroundTable)
	t.Run("shows each call of a queue, and how it ended", aroundQueue)
	t.Run("gives the backend the context, the call and the answer that an Around makes", aroundChanges)
	t.Run("puts the first Around outermost, and leaves nil out", aroundsNest)
	t.Run("passes the traits on", traitsPass)
}

// A notebook writes down the calls that it is put around.
type notebook struct{ lines []string }

func (n *notebook) around(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	err := next(ctx)
	read, returned := c.Returned(err)
	n.lines = append(n.lines, fmt.Sprintf("%s %s read %d returned %d written %d failed %t writes %t of queue %t",
		c.Kind(), c.Target, read, returned, c.Written(err), err != nil, c.Writes(), c.OfQueue()))
	return err
}

func (n *notebook) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(n.lines, want) {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(n.lines, "\n"), strings.Join(want, "\n"))
	}
}

// fiveRows returns a table of a real store with five rows of one partition, behind Arounds.
func fiveRows(t *testing.T, arounds ...driver.Around) *driver.Table {
	t.Helper()
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	table := driver.NewTable(db, "T")
	rows := insertEach(5, driver.String("A", "12345"), driver.Int64("B", 1), driver.Bool("C", true))
	if err := errors.Join(table.Create(t.Context()), table.Transact(t.Context(), "p", rows...)); err != nil {
		t.Fatal(err)
	}
	return driver.NewTable(driver.Wrap(db, arounds...), "T")
}

func aroundTable(t *testing.T) {
	var told notebook
	table := fiveRows(t, told.around)
	page := driver.Paging{Limit: 3}
	_, errGet := table.Get(t.Context(), "p", "r1")
	_, errRange := table.Range(t.Context(), driver.Range{Partition: "p", From: "r1", Paging: page})
	_, errWhole := table.Range(t.Context(), driver.Range{Partition: "p", Paging: driver.Paging{Limit: 9}})
	_, errScan := table.Scan(t.Context(), driver.Scan{Paging: page})
	if err := errors.Join(errGet, errRange, errWhole, errScan); err != nil {
		t.Fatal(err)
	}
	err := table.Transact(t.Context(), "p", driver.Insert("new"), driver.Merge("r9", driver.Exists))
	if !errors.Is(err, domain.ErrNotFound) {
		t.Fatal(err)
	}
	if err := table.Transact(t.Context(), "p", driver.Insert("new"), driver.Merge("r1", driver.Exists)); err != nil {
		t.Fatal(err)
	}
	wantLimit(t, table.Transact(t.Context(), "a#b", driver.Insert("r"))) // reaches no Around
	told.want(t,
		"point T read 1 returned 1 written 0 failed false writes false of queue false",
		"range T read 4 returned 3 written 0 failed false writes false of queue false",
		"partition T read 5 returned 5 written 0 failed false writes false of queue false",
		"scan T read 4 returned 3 written 0 failed false writes false of queue false",
		"transaction T read 0 returned 0 written 0 failed true writes true of queue false",
		"transaction T read 0 returned 0 written 2 failed false writes true of queue false")
}

// eachOfQueue makes each call of a queue.
func eachOfQueue(ctx context.Context, queue *driver.Queue) error {
	_, errReceive := queue.Receive(ctx, 1, time.Second)
	_, errUpdate := queue.Update(ctx, driver.Message{ID: "1"}, "text", 0)
	_, errLength := queue.Length(ctx)
	_, errPeek := queue.Peek(ctx, 1)
	return errors.Join(errReceive, errUpdate, errLength, errPeek, queue.Send(ctx, "text"), queue.Delete(ctx, driver.Message{}))
}

func aroundQueue(t *testing.T) {
	var told notebook
	queue := driver.NewQueue(driver.Wrap(accepting(), told.around), "q")
	if err := eachOfQueue(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	wantLimit(t, queue.Send(t.Context(), strings.Repeat("x", 1<<17)))
	var want []string
	for kind, writes := range map[string]bool{"receive": true, "update": true, "length": false, "peek": false, "send": true, "delete": true} {
		want = append(want, fmt.Sprintf("%s q read 0 returned 0 written 0 failed false writes %t of queue true", kind, writes))
	}
	slices.Sort(want)
	slices.Sort(told.lines)
	told.want(t, want...)
}

func aroundChanges(t *testing.T) {
	type key struct{}
	outer := func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		c.Row = "changed"
		err := next(context.WithValue(ctx, key{}, "given"))
		c.Entity.Row += " twice"
		return err
	}
	backend := driver.Wrap(nil, func(ctx context.Context, c *driver.Call, _ func(context.Context) error) error {
		c.Entity = driver.Entity{Partition: fmt.Sprint(ctx.Value(key{})), Row: c.Row}
		return nil
	})
	got, err := driver.NewTable(driver.Wrap(backend, outer), "T").Get(t.Context(), "p", "r")
	if err != nil || got.Partition != "given" || got.Row != "changed twice" {
		t.Errorf("%+v, %v", got, err)
	}
}

func aroundsNest(t *testing.T) {
	var order []string
	named := func(name string) driver.Around {
		return func(ctx context.Context, _ *driver.Call, next func(context.Context) error) error {
			order = append(order, name)
			defer func() { order = append(order, name) }()
			return next(ctx)
		}
	}
	backend := driver.Wrap(accepting(), nil, named("a"), named("b"), nil, named("c"))
	if err := driver.NewQueue(backend, "q").Create(t.Context()); err != nil || strings.Join(order, "") != "abccba" {
		t.Errorf("%q, %v", order, err)
	}
}

type good struct{ driver.Backend }

func (good) Traits() driver.Traits { return driver.Traits{CommitsTogether: 7} }

func traitsPass(t *testing.T) {
	if got := driver.Wrap(good{}, driver.Enter).Traits(); got.CommitsTogether != 7 {
		t.Errorf("%+v", got)
	}
}

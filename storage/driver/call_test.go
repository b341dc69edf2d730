package driver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

func TestWrap(t *testing.T) {
	t.Run("shows each call", aroundEach)
	t.Run("gives the backend the context, the call and the answer that an Around makes", aroundChanges)
	t.Run("puts the first Around outermost, and leaves nil out", aroundsNest)
	t.Run("passes the capabilities on", capabilitiesPass)
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
	rows := insertEach(5, driver.String("A", strings.Repeat("x", 1000)), driver.Int64("B", 1), driver.Bool("C", true))
	if err := errors.Join(table.Create(t.Context()), table.Transact(t.Context(), "p", rows...)); err != nil {
		t.Fatal(err)
	}
	return driver.NewTable(driver.Wrap(db, arounds...), "T")
}

func aroundEach(t *testing.T) {
	var told []string
	backend := driver.Wrap(accepting(), func(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
		err := next(ctx)
		told = append(told, fmt.Sprintf("%s %s writes %t of queue %t", c.Kind(), c.Target, c.Writes(), c.OfQueue()))
		return err
	})
	for _, call := range drivertest.EachCall("t") {
		if err := backend.Do(t.Context(), &call); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := driver.NewTable(backend, "T").Range(t.Context(), driver.Range{Partition: "p", From: "a", Paging: driver.Paging{Limit: 1}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"create t writes true of queue false", "point t writes false of queue false", "partition t writes false of queue false",
		"scan t writes false of queue false", "transaction t writes true of queue false", "create t writes true of queue true",
		"send t writes true of queue true", "receive t writes true of queue true", "update t writes true of queue true",
		"delete t writes true of queue true", "peek t writes false of queue true", "length t writes false of queue true",
		"range T writes false of queue false",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
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

func (good) Capabilities() driver.Capabilities { return driver.Capabilities{CommitsTogether: 7} }

func capabilitiesPass(t *testing.T) {
	if got := driver.Wrap(good{}, driver.Enter).Capabilities(); got.CommitsTogether != 7 {
		t.Errorf("%+v", got)
	}
}

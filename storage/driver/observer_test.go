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
	"microblogging/storage/driver"
)

func TestObserver(t *testing.T) {
	t.Run("is told of each call of a table, and how it ended", observerOfTable)
	t.Run("is told of each call of a queue, and how it ended", observerOfQueue)
	t.Run("gives the backend its context", observerGivesContext)
	t.Run("is told nothing of what was refused for a limit", observerSkipsRefused)
	t.Run("nests in another one", observersNest)
	t.Run("costs nothing if there is none", noObserverCostsNothing)
}

// A notebook is an observer that writes down what it is told.
type notebook struct {
	name  string
	lines *[]string
}

type noted struct{}

func (n notebook) Begin(ctx context.Context, call driver.Call) (context.Context, func(driver.Result)) {
	*n.lines = append(*n.lines, fmt.Sprintf("%sbegin %s %s %d", n.name, call.Kind, call.Target, len(call.Operations)))
	return context.WithValue(ctx, noted{}, n.name), func(r driver.Result) {
		*n.lines = append(*n.lines, fmt.Sprintf("%send %s read %d returned %d written %d failed %t",
			n.name, call.Kind, r.Read, r.Returned, r.Written, r.Err != nil))
	}
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func observerOfTable(t *testing.T) {
	var lines []string
	table := ledgerTable(t, notebook{lines: &lines})
	lines = nil
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
	wantLines(t, lines,
		"begin point T 0", "end point read 1 returned 1 written 0 failed false",
		"begin range T 0", "end range read 4 returned 3 written 0 failed false",
		"begin partition T 0", "end partition read 5 returned 5 written 0 failed false",
		"begin scan T 0", "end scan read 4 returned 3 written 0 failed false",
		"begin transaction T 2", "end transaction read 0 returned 0 written 0 failed true",
		"begin transaction T 2", "end transaction read 0 returned 0 written 2 failed false")
}

func observerOfQueue(t *testing.T) {
	var lines []string
	queue := driver.NewQueue(accepting(), "q", notebook{lines: &lines})
	_, errReceive := queue.Receive(t.Context(), 1, time.Second)
	_, errUpdate := queue.Update(t.Context(), driver.Message{ID: "1"}, "text", 0)
	_, errLength := queue.Length(t.Context())
	_, errPeek := queue.Peek(t.Context(), 1)
	err := errors.Join(errReceive, errUpdate, errLength, errPeek,
		queue.SendOnce(t.Context(), "text"), queue.Delete(t.Context(), driver.Message{}), queue.Ping(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, kind := range []string{"receive", "update", "length", "peek", "send", "delete", "ping"} {
		want = append(want, "begin "+kind+" q 0", "end "+kind+" read 0 returned 0 written 0 failed false")
	}
	wantLines(t, lines, want...)
}

// contexts is a backend that asks each call for its context.
type contexts struct {
	driver.Tables
	got any
}

func (c *contexts) Get(ctx context.Context, _, _, _ string) (driver.Entity, error) {
	c.got = ctx.Value(noted{})
	return driver.Entity{}, nil
}

func observerGivesContext(t *testing.T) {
	var lines []string
	backend := &contexts{}
	if _, err := driver.NewTable(backend, "T", notebook{"own ", &lines}).Get(t.Context(), "p", "r"); err != nil || backend.got != "own " {
		t.Errorf("the backend got %v, %v", backend.got, err)
	}
}

func observerSkipsRefused(t *testing.T) {
	var lines []string
	wantLimit(t, driver.NewTable(unreached(t), "T", notebook{lines: &lines}).Transact(t.Context(), "a#b", driver.Insert("r")))
	wantLimit(t, driver.NewQueue(unreached(t), "q", notebook{lines: &lines}).Send(t.Context(), strings.Repeat("x", 1<<17)))
	wantLines(t, lines)
}

func observersNest(t *testing.T) {
	var lines []string
	table := driver.NewTable(accepting(), "T", notebook{"outer ", &lines}, notebook{"inner ", &lines})
	if err := table.Transact(t.Context(), "p", driver.Insert("r")); err != nil {
		t.Fatal(err)
	}
	end := "end transaction read 0 returned 0 written 1 failed false"
	wantLines(t, lines, "outer begin transaction T 1", "inner begin transaction T 1", "inner "+end, "outer "+end)
}

func noObserverCostsNothing(t *testing.T) {
	table := driver.NewTable(&contexts{}, "T")
	if n := testing.AllocsPerRun(100, func() { _, _ = table.Get(t.Context(), "p", "r") }); n != 0 {
		t.Errorf("%v allocations for a read", n)
	}
}

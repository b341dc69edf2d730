package driver_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestLedger(t *testing.T) {
	t.Run("counts the calls and the rows of one context", ledgerCounts)
	t.Run("says how each call found its rows and what came back", ledgerLists)
	t.Run("names the operation that failed", ledgerNamesFailure)
	t.Run("keeps no property of a transaction", ledgerKeepsNoProperty)
	t.Run("has no call that was refused for a limit", ledgerSkipsRefused)
	t.Run("lists no more calls than it has room for, and counts all", ledgerIsBounded)
	t.Run("counts calls that run beside each other", ledgerCountsConcurrentCalls)
	t.Run("counts the time of calls beside each other once", ledgerTimesOnce)
	t.Run("says that a backend does not tell what it read", ledgerKnowsWhatIsUnknown)
	t.Run("counts the calls of a queue", ledgerCountsQueue)
}

// entered makes a ledger with room for n calls, and a context for it.
func entered(t *testing.T, n int) (*driver.Ledger, context.Context) {
	l := &driver.Ledger{}
	l.List(n)
	return l, driver.WithLedger(t.Context(), l)
}

func wantTotals(t *testing.T, l *driver.Ledger, calls, read, returned int) {
	t.Helper()
	if got := l.Totals(); got.Calls != calls || got.Read != read || got.Returned != returned {
		t.Errorf("%d calls, %d rows read, %d returned; want %d, %d, %d", got.Calls, got.Read, got.Returned, calls, read, returned)
	}
}

func ledgerCounts(t *testing.T) {
	table := fiveRows(t, driver.Enter)
	l, ctx := entered(t, 0)
	_, errHere := table.Get(ctx, "p", "r0")
	_, errGone := table.Get(ctx, "p", "r9")
	_, errUncounted := table.Get(t.Context(), "p", "r0")
	if errHere != nil || errUncounted != nil || !errors.Is(errGone, domain.ErrNotFound) {
		t.Fatal(errHere, errUncounted, errGone)
	}
	wantTotals(t, l, 2, 1, 1)
	// The store looks at one row more, to know that there is another page.
	if _, err := table.Range(ctx, driver.Range{Partition: "p", Paging: driver.Paging{Limit: 3}}); err != nil {
		t.Fatal(err)
	}
	wantTotals(t, l, 3, 5, 4)
	if err := table.Transact(ctx, "p", driver.Merge("r0", driver.Exists)); err != nil {
		t.Fatal(err)
	}
	wantTotals(t, l, 4, 5, 4)
	if l.Totals().Time <= 0 {
		t.Error("the calls took no time")
	}
	if n := len(l.Calls()); n != 0 {
		t.Errorf("%d calls are listed", n)
	}
}

func ledgerLists(t *testing.T) {
	table := fiveRows(t, driver.Enter)
	l, ctx := entered(t, 10)
	page := driver.Paging{Limit: 9}
	_, errGet := table.Get(ctx, "p", "r1")
	_, errRange := table.Range(ctx, driver.Range{Partition: "p", From: "r1", To: "r3", Paging: page})
	_, errWhole := table.Range(ctx, driver.Range{Partition: "p", Paging: page})
	_, errScan := table.Scan(ctx, driver.Scan{From: "a", Paging: page})
	if err := errors.Join(errGet, errRange, errWhole, errScan, table.Transact(ctx, "p", driver.Delete("r4", driver.Exists))); err != nil {
		t.Fatal(err)
	}
	row := len("p") + len("r1") + len("A") + 5 + len("B") + 8 + len("C") + 1
	want := []driver.LedgerCall{
		{Call: driver.Call{Method: driver.CallGet, Partition: "p", Row: "r1"}, Read: 1, Returned: 1, Bytes: row},
		{Call: driver.Call{Method: driver.CallRange, Partition: "p", From: "r1", To: "r3"}, Read: 2, Returned: 2, Bytes: 2 * row},
		{Call: driver.Call{Method: driver.CallRange, Partition: "p"}, Read: 5, Returned: 5, Bytes: 5 * row},
		{Call: driver.Call{Method: driver.CallScan, From: "a"}, Read: 5, Returned: 5, Bytes: 5 * row},
		{Call: driver.Call{Method: driver.CallTransact, Partition: "p"}, Bytes: len("p") + len("r4")},
	}
	got := l.Calls()
	if len(got) != len(want) {
		t.Fatalf("%d calls, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		etags := 0 // each row has one, whose length is the backend's business
		if g.Method != driver.CallTransact {
			etags = g.Bytes - w.Bytes
		}
		if g.Method != w.Method || g.Target != "T" || g.Partition != w.Partition || g.Row != w.Row || g.From != w.From || g.To != w.To ||
			g.Read != w.Read || g.Returned != w.Returned || g.ReadAtLeast || g.Err != nil || g.Entity.Row != "" || g.Page.Rows != nil || etags < 0 || etags > 20*g.Returned {
			t.Errorf("call %d: %+v, want %+v", i, g, w)
		}
	}
	if ops := got[4].Operations; len(ops) != 1 || ops[0].Row != "r4" || ops[0].Action != driver.ActionDelete {
		t.Errorf("the operations are %+v", ops)
	}
}

func ledgerNamesFailure(t *testing.T) {
	table := fiveRows(t, driver.Enter)
	l, ctx := entered(t, 1)
	err := table.Transact(ctx, "p", driver.Insert("new"), driver.Merge("r9", driver.Exists))
	var failed *driver.OperationError
	if got := l.Calls()[0].Err; !errors.As(got, &failed) || failed.Index != 1 || !errors.Is(got, domain.ErrNotFound) || got != err {
		t.Errorf("the ledger has %v, the caller got %v", got, err)
	}
}

func ledgerKeepsNoProperty(t *testing.T) {
	table := fiveRows(t, driver.Enter)
	l, ctx := entered(t, 1)
	ops := []driver.Operation{driver.Insert("new", driver.String("Password", "planted"))}
	if err := table.Transact(ctx, "p", ops...); err != nil {
		t.Fatal(err)
	}
	if got := l.Calls()[0].Operations[0]; got.Properties != nil || got.Row != "new" {
		t.Errorf("the ledger keeps %+v", got)
	}
	if len(ops[0].Properties) != 1 {
		t.Error("the caller's operation has lost its property")
	}
}

func ledgerSkipsRefused(t *testing.T) {
	l, ctx := entered(t, 10)
	table := driver.NewTable(driver.Wrap(unreached(t), driver.Enter), "T")
	_, err := table.Get(ctx, "", "r")
	wantLimit(t, err)
	wantLimit(t, table.Transact(ctx, "p"))
	wantTotals(t, l, 0, 0, 0)
}

func ledgerIsBounded(t *testing.T) {
	l, ctx := entered(t, 2)
	table := driver.NewTable(driver.Wrap(accepting(), driver.Enter), "T")
	for i := range 5 {
		if err := table.Transact(ctx, "p", driver.Insert(fmt.Sprint("r", i))); err != nil {
			t.Fatal(err)
		}
	}
	wantTotals(t, l, 5, 0, 0)
	if calls := l.Calls(); len(calls) != 2 || calls[1].Operations[0].Row != "r1" {
		t.Errorf("the list is %+v", calls)
	}
}

func ledgerCountsConcurrentCalls(t *testing.T) {
	table := fiveRows(t, driver.Enter)
	l, ctx := entered(t, 100)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				_, _ = table.Get(ctx, "p", "r1") // what it returns is tested elsewhere
				l.Totals()
				l.Calls()
			}
		})
	}
	all.Wait()
	wantTotals(t, l, 400, 400, 400)
	if n := len(l.Calls()); n != 100 {
		t.Errorf("%d calls are listed, want 100", n)
	}
}

func ledgerTimesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx := entered(t, 10)
		table := driver.NewTable(driver.Wrap(nil, driver.Enter, func(context.Context, *driver.Call, func(context.Context) error) error {
			time.Sleep(time.Second)
			return nil
		}), "T")
		get := func() { _, _ = table.Get(ctx, "p", "r") } // it has nothing to return
		var all sync.WaitGroup
		for range 3 {
			all.Go(get)
		}
		time.Sleep(time.Second / 2)
		if got := l.Totals(); got.Calls != 0 || got.Time != time.Second/2 {
			t.Errorf("with three calls under way: %+v", got)
		}
		all.Wait()
		get()
		if got := l.Totals(); got.Calls != 4 || got.Time != 2*time.Second {
			t.Errorf("three calls at once and one after them: %+v", got)
		}
		for _, call := range l.Calls() {
			if call.Took != time.Second {
				t.Errorf("a call took %s", call.Took)
			}
		}
	})
}

func ledgerKnowsWhatIsUnknown(t *testing.T) {
	l, ctx := entered(t, 1)
	untold := func(_ context.Context, c *driver.Call, _ func(context.Context) error) error {
		c.Page.Rows = make([]driver.Entity, 2) // as Azure, which does not tell how many it looked at
		return nil
	}
	table := driver.NewTable(driver.Wrap(nil, driver.Enter, untold), "T")
	if _, err := table.Range(ctx, driver.Range{Partition: "p", Paging: driver.Paging{Limit: 9}}); err != nil {
		t.Fatal(err)
	}
	if call := l.Calls()[0]; !call.ReadAtLeast || call.Read != 2 || call.Returned != 2 {
		t.Errorf("of a backend that does not tell: %+v", call)
	}
}

func ledgerCountsQueue(t *testing.T) {
	l, ctx := entered(t, 10)
	if err := eachOfQueue(ctx, driver.NewQueue(driver.Wrap(accepting(), driver.Enter), "q")); err != nil {
		t.Fatal(err)
	}
	wantTotals(t, l, 6, 0, 0)
	if calls := l.Calls(); len(calls) != 6 || calls[0].Method != driver.CallReceive || calls[0].Target != "q" {
		t.Errorf("%+v", calls)
	}
}

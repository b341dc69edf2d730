package driver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func TestCallLog(t *testing.T) {
	t.Run("says how each call found its rows, what came back and how it ended", callLogLists)
	t.Run("lists no more calls than it has room for, and counts all, also concurrent ones", callLogIsBounded)
	t.Run("counts the time of concurrent calls once", callLogTimesOnce)
	t.Run("says that a backend does not tell what it read", callLogKnowsWhatIsUnknown)
}

// entered makes a call log with room for n calls, and a context for it.
func entered(t *testing.T, n int) (*driver.CallLog, context.Context) {
	l := &driver.CallLog{}
	l.List(n)
	return l, driver.WithCallLog(t.Context(), l)
}

func wantTotals(t *testing.T, l *driver.CallLog, calls, read, returned int) {
	t.Helper()
	if got := l.Totals(); got.Calls != calls || got.Read != read || got.Returned != returned || got.Time <= 0 {
		t.Errorf("%d calls, %d rows read, %d returned in %s; want %d, %d, %d", got.Calls, got.Read, got.Returned, got.Time, calls, read, returned)
	}
}

func callLogLists(t *testing.T) {
	table := fiveRows(t, driver.Enter)
	l, ctx := entered(t, 10)
	_, uncounted := table.Get(t.Context(), "p", "r1")
	_, get := table.Get(ctx, "p", "r1")
	_, ranged := table.Range(ctx, driver.Range{Partition: "p", From: "r1", To: "r9", Paging: driver.Paging{Limit: 3}})
	_, scanned := table.Scan(ctx, driver.Scan{From: "a", Paging: driver.Paging{Limit: 9}})
	if err := errors.Join(uncounted, get, ranged, scanned, table.Transact(ctx, "p", driver.Delete("r4", driver.Exists))); err != nil {
		t.Fatal(err)
	}
	wantLimit(t, table.Transact(ctx, "p")) // which reaches no backend
	failed := table.Transact(ctx, "p", driver.Insert("new", driver.String("Password", "planted")), driver.Merge("r9", driver.Exists))
	row := len("p") + len("r1") + len("A") + 1000 + len("B") + 8 + len("C") + 8
	want := []string{
		fmt.Sprint("Get T p r1  read 1 returned 1 bytes ", row),
		fmt.Sprint("Range T p  r1 read 4 returned 3 bytes ", 3*row), // the fourth tells that there is another page
		fmt.Sprint("Scan T   a read 5 returned 5 bytes ", 5*row),
		fmt.Sprint("Transact T p   read 0 returned 0 bytes ", len("p")+len("r4")),
		fmt.Sprint("Transact T p   read 0 returned 0 bytes ", 2*len("p")+len("new")+len("r9")+len("Password")+len("planted")),
	}
	var got []string
	for _, call := range l.Calls() {
		bytes := call.Bytes
		if call.Returned > 0 { // each row has an ETag, whose length is the backend's business
			bytes -= bytes % row
		}
		holds := slices.ContainsFunc(call.Operations, func(o driver.Operation) bool { return o.Properties != nil })
		if holds || call.ReadAtLeast || call.Entity.Row != "" || call.Page.Rows != nil {
			t.Errorf("%+v has an answer or a property", call)
		}
		got = append(got, fmt.Sprintf("%s %s %s %s %s read %d returned %d bytes %d", call.Method, call.Target, call.Partition, call.Row, call.From, call.Read, call.Returned, bytes))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	wantTotals(t, l, 5, 10, 9)
	if last := l.Calls()[4]; !errors.Is(last.Err, domain.ErrNotFound) || last.Err != failed { //nolint:errorlint // the very error
		t.Errorf("the call log has %v, the caller got %v", last.Err, failed)
	}
}

func callLogIsBounded(t *testing.T) {
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

func callLogTimesOnce(t *testing.T) {
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
			t.Errorf("three concurrent calls and one after them: %+v", got)
		}
		for _, call := range l.Calls() {
			if call.Took != time.Second {
				t.Errorf("a call took %s", call.Took)
			}
		}
	})
}

func callLogKnowsWhatIsUnknown(t *testing.T) {
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

package storage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

// halt is the prefix of the continuation of an empty page.
const halt = "halt "

// haltingPages answers each read first with an empty page and a continuation, and then with
// a page of one row at most. Azure may do so: it ends a page after a time limit, or at a
// partition's boundary.
func haltingPages(ctx context.Context, c *driver.Call, next func(context.Context) error) error {
	if c.Method != driver.CallRange && c.Method != driver.CallScan {
		return next(ctx)
	}
	if !strings.HasPrefix(c.Paging.Continuation, halt) {
		c.Page = driver.Page{Continuation: halt + c.Paging.Continuation}
		return nil
	}
	c.Paging.Limit, c.Paging.Continuation = 1, strings.TrimPrefix(c.Paging.Continuation, halt)
	return next(ctx)
}

func TestPages(t *testing.T) {
	t.Run("short and empty pages hide nothing", bubble(shortPagesHideNothing))
}

func shortPagesHideNothing(t *testing.T, w *world) {
	w.store = storage.New(w.db, storage.Options{Around: []driver.Around{haltingPages}})
	var names, newestFirst []string
	for i := range 5 {
		names = append(names, fmt.Sprintf("c%d", i))
		w.create(names[i], ada)
		newestFirst = append(newestFirst, text(4-i))
	}
	garden := w.create("garden", ada)
	base := time.Date(2014, 2, 3, 4, 5, 6, 0, time.UTC)
	for i := range 5 {
		w.dated(garden, base.Add(time.Duration(i)*time.Second), text(i))
	}
	for limit := 1; limit < 7; limit++ {
		if got := w.names("c", limit, nothing); !slices.Equal(got, names) {
			t.Errorf("channels by %d: %q", limit, got)
		}
		var got []string
		for _, blog := range w.listed(garden.Ref(), storage.BlogQuery{Limit: limit}, nothing) {
			got = append(got, blog.Text)
		}
		if !slices.Equal(got, newestFirst) {
			t.Errorf("posts by %d: %q", limit, got)
		}
	}
	w.mustBeSound()
	orphan := domain.NewIncarnation()
	w.insert("c3", "once!x", orphan)
	if violations, _ := w.run(true); len(violations) != 1 {
		t.Errorf("found %+v", violations)
	}
	w.forget(garden)
	time.Sleep(patience + time.Second)
	if done := w.reconcileAfter(patience); done.Requeued != 1 {
		t.Errorf("reconciled: %+v", done)
	}
	w.carryOut(w.messages())
	w.mustBeSound()
}

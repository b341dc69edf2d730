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

// haltingPages is a backend that answers each read first with an empty page and a
// continuation, and then with a page of one row at most. Azure may do so: it ends a
// page after a time limit, or at a partition's boundary.
type haltingPages struct{ driver.Tables }

// halt is the prefix of the continuation of an empty page.
const halt = "halt "

func (h haltingPages) Range(ctx context.Context, table string, q driver.Range) (driver.Page, error) {
	if !strings.HasPrefix(q.Continuation, halt) {
		return driver.Page{Continuation: halt + q.Continuation}, nil
	}
	q.Limit, q.Continuation = 1, strings.TrimPrefix(q.Continuation, halt)
	return h.Tables.Range(ctx, table, q)
}

func (h haltingPages) Scan(ctx context.Context, table string, q driver.Scan) (driver.Page, error) {
	if !strings.HasPrefix(q.Continuation, halt) {
		return driver.Page{Continuation: halt + q.Continuation}, nil
	}
	q.Limit, q.Continuation = 1, strings.TrimPrefix(q.Continuation, halt)
	return h.Tables.Scan(ctx, table, q)
}

func TestPages(t *testing.T) {
	t.Run("short and empty pages hide nothing", shortPagesHideNothing)
}

func shortPagesHideNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.store = storage.New(haltingPages{w.db}, w.db)
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
		if breaches, _ := w.run(true); len(breaches) != 1 {
			t.Errorf("found %+v", breaches)
		}
		w.forget(garden)
		time.Sleep(patience + time.Second)
		if done := w.reconcileAfter(patience); done.Requeued != 1 {
			t.Errorf("reconciled: %+v", done)
		}
		w.carryOut(w.messages())
		w.mustBeSound()
	})
}

package driver_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"microblogging/storage/driver"
)

func TestPaging(t *testing.T) {
	t.Run("short and empty pages hide nothing", pagesJoin)
	t.Run("a selection of what is no property name is refused", func(t *testing.T) {
		table := driver.NewTable(unreached(t), "T")
		for _, names := range [][]string{{""}, {"RowKey"}, {"A", "B,C"}, {"A", "B "}, {"$top"}} {
			paging := driver.Paging{Limit: 1, Select: names}
			_, err := table.Range(t.Context(), driver.Range{Partition: "p", Paging: paging})
			wantLimit(t, err)
			_, err = table.Scan(t.Context(), driver.Scan{Paging: paging})
			wantLimit(t, err)
		}
	})
}

// Azure ends a page after a time limit, or at a partition's boundary, so it may be empty.
func pagesJoin(t *testing.T) {
	pages := map[string]driver.Page{
		"": {Continuation: "1"}, "1": {Rows: []driver.Entity{{Row: "a"}}, Continuation: "2"}, "2": {Continuation: "3"}, "3": {Rows: []driver.Entity{{Row: "b"}}},
	}
	table := driver.NewTable(driver.Wrap(nil, func(_ context.Context, c *driver.Call, _ func(context.Context) error) error {
		c.Page = pages[c.Paging.Continuation]
		return nil
	}), "T")
	first, err := table.First(t.Context(), 2, driver.Range{Partition: "p"})
	got := map[string][]driver.Entity{"First": first}
	for way, rows := range map[string]iter.Seq2[driver.Entity, error]{
		"All": table.All(t.Context(), driver.Scan{}), "Within": table.Within(t.Context(), driver.Range{Partition: "p"}),
	} {
		for row, failed := range rows {
			got[way], err = append(got[way], row), errors.Join(err, failed)
		}
	}
	for way, rows := range got {
		if err != nil || len(rows) != 2 || rows[0].Row != "a" || rows[1].Row != "b" {
			t.Errorf("%s gives %v, %v", way, rows, err)
		}
	}
}

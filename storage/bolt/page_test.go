package bolt

import (
	"fmt"
	"slices"
	"testing"

	"microblogging/storage"
)

func openFilled(t *testing.T, rows int) *DB {
	t.Helper()
	db, err := Open(t.TempDir(), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := db.CreateTable(t.Context(), "T"); err != nil {
		t.Fatal(err)
	}
	var ops []storage.Operation
	for i := range rows {
		ops = append(ops, storage.Insert(fmt.Sprintf("%03d", i), storage.Int64("A", int64(i)), storage.String("B", fmt.Sprint(i))))
	}
	if err := db.Transact(t.Context(), "T", "p", ops); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestAPageOf20RowsTakesAtMostTwoAllocationsARow(t *testing.T) {
	db := openFilled(t, 50)
	q := storage.Range{Partition: "p", Paging: storage.Paging{Limit: 20}}
	allocations := testing.AllocsPerRun(100, func() {
		if page, err := db.Range(t.Context(), "T", q); err != nil || len(page.Rows) != 20 {
			t.Errorf("got %d rows, %v", len(page.Rows), err)
		}
	})
	if allocations > 2*20 {
		t.Errorf("%v allocations for 20 rows", allocations)
	}
}

func TestAppendingToOneRowsPropertiesLeavesTheNextRowAlone(t *testing.T) {
	page, err := openFilled(t, 2).Range(t.Context(), "T", storage.Range{Partition: "p", Paging: storage.Paging{Limit: 2}})
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(page.Rows[1].Properties)
	_ = append(page.Rows[0].Properties, storage.String("C", "more"))
	if !slices.Equal(page.Rows[1].Properties, before) {
		t.Errorf("%v became %v", before, page.Rows[1].Properties)
	}
}

func TestTheLastPageHasNoContinuation(t *testing.T) {
	page, err := openFilled(t, 4).Range(t.Context(), "T", storage.Range{Partition: "p", Paging: storage.Paging{Limit: 4}})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Rows) != 4 || page.Continuation != "" {
		t.Errorf("got %d rows and continuation %q, want all 4 and none", len(page.Rows), page.Continuation)
	}
}

func TestABoundWithAZeroByteSelectsTheSamePartitionsAsItsOrder(t *testing.T) {
	partitions := []string{"", "a", "a b", "ab", "b"}
	bounds := []string{"", "\x00", "a", "a\x00", "a\x00b", "a\x00\xff", "a\x01", "a b\x00", "ab", "b\x00", "c"}
	for _, from := range bounds {
		for _, to := range bounds {
			s := scanSpan(storage.Scan{From: from, To: to})
			for _, partition := range partitions {
				want := partition >= from && (to == "" || partition < to)
				if got := s.holds(rowKey(partition, "row")); got != want {
					t.Errorf("[%q, %q) holds %q: got %v, want %v", from, to, partition, got, want)
				}
			}
		}
	}
}

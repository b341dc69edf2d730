package drivertest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Tables runs the conformance suite of a backend's tables. It calls open once for
// each test; open must register the closing of what it opens with t.Cleanup.
func Tables(t *testing.T, open func(t *testing.T) driver.Backend) {
	run(t, func(t *testing.T) table { return newTable(t, open(t)) }, topics[table]{
		"Key": keyTests(), "Property": propertyTests(), "Write": writeTests(), "ETag": etagTests(),
		"Transaction": transactionTests(), "Condition": conditionTests(), "Read": readTests(), "Paging": pagingTests(),
	})
}

// topics are tests of a fixture of their own. The second key is the sentence that the test
// would refute.
type topics[F any] map[string]map[string]func(F)

func run[F any](t *testing.T, fixture func(t *testing.T) F, all topics[F]) {
	for topic, tests := range all {
		t.Run(topic, func(t *testing.T) {
			for sentence, test := range tests {
				t.Run(sentence, func(t *testing.T) {
					t.Parallel()
					test(fixture(t))
				})
			}
		})
	}
}

// refuses requires that each error has this meaning, or that there is none.
func refuses(t *testing.T, meaning error, errs ...error) {
	t.Helper()
	for i, err := range errs {
		if !errors.Is(err, meaning) {
			t.Errorf("error %d is %v, want %v", i, err, meaning)
		}
	}
}

// A table is one that only one test uses.
type table struct {
	*driver.Table
	*testing.T
	backend driver.Backend
}

func newTable(t *testing.T, backend driver.Backend) table {
	t.Helper()
	name := "T" + rand.Text()
	f := table{driver.NewTable(backend, name), t, backend}
	if err := f.Create(t.Context()); err != nil {
		t.Fatalf("creating table %s: %v", name, err)
	}
	return f
}

// do applies operations that must succeed.
func (f table) do(partition string, ops ...driver.Operation) {
	f.Helper()
	if err := f.Transact(f.Context(), partition, ops...); err != nil {
		f.Fatalf("transaction of %d in partition %q: %v", len(ops), partition, err)
	}
}

// fails requires that the operation at the index fails a transaction of partition p, with
// this meaning, and that every row stays in the version that it has.
func (f table) fails(index int, meaning error, ops ...driver.Operation) {
	f.Helper()
	before := f.rows()
	err := f.Transact(f.Context(), "p", ops...)
	var failed *driver.OperationError
	if !errors.As(err, &failed) || failed.Index != index || !errors.Is(err, meaning) {
		f.Fatalf("got error %v, want an OperationError of operation %d: %v", err, index, meaning)
	}
	if after := f.rows(); !reflect.DeepEqual(before, after) {
		f.Fatalf("%v became %v", before, after)
	}
}

// holds requires that the table holds these rows, each as line writes it, and that each way
// to read tells the same of them.
func (f table) holds(want ...string) {
	f.Helper()
	rows := f.rows()
	got := make([]string, len(rows))
	for i, row := range rows {
		got[i] = line(row)
	}
	if !slices.Equal(got, want) {
		f.Fatalf("the table holds\n%.2000s\nwant\n%.2000s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	byPartition := map[string][]driver.Entity{}
	for _, row := range rows {
		byPartition[row.Partition] = append(byPartition[row.Partition], row)
		if one, err := f.Get(f.Context(), row.Partition, row.Row); err != nil || line(one) != line(row) || one.ETag != row.ETag {
			f.Fatalf("a get gives %s, a scan %s (%v)", line(one), line(row), err)
		}
	}
	for partition, rows := range byPartition {
		if ranged := f.read(driver.Range{Partition: partition}, 100); !reflect.DeepEqual(ranged, rows) {
			f.Fatalf("a range gives %v, a scan %v", ranged, rows)
		}
	}
}

// line writes a row as PARTITION/ROW and its properties in the order of their names.
func line(row driver.Entity) string {
	words := make([]string, len(row.Properties))
	for i, p := range row.Properties {
		words[i] = fmt.Sprintf(" %s=%s", p.Name, p.Value)
		if p.Value.Kind() == driver.KindString {
			words[i] = fmt.Sprintf(" %s=%q", p.Name, p.Value)
		}
	}
	slices.Sort(words)
	return row.Partition + "/" + row.Row + strings.Join(words, "")
}

// rows reads the whole table, with the properties of each row in the order of their names.
func (f table) rows() []driver.Entity {
	f.Helper()
	return f.scan(driver.Scan{}, 100)
}

// read reads a range to its end, in pages of limit rows, and scan a scan.
func (f table) read(q driver.Range, limit int) []driver.Entity {
	f.Helper()
	return f.pages(&q.Paging, limit, func() (driver.Page, error) { return f.Range(f.Context(), q) })
}

func (f table) scan(q driver.Scan, limit int) []driver.Entity {
	f.Helper()
	return f.pages(&q.Paging, limit, func() (driver.Page, error) { return f.Scan(f.Context(), q) })
}

// pages follows continuations to the end. It fails the test if there is no end.
func (f table) pages(p *driver.Paging, limit int, read func() (driver.Page, error)) (rows []driver.Entity) {
	f.Helper()
	p.Limit = limit
	for range 1000 {
		page, err := read()
		if err != nil || len(page.Rows) > limit {
			f.Fatalf("a page of at most %d rows holds %d (%v)", limit, len(page.Rows), err)
		}
		for _, row := range page.Rows {
			slices.SortFunc(row.Properties, func(a, b driver.Property) int { return cmp.Compare(a.Name, b.Name) })
			rows = append(rows, row)
		}
		if page.Continuation == "" {
			return rows
		}
		p.Continuation = page.Continuation
	}
	f.Fatal("no end of the pages")
	return nil
}

// keysOf returns PARTITION/ROW of each row.
func keysOf(rows []driver.Entity) []string {
	keys := make([]string, len(rows))
	for i, row := range rows {
		keys[i] = row.Partition + "/" + row.Row
	}
	return keys
}

// version is the condition that a row of partition p is as it is now.
func (f table) version(row string) driver.Condition {
	f.Helper()
	e, err := f.Get(f.Context(), "p", row)
	if err != nil || e.ETag == "" {
		f.Fatalf("row %q has the ETag %q, %v", row, e.ETag, err)
	}
	return driver.Match(e.ETag)
}

func numbered(i int) string { return fmt.Sprintf("n%06d", i) }

// inserts makes n rows numbered from 0.
func inserts(n int) []driver.Operation {
	ops := make([]driver.Operation, n)
	for i := range ops {
		ops[i] = driver.Insert(numbered(i), driver.Int64("N", int64(i)))
	}
	return ops
}

// inParts applies any number of operations to partition p, 100 at a time.
func (f table) inParts(ops []driver.Operation) {
	f.Helper()
	for part := range slices.Chunk(ops, driver.MaxOperations) {
		f.do("p", part...)
	}
}

func a(n int64) driver.Property { return driver.Int64("A", n) }
func b(n int64) driver.Property { return driver.Int64("B", n) }

func writeTests() map[string]func(table) {
	return map[string]func(table){
		"by merge keeps the properties that it does not name": func(f table) {
			f.do("p", driver.Insert("r", driver.String("A", "1"), b(2)))
			f.do("p", driver.Merge("r", driver.Exists, b(3), driver.Bool("C", true)))
			f.holds(`p/r A="1" B=3 C=true`)
			f.do("p", driver.Merge("r", driver.Exists))
			f.holds(`p/r A="1" B=3 C=true`)
		},
		"by merge may change the kind of a property": func(f table) {
			f.do("p", driver.Insert("r", driver.String("A", "1")))
			f.do("p", driver.Merge("r", driver.Exists, a(1)))
			f.holds("p/r A=1")
		},
		"by replace drops the properties that it does not name": func(f table) {
			f.do("p", driver.Insert("r", a(1), b(2)))
			f.do("p", driver.Replace("r", driver.Exists, b(3)))
			f.holds("p/r B=3")
			f.do("p", driver.Replace("r", f.version("r")))
			f.holds("p/r")
		},
		"by upsert creates a missing row, and changes one that is there": func(f table) {
			f.do("p", driver.Insert("m", a(1), b(1)), driver.Insert("r", a(1), b(1)))
			f.do("p", driver.Merge("m", driver.Upsert, a(2)), driver.Replace("r", driver.Upsert, a(2)),
				driver.Merge("new m", driver.Upsert, a(3)), driver.Replace("new r", driver.Upsert, a(3)))
			f.holds("p/m A=2 B=1", "p/new m A=3", "p/new r A=3", "p/r A=2")
		},
		"by insert never overwrites": func(f table) {
			f.do("p", driver.Insert("r", a(1)))
			f.fails(0, domain.ErrExists, driver.Insert("r", a(2)))
		},
		"by merge or replace never creates, and by delete does not find a missing row": func(f table) {
			f.do("p", driver.Insert("other"))
			other := f.version("other")
			for _, op := range []driver.Operation{
				driver.Merge("r", driver.Exists, a(1)), driver.Merge("r", driver.Exists), driver.Merge("r", other, a(1)),
				driver.Replace("r", driver.Exists, a(1)), driver.Replace("r", other, a(1)),
				driver.Delete("r", driver.Exists), driver.Delete("r", other),
			} {
				f.fails(0, domain.ErrNotFound, op)
			}
		},
		"stays when the table is created again": func(f table) {
			f.do("p", driver.Insert("r", a(1)))
			before := f.rows()
			if err := f.Create(f.Context()); err != nil || !reflect.DeepEqual(before, f.rows()) {
				f.Fatalf("%v became %v (%v)", before, f.rows(), err)
			}
		},
		"in a context that has ended returns its error, as every call does": func(f table) {
			ended, cancel := context.WithCancel(f.Context())
			cancel()
			for _, call := range EachCall(strings.ToLower(f.Table.Name())) {
				refuses(f.T, context.Canceled, f.backend.Do(ended, &call))
			}
		},
	}
}

func etagTests() map[string]func(table) {
	return map[string]func(table){
		"changes with every write and never repeats": func(f table) {
			seen := map[driver.Condition]bool{}
			for range 8 {
				for _, op := range []driver.Operation{
					driver.Insert("r", a(1)), driver.Merge("r", driver.Exists, a(1)), driver.Replace("r", driver.Exists, a(1)),
					driver.Merge("r", driver.Upsert, a(1)), driver.Merge("r", driver.Exists),
				} {
					f.do("p", op)
					if now := f.version("r"); seen[now] {
						f.Fatalf("%v after %v was there before", now, op)
					} else {
						seen[now] = true
					}
				}
				f.do("p", driver.Delete("r", driver.Exists))
			}
		},
		"that is stale is a conflict and changes nothing": func(f table) {
			f.do("p", driver.Insert("r", a(1)))
			stale := f.version("r")
			f.do("p", driver.Merge("r", driver.Exists))
			for _, op := range []driver.Operation{driver.Merge("r", stale, a(3)), driver.Merge("r", stale), driver.Replace("r", stale, a(3)), driver.Delete("r", stale)} {
				f.fails(0, domain.ErrConflict, op)
			}
			f.do("p", driver.Delete("r", f.version("r")))
			f.holds()
		},
	}
}

func transactionTests() map[string]func(table) {
	of := func(n int) func(table) {
		return func(f table) {
			f.do("p", inserts(n)...)
			var deletes []driver.Operation
			for i, row := range f.rows() {
				if want := fmt.Sprintf("p/%s N=%d", numbered(i), i); line(row) != want {
					f.Fatalf("row %d is %s, want %s", i, line(row), want)
				}
				deletes = append(deletes, driver.Delete(row.Row, driver.Match(row.ETag)))
			}
			if len(deletes) != n {
				f.Fatalf("%d rows after a transaction of %d inserts", len(deletes), n)
			}
			f.do("p", deletes...)
			f.holds()
		}
	}
	mixed := []driver.Operation{
		driver.Delete("delete", driver.Exists), driver.Insert("insert", a(2)), driver.Merge("merge", driver.Exists, a(2)),
		driver.Replace("replace", driver.Exists, a(2)), driver.Merge("upsert", driver.Upsert, a(2)),
	}
	threeRows := func(f table) {
		f.do("p", driver.Insert("delete", a(1), b(1)), driver.Insert("merge", a(1), b(1)), driver.Insert("replace", a(1), b(1)))
	}
	return map[string]func(table){
		"may have 1 operation":    of(1),
		"may have 100 operations": of(driver.MaxOperations),
		"may mix actions": func(f table) {
			threeRows(f)
			f.do("p", mixed...)
			f.holds("p/insert A=2", "p/merge A=2 B=1", "p/replace A=2", "p/upsert A=2")
		},
		"of mixed actions that fails leaves every row as it was": func(f table) {
			threeRows(f)
			f.fails(len(mixed), domain.ErrNotFound, append(slices.Clip(mixed), driver.Merge("missing", driver.Exists))...)
		},
		"leaves other partitions as they are": func(f table) {
			f.do("q", driver.Insert("r", a(1)))
			before := f.rows()
			f.do("p", driver.Replace("r", driver.Upsert, a(2)))
			f.do("p", driver.Delete("r", driver.Exists))
			if !reflect.DeepEqual(before, f.rows()) {
				f.Fatalf("%v became %v", before, f.rows())
			}
		},
		// If a transaction wrote something, the next one would fail elsewhere, because it
		// inserts the same rows.
		"names the operation that failed, wherever it is": func(f table) {
			f.do("p", driver.Insert("taken", a(1)))
			stale := f.version("taken")
			f.do("p", driver.Merge("taken", driver.Exists))
			for i := range driver.MaxOperations {
				for _, test := range []struct {
					op      driver.Operation
					meaning error
				}{
					{driver.Insert("taken"), domain.ErrExists}, {driver.Merge("missing", driver.Exists), domain.ErrNotFound},
					{driver.Delete("missing", driver.Exists), domain.ErrNotFound}, {driver.Merge("taken", stale, a(2)), domain.ErrConflict},
				} {
					ops := inserts(driver.MaxOperations)
					ops[i] = test.op
					f.fails(i, test.meaning, ops...)
				}
			}
		},
	}
}

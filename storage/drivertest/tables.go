package drivertest

import (
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Tables runs the conformance suite of a driver.Tables. It calls open once for
// each test; open must register the closing of what it opens with t.Cleanup.
func Tables(t *testing.T, open func(t *testing.T) driver.Backend) {
	topics := map[string]tableTests{
		"Key":         keyTests(),
		"Property":    propertyTests(),
		"Write":       writeTests(),
		"ETag":        etagTests(),
		"Transaction": transactionTests(),
		"Failure":     failureTests(),
		"Guard":       guardTests(),
		"Read":        readTests(),
		"Paging":      pagingTests(),
	}
	for topic, tests := range topics {
		t.Run(topic, func(t *testing.T) {
			for sentence, test := range tests {
				t.Run(sentence, func(t *testing.T) {
					t.Parallel()
					test(t, newTable(t, open(t)))
				})
			}
		})
	}
}

// tableTests are the tests of one topic. The key is the sentence that the test
// would refute.
type tableTests map[string]func(t *testing.T, table fixture)

// A fixture is a table that only one test uses.
type fixture struct {
	*driver.Table
	backend driver.Backend
	name    string
}

func newTable(t *testing.T, tables driver.Backend) fixture {
	t.Helper()
	name := "T" + rand.Text()
	if err := tables.CreateTable(t.Context(), name); err != nil {
		t.Fatalf("creating table %s: %v", name, err)
	}
	return fixture{Table: driver.NewTable(tables, name), backend: tables, name: name}
}

// transact applies operations that must succeed.
func (f fixture) transact(t *testing.T, partition string, ops ...driver.Operation) {
	t.Helper()
	if err := f.Transact(t.Context(), partition, ops...); err != nil {
		t.Fatalf("transaction of %d in partition %q: %v", len(ops), partition, err)
	}
}

// get reads a row that must be there.
func (f fixture) get(t *testing.T, partition, row string) driver.Entity {
	t.Helper()
	e, err := f.Get(t.Context(), partition, row)
	if err != nil {
		t.Fatalf("reading row %q of partition %q: %v", row, partition, err)
	}
	if e.Partition != partition || e.Row != row {
		t.Fatalf("asked for (%q, %q), got (%q, %q)", partition, row, e.Partition, e.Row)
	}
	return e
}

// absent requires that a row is not there.
func (f fixture) absent(t *testing.T, partition, row string) {
	t.Helper()
	if _, err := f.Get(t.Context(), partition, row); !errors.Is(err, domain.ErrNotFound) {
		t.Fatalf("row %q of partition %q: want ErrNotFound, got %v", row, partition, err)
	}
}

// rows reads a range to its end, in pages of the query's limit.
func (f fixture) rows(t *testing.T, q driver.Range) []driver.Entity {
	t.Helper()
	return readPages(t, q.Limit, func(continuation string) (driver.Page, error) {
		q.Continuation = continuation
		return f.Range(t.Context(), q)
	})
}

// scan reads a scan to its end, in pages of the query's limit.
func (f fixture) scan(t *testing.T, q driver.Scan) []driver.Entity {
	t.Helper()
	return readPages(t, q.Limit, func(continuation string) (driver.Page, error) {
		q.Continuation = continuation
		return f.Scan(t.Context(), q)
	})
}

// readPages follows continuations to the end. It fails the test if there is no
// end.
func readPages(t *testing.T, limit int, read func(continuation string) (driver.Page, error)) []driver.Entity {
	t.Helper()
	const tooMany = 1000
	var rows []driver.Entity
	continuation := ""
	for range tooMany {
		page, err := read(continuation)
		if err != nil {
			t.Fatalf("reading a page: %v", err)
		}
		if len(page.Rows) > limit {
			t.Fatalf("a page of at most %d rows holds %d", limit, len(page.Rows))
		}
		rows = append(rows, page.Rows...)
		if page.Continuation == "" {
			return rows
		}
		continuation = page.Continuation
	}
	t.Fatalf("no end after %d pages", tooMany)
	return nil
}

func rowKeys(rows []driver.Entity) []string {
	keys := make([]string, len(rows))
	for i, e := range rows {
		keys[i] = e.Row
	}
	return keys
}

func wantKeys(t *testing.T, got []driver.Entity, want ...string) {
	t.Helper()
	if keys := rowKeys(got); !slices.Equal(keys, want) {
		t.Fatalf("got rows %q, want %q", keys, want)
	}
}

// wantProperties requires these properties, in any order.
func wantProperties(t *testing.T, e driver.Entity, want ...driver.Property) {
	t.Helper()
	if len(e.Properties) != len(want) || !maps.Equal(byName(e.Properties), byName(want)) {
		t.Fatalf("row %q holds %v, want %v", e.Row, e.Properties, want)
	}
}

func byName(p driver.Properties) map[string]driver.Value {
	values := make(map[string]driver.Value, len(p))
	for _, property := range p {
		values[property.Name] = property.Value
	}
	return values
}

func wantError(t *testing.T, err, meaning error) {
	t.Helper()
	if !errors.Is(err, meaning) {
		t.Fatalf("got error %v, want one that is %q", err, meaning)
	}
}

// wantOperationError requires that the operation at index failed, with meaning.
func wantOperationError(t *testing.T, err error, index int, meaning error) {
	t.Helper()
	var failed *driver.OperationError
	if !errors.As(err, &failed) {
		t.Fatalf("got error %v, want an OperationError of operation %d: %v", err, index, meaning)
	}
	if failed.Index != index {
		t.Fatalf("operation %d failed, want operation %d: %v", failed.Index, index, err)
	}
	wantError(t, err, meaning)
}

package drivertest

import (
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

// Tables runs the conformance suite of a storage.Tables. The constructor
// is called once for each test, which closes what it opens through t.Cleanup.
func Tables(t *testing.T, open func(t *testing.T) storage.Tables) {
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

// tableTests are the tests of one topic, by the sentence that each would refute.
type tableTests map[string]func(t *testing.T, table fixture)

// A fixture is a table of the test's own.
type fixture struct {
	*storage.Table
	driver storage.Tables
	name   string
}

func newTable(t *testing.T, driver storage.Tables) fixture {
	t.Helper()
	name := "T" + rand.Text()
	if err := driver.CreateTable(t.Context(), name); err != nil {
		t.Fatalf("creating table %s: %v", name, err)
	}
	return fixture{Table: storage.NewTable(driver, name), driver: driver, name: name}
}

// transact applies operations that must succeed.
func (f fixture) transact(t *testing.T, partition string, ops ...storage.Operation) {
	t.Helper()
	if err := f.Transact(t.Context(), partition, ops...); err != nil {
		t.Fatalf("transaction of %d in partition %q: %v", len(ops), partition, err)
	}
}

// get reads a row that must be there.
func (f fixture) get(t *testing.T, partition, row string) storage.Entity {
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

// absent checks that a row is not there.
func (f fixture) absent(t *testing.T, partition, row string) {
	t.Helper()
	if _, err := f.Get(t.Context(), partition, row); !errors.Is(err, domain.ErrNotFound) {
		t.Fatalf("row %q of partition %q: want ErrNotFound, got %v", row, partition, err)
	}
}

// rows reads a range to its end, in pages of the query's limit.
func (f fixture) rows(t *testing.T, q storage.Range) []storage.Entity {
	t.Helper()
	return readPages(t, q.Limit, func(continuation string) (storage.Page, error) {
		q.Continuation = continuation
		return f.Range(t.Context(), q)
	})
}

// scan reads a scan to its end, in pages of the query's limit.
func (f fixture) scan(t *testing.T, q storage.Scan) []storage.Entity {
	t.Helper()
	return readPages(t, q.Limit, func(continuation string) (storage.Page, error) {
		q.Continuation = continuation
		return f.Scan(t.Context(), q)
	})
}

// readPages follows continuations to the end, and fails a test that would
// follow them for ever.
func readPages(t *testing.T, limit int, read func(continuation string) (storage.Page, error)) []storage.Entity {
	t.Helper()
	const tooMany = 1000
	var rows []storage.Entity
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

func rowKeys(rows []storage.Entity) []string {
	keys := make([]string, len(rows))
	for i, e := range rows {
		keys[i] = e.Row
	}
	return keys
}

func wantKeys(t *testing.T, got []storage.Entity, want ...string) {
	t.Helper()
	if keys := rowKeys(got); !slices.Equal(keys, want) {
		t.Fatalf("got rows %q, want %q", keys, want)
	}
}

// wantProperties compares in any order.
func wantProperties(t *testing.T, e storage.Entity, want ...storage.Property) {
	t.Helper()
	if len(e.Properties) != len(want) || !maps.Equal(byName(e.Properties), byName(want)) {
		t.Fatalf("row %q holds %v, want %v", e.Row, e.Properties, want)
	}
}

func byName(p storage.Properties) map[string]storage.Value {
	values := make(map[string]storage.Value, len(p))
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

// wantOperationError checks which operation of a transaction failed, and why.
func wantOperationError(t *testing.T, err error, index int, meaning error) {
	t.Helper()
	var failed *storage.OperationError
	if !errors.As(err, &failed) {
		t.Fatalf("got error %v, want an OperationError of operation %d: %v", err, index, meaning)
	}
	if failed.Index != index {
		t.Fatalf("operation %d is said to have failed, but it was %d: %v", failed.Index, index, err)
	}
	wantError(t, err, meaning)
}

package driver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// unreached is a backend that fails the test if it is called.
func unreached(t *testing.T) *drivertest.Faults {
	return drivertest.NewFaults(nil, func(_ context.Context, call drivertest.Call, _ drivertest.Send) error {
		t.Errorf("the backend was reached by %s", call.Method)
		return nil
	})
}

// accepting is a backend that accepts every call and returns nothing.
func accepting() *drivertest.Faults {
	return drivertest.NewFaults(nil, func(context.Context, drivertest.Call, drivertest.Send) error { return nil })
}

// longestText has as many UTF-16 units as 64 KiB hold.
var longestText = strings.Repeat("x", 32<<10)

// longTexts returns n properties of 64 KiB each.
func longTexts(n int) []driver.Property {
	properties := make([]driver.Property, n)
	for i := range properties {
		properties[i] = driver.String(fmt.Sprint("P", i), longestText)
	}
	return properties
}

func numbers(n int) []driver.Property {
	properties := make([]driver.Property, n)
	for i := range properties {
		properties[i] = driver.Int64(fmt.Sprint("P", i), int64(i))
	}
	return properties
}

// insertEach returns n inserts with the same properties.
func insertEach(n int, properties ...driver.Property) []driver.Operation {
	ops := make([]driver.Operation, n)
	for i := range ops {
		ops[i] = driver.Insert(fmt.Sprint("r", i), properties...)
	}
	return ops
}

type transaction struct {
	partition string
	ops       []driver.Operation
}

func in(partition string, ops ...driver.Operation) transaction {
	return transaction{partition, ops}
}

func TestTable(t *testing.T) {
	t.Run("refuses a transaction that breaks a limit", refusesTransactions)
	t.Run("accepts a transaction that has just as much as fits", acceptsTransactions)
	t.Run("refuses each forbidden byte anywhere in a key", refusesKeys)
	t.Run("refuses a bad property name", refusesPropertyNames)
	t.Run("refuses a page of 0 rows or of more than 1000", refusesPageSizes)
	t.Run("names the operation that breaks a limit", limitErrorNamesOperation)
	t.Run("stops between two rows of a page when the context ends", rowsEndWithTheContext)
}

func refusesTransactions(t *testing.T) {
	for sentence, tx := range map[string]transaction{
		"it has no operation":                      in("p"),
		"it has 101 operations":                    in("p", insertEach(101)...),
		"it touches a row twice":                   in("p", driver.Insert("r"), driver.Insert("s"), driver.Delete("r", driver.Exists)),
		"it has more than 4 MiB":                   in("p", insertEach(9, longTexts(15)...)...),
		"its partition key is empty":               in("", driver.Insert("r")),
		"its partition key has 513 characters":     in(strings.Repeat("p", 513), driver.Insert("r")),
		"a row key has 513 characters":             in("p", driver.Insert(strings.Repeat("r", 513))),
		"only its last row key is bad":             in("p", driver.Insert("r"), driver.Insert("s"), driver.Insert("a/b")),
		"an action is unknown":                     in("p", driver.Operation{Action: "upsert", Row: "r", If: driver.Exists}),
		"there is no action":                       in("p", driver.Operation{Row: "r", If: driver.Exists}),
		"a merge has no condition":                 in("p", driver.Operation{Action: driver.ActionMerge, Row: "r"}),
		"a replace has no condition":               in("p", driver.Operation{Action: driver.ActionReplace, Row: "r"}),
		"a delete has no condition":                in("p", driver.Operation{Action: driver.ActionDelete, Row: "r"}),
		"a delete does not need its row to exist":  in("p", driver.Delete("r", driver.Upsert)),
		"the ETag to match is empty":               in("p", driver.Merge("r", driver.Match(""))),
		"an entity has 253 properties":             in("p", driver.Insert("r", numbers(253)...)),
		"a row has more than 1 MiB":                in("p", driver.Insert("r", longTexts(16)...)),
		"a string has more than 64 KiB of UTF-16":  in("p", driver.Insert("r", driver.String("A", longestText+"x"))),
		"a string has more than 64 KiB in astrals": in("p", driver.Insert("r", driver.String("A", strings.Repeat("😀", 16<<10)+"x"))),
		"a string is not valid UTF-8":              in("p", driver.Insert("r", driver.String("A", "a\xffb"))),
		"a property is given twice":                in("p", driver.Insert("r", driver.Int64("A", 1), driver.Int64("B", 2), driver.Bool("A", true))),
		"a property has no value":                  in("p", driver.Insert("r", driver.Property{Name: "A"})),
		"an instant lies before the year 1601":     in("p", driver.Insert("r", driver.Time("A", time.Date(1600, 12, 31, 23, 59, 59, 0, time.UTC)))),
		"an instant lies after the year 9999":      in("p", driver.Insert("r", driver.Time("A", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)))),
		"a merge breaks a limit of properties":     in("p", driver.Merge("r", driver.Exists, numbers(253)...)),
		"a replace breaks a limit of properties":   in("p", driver.Replace("r", driver.Upsert, longTexts(16)...)),
	} {
		t.Run(sentence, func(t *testing.T) {
			wantLimit(t, driver.NewTable(unreached(t), "T").Transact(t.Context(), tx.partition, tx.ops...))
		})
	}
}

func acceptsTransactions(t *testing.T) {
	longestKey := strings.Repeat(" ~", 256)
	for sentence, tx := range map[string]transaction{
		"keys have 512 characters, the first and the last of ASCII": in(longestKey, driver.Insert(longestKey)),
		"an entity has 252 properties":                              in("p", driver.Insert("r", numbers(252)...)),
		"a row has 1 MiB as Azure counts it":                        in("p", driver.Insert("r", append(longTexts(15), driver.String("P15", longestText[:32630]))...)),
		"a property name has 255 characters, of each range":         in("p", driver.Insert("r", driver.Bool("azAZ_09"+strings.Repeat("N", 248), true))),
	} {
		if err := driver.NewTable(accepting(), "T").Transact(t.Context(), tx.partition, tx.ops...); err != nil {
			t.Errorf("%s: %v", sentence, err)
		}
	}
}

func refusesKeys(t *testing.T) {
	table := driver.NewTable(unreached(t), "T")
	for c := range 256 {
		forbidden := c < 0x20 || c >= 0x7f || strings.ContainsRune(`/\#?'`, rune(c))
		if !forbidden {
			continue
		}
		for _, key := range []string{string([]byte{byte(c)}), string([]byte{'a', byte(c), 'b'}), string([]byte{'a', byte(c)})} {
			wantLimit(t, table.Transact(t.Context(), key, driver.Insert("r")))
			wantLimit(t, table.Transact(t.Context(), "p", driver.Delete(key, driver.Exists)))
			_, err := table.Get(t.Context(), key, "r")
			wantLimit(t, err)
			_, err = table.Get(t.Context(), "p", key)
			wantLimit(t, err)
			_, err = table.Range(t.Context(), driver.Range{Partition: key, Paging: driver.Paging{Limit: 1}})
			wantLimit(t, err)
		}
	}
}

func refusesPropertyNames(t *testing.T) {
	for what, name := range map[string]string{
		"the partition key's":            "PartitionKey",
		"the row key's":                  "RowKey",
		"the time stamp's":               "Timestamp",
		"one that makes Azurite fail":    "hasOwnProperty",
		"an empty one":                   "",
		"one of 256 letters":             strings.Repeat("N", 256),
		"one that starts with a digit":   "1st",
		"one with a hyphen":              "a-b",
		"one with a dot":                 "odata.etag",
		"one with an at sign":            "A@odata.type",
		"one with a space":               "a b",
		"one with a letter beyond ASCII": "Größe",
	} {
		t.Run(what, func(t *testing.T) {
			table := driver.NewTable(unreached(t), "T")
			wantLimit(t, table.Transact(t.Context(), "p", driver.Insert("r", driver.Bool("A", true), driver.Bool(name, true))))
		})
	}
}

func refusesPageSizes(t *testing.T) {
	table := driver.NewTable(unreached(t), "T")
	for _, limit := range []int{-1, 0, 1001} {
		_, err := table.Range(t.Context(), driver.Range{Partition: "p", Paging: driver.Paging{Limit: limit}})
		wantLimit(t, err)
		_, err = table.Scan(t.Context(), driver.Scan{Paging: driver.Paging{Limit: limit}})
		wantLimit(t, err)
	}
}

func limitErrorNamesOperation(t *testing.T) {
	err := driver.NewTable(unreached(t), "T").Transact(t.Context(), "p", driver.Insert("r"), driver.Merge("a#b", driver.Exists))
	wantLimit(t, err)
	if err != nil && (!strings.Contains(err.Error(), "operation 1 (merge)") || !strings.Contains(err.Error(), "'#'")) {
		t.Errorf("%q names neither the operation nor the character", err)
	}
}

func wantLimit(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, domain.ErrLimit) {
		t.Errorf("got %v, want ErrLimit", err)
	}
}

func rowsEndWithTheContext(t *testing.T) {
	backend := driver.Wrap(accepting(), func(_ context.Context, c *driver.Call, _ func(context.Context) error) error {
		c.Page = driver.Page{Rows: make([]driver.Entity, 3)}
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	table, read := driver.NewTable(backend, "T"), 0
	for _, err := range table.Within(ctx, driver.Range{Partition: "p"}) {
		if read++; read == 3 || (err != nil) != (read == 2) {
			t.Errorf("row %d comes with %v", read, err)
		}
		cancel()
	}
	if _, err := table.First(ctx, 3, driver.Range{Partition: "p"}); !errors.Is(err, context.Canceled) {
		t.Errorf("reading after the end: %v", err)
	}
}

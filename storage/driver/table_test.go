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

// unreached is a backend that must not see what breaks a limit.
func unreached(t *testing.T) *drivertest.Faults {
	return drivertest.NewFaults(nil, nil, func(_ context.Context, call drivertest.Call, _ drivertest.Send) error {
		t.Errorf("the driver was reached by %s", call.Method)
		return nil
	})
}

// accepting is a backend that answers everything with nothing.
func accepting() *drivertest.Faults {
	return drivertest.NewFaults(nil, nil, func(context.Context, drivertest.Call, drivertest.Send) error { return nil })
}

// longestText has as many UTF-16 units as fit in 64 KiB.
var longestText = strings.Repeat("x", 32<<10)

// longTexts is n properties of 64 KiB each.
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

// insertEach is n inserts with the same properties.
func insertEach(n int, properties ...driver.Property) []driver.Operation {
	ops := make([]driver.Operation, n)
	for i := range ops {
		ops[i] = driver.Insert(fmt.Sprint("r", i), properties...)
	}
	return ops
}

// A transaction as the tests below write it.
type transaction struct {
	partition string
	ops       []driver.Operation
}

func in(partition string, ops ...driver.Operation) transaction {
	return transaction{partition, ops}
}

func TestTableRefusesATransactionThatBreaksALimitBeforeTheDriver(t *testing.T) {
	for sentence, tx := range map[string]transaction{
		"it has no operation":                      in("p"),
		"it has 101 operations":                    in("p", insertEach(101)...),
		"it touches a row twice":                   in("p", driver.Insert("r"), driver.Insert("s"), driver.Delete("r", driver.Exists)),
		"it has more than 4 MiB":                   in("p", insertEach(9, longTexts(15)...)...),
		"its partition key is empty":               in("", driver.Insert("r")),
		"its partition key has 513 characters":     in(strings.Repeat("p", 513), driver.Insert("r")),
		"a row key has 513 characters":             in("p", driver.Insert(strings.Repeat("r", 513))),
		"only its last row key is bad":             in("p", driver.Insert("r"), driver.Insert("s"), driver.Insert("a/b")),
		"an action is unknown":                     in("p", driver.Operation{Action: 9, Row: "r", If: driver.Exists}),
		"there is no action":                       in("p", driver.Operation{Row: "r", If: driver.Exists}),
		"a merge has no condition":                 in("p", driver.Operation{Action: driver.ActionMerge, Row: "r"}),
		"a replace has no condition":               in("p", driver.Operation{Action: driver.ActionReplace, Row: "r"}),
		"a delete has no condition":                in("p", driver.Operation{Action: driver.ActionDelete, Row: "r"}),
		"a delete does not need its row to exist":  in("p", driver.Delete("r", driver.Upsert)),
		"the ETag to match is empty":               in("p", driver.Merge("r", driver.Match(""))),
		"an entity has 253 properties":             in("p", driver.Insert("r", numbers(253)...)),
		"an entity has more than 1 MiB":            in("p", driver.Insert("r", longTexts(16)...)),
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

func TestTableLetsATransactionAtTheLimitPass(t *testing.T) {
	for sentence, tx := range map[string]transaction{
		"100 operations":                 in("p", insertEach(100)...),
		"keys of 512 characters":         in(strings.Repeat("p", 512), driver.Insert(strings.Repeat("r", 512))),
		"an empty row key":               in("p", driver.Insert("")),
		"252 properties":                 in("p", driver.Insert("r", numbers(252)...)),
		"an entity of just under 1 MiB":  in("p", driver.Insert("r", longTexts(15)...)),
		"a transaction of under 4 MiB":   in("p", insertEach(8, longTexts(15)...)...),
		"a string of 64 KiB of UTF-16":   in("p", driver.Insert("r", driver.String("A", longestText))),
		"the same in astral characters":  in("p", driver.Insert("r", driver.String("A", strings.Repeat("😀", 16<<10)))),
		"the first instant":              in("p", driver.Insert("r", driver.Time("A", time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)))),
		"the last instant":               in("p", driver.Insert("r", driver.Time("A", time.Date(9999, 12, 31, 23, 59, 59, 999999900, time.UTC)))),
		"a property name of 255 letters": in("p", driver.Insert("r", driver.Bool(strings.Repeat("N", 255), true))),
		"an insert without a condition":  in("p", driver.Operation{Action: driver.ActionInsert, Row: "r"}),
	} {
		t.Run(sentence, func(t *testing.T) {
			backend := accepting()
			if err := driver.NewTable(backend, "T").Transact(t.Context(), tx.partition, tx.ops...); err != nil {
				t.Error(err)
			}
			if backend.Calls() != 1 {
				t.Errorf("the driver was called %d times", backend.Calls())
			}
		})
	}
}

func TestTableRefusesEachForbiddenByteOfAKeyWhereverItStands(t *testing.T) {
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

func TestTableRefusesANameThatIsNoPropertyName(t *testing.T) {
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

func TestTableRefusesAPageOfNoneOrOfMoreThan1000Rows(t *testing.T) {
	table := driver.NewTable(unreached(t), "T")
	for _, limit := range []int{-1, 0, 1001} {
		_, err := table.Range(t.Context(), driver.Range{Partition: "p", Paging: driver.Paging{Limit: limit}})
		wantLimit(t, err)
		_, err = table.Scan(t.Context(), driver.Scan{Paging: driver.Paging{Limit: limit}})
		wantLimit(t, err)
	}
}

func TestALimitErrorSaysWhichOperationBrokeIt(t *testing.T) {
	err := driver.NewTable(unreached(t), "T").Transact(t.Context(), "p", driver.Insert("r"), driver.Merge("a#b", driver.Exists))
	wantLimit(t, err)
	if err != nil && (!strings.Contains(err.Error(), "operation 1 (merge)") || !strings.Contains(err.Error(), "'#'")) {
		t.Errorf("%q names neither the operation nor the character", err)
	}
}

func TestQueueRefusesATextThatAzureRefusesOrAlters(t *testing.T) {
	for what, text := range map[string]string{
		"an empty one":                   "",
		"one of more than 64 KiB":        strings.Repeat("x", 64<<10+1),
		"one with a zero byte":           "a\x00b",
		"one with a carriage return":     "a\r\nb",
		"one with an escape":             "a\x1bb",
		"one with a delete":              "a\x7fb",
		"one that is not valid UTF-8":    "a\xffb",
		"one with a code point FFFE":     "a\uFFFEb",
		"one with a code point FFFF":     "a\uFFFFb",
		"one with half a surrogate pair": "a\xed\xa0\x80b",
	} {
		t.Run(what, func(t *testing.T) {
			queue := driver.NewQueue(unreached(t), "q")
			wantLimit(t, queue.Send(t.Context(), text))
			_, err := queue.Update(t.Context(), driver.Message{ID: "1"}, text, time.Second)
			wantLimit(t, err)
		})
	}
}

func TestQueueRefusesALeaseThatAzureDoesNotGrant(t *testing.T) {
	const week = 7 * 24 * time.Hour
	queue := driver.NewQueue(unreached(t), "q")
	for _, lease := range []time.Duration{-time.Second, time.Nanosecond, time.Second + time.Millisecond, week + time.Second} {
		_, err := queue.Receive(t.Context(), 1, lease)
		wantLimit(t, err)
		_, err = queue.Update(t.Context(), driver.Message{ID: "1"}, "text", lease)
		wantLimit(t, err)
	}
	_, err := queue.Receive(t.Context(), 1, 0)
	wantLimit(t, err)
}

func TestQueueLetsTextsAndLeasesAtTheLimitPass(t *testing.T) {
	queue := driver.NewQueue(accepting(), "q")
	update := func(lease time.Duration) error {
		_, err := queue.Update(t.Context(), driver.Message{ID: "1"}, "text", lease)
		return err
	}
	receive := func(lease time.Duration) error {
		_, err := queue.Receive(t.Context(), 1, lease)
		return err
	}
	for what, err := range map[string]error{
		"a text of 64 KiB":      queue.Send(t.Context(), strings.Repeat("x", 64<<10)),
		"a tab and a newline":   queue.Send(t.Context(), "a\tb\nc"),
		"an update of a week":   update(7 * 24 * time.Hour),
		"an update of no time":  update(0),
		"a receive of a second": receive(time.Second),
		"a receive of a week":   receive(7 * 24 * time.Hour),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// receiveLimit notes what limit reaches the driver.
type receiveLimit struct {
	driver.Queues
	limit int
}

func (d *receiveLimit) Receive(_ context.Context, _ string, limit int, _ time.Duration) ([]driver.Message, error) {
	d.limit = limit
	return nil, nil
}

func TestQueueAsksForOneTo32Messages(t *testing.T) {
	_, err := driver.NewQueue(unreached(t), "q").Receive(t.Context(), 0, time.Second)
	wantLimit(t, err)
	for asked, want := range map[int]int{1: 1, 32: 32, 33: 32, 1000: 32} {
		backend := &receiveLimit{}
		if _, err := driver.NewQueue(backend, "q").Receive(t.Context(), asked, time.Second); err != nil {
			t.Error(err)
		}
		if backend.limit != want {
			t.Errorf("asked for %d messages, the driver for %d, want %d", asked, backend.limit, want)
		}
	}
}

func wantLimit(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, domain.ErrLimit) {
		t.Errorf("got %v, want ErrLimit", err)
	}
}

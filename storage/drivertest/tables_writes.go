package drivertest

import (
	"context"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func writeTests() tableTests {
	return tableTests{
		"by merge keeps the properties that it does not name":   mergeKeeps,
		"by merge may change the kind of a property":            mergeChangesKind,
		"by replace drops the properties that it does not name": replaceDrops,
		"by upsert creates a missing row":                       upsertCreates,
		"by upsert changes a row that is there":                 upsertChanges,
		"by insert never overwrites":                            insertExists,
		"by merge or replace never creates":                     neverCreates,
		"by delete does not find a missing row":                 deleteMissing,
		"by insert after a delete starts a new row":             insertAfterDelete,
		"stays when the table is created again":                 createAgain,
		"in a context that has ended returns its error":         endedContext,
	}
}

func mergeKeeps(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r", driver.String("A", "1"), driver.Int64("B", 2)))
	table.transact(t, "p", driver.Merge("r", driver.Exists, driver.Int64("B", 3), driver.Bool("C", true)))
	wantProperties(t, table.get(t, "p", "r"), driver.String("A", "1"), driver.Int64("B", 3), driver.Bool("C", true))

	table.transact(t, "p", driver.Merge("r", driver.Exists))
	wantProperties(t, table.get(t, "p", "r"), driver.String("A", "1"), driver.Int64("B", 3), driver.Bool("C", true))
}

func mergeChangesKind(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r", driver.String("A", "1")))
	table.transact(t, "p", driver.Merge("r", driver.Exists, driver.Int64("A", 1)))
	wantProperties(t, table.get(t, "p", "r"), driver.Int64("A", 1))
}

func replaceDrops(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r", driver.String("A", "1"), driver.Int64("B", 2)))
	table.transact(t, "p", driver.Replace("r", driver.Exists, driver.Int64("B", 3)))
	wantProperties(t, table.get(t, "p", "r"), driver.Int64("B", 3))

	table.transact(t, "p", driver.Replace("r", driver.Match(table.get(t, "p", "r").ETag)))
	wantProperties(t, table.get(t, "p", "r"))
}

func upsertCreates(t *testing.T, table fixture) {
	table.transact(t, "p",
		driver.Merge("merged", driver.Upsert, driver.String("A", "1")),
		driver.Replace("replaced", driver.Upsert, driver.String("A", "2")))
	wantProperties(t, table.get(t, "p", "merged"), driver.String("A", "1"))
	wantProperties(t, table.get(t, "p", "replaced"), driver.String("A", "2"))
}

func upsertChanges(t *testing.T, table fixture) {
	old := []driver.Property{driver.String("A", "1"), driver.String("B", "1")}
	table.transact(t, "p", driver.Insert("merged", old...), driver.Insert("replaced", old...))
	table.transact(t, "p",
		driver.Merge("merged", driver.Upsert, driver.String("A", "2")),
		driver.Replace("replaced", driver.Upsert, driver.String("A", "2")))
	wantProperties(t, table.get(t, "p", "merged"), driver.String("A", "2"), driver.String("B", "1"))
	wantProperties(t, table.get(t, "p", "replaced"), driver.String("A", "2"))
}

func insertExists(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r", driver.String("A", "first")))
	before := table.get(t, "p", "r")
	err := table.Transact(t.Context(), "p", driver.Insert("r", driver.String("A", "second")))
	wantOperationError(t, err, 0, domain.ErrExists)
	unchanged(t, table, before)
}

func neverCreates(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("other"))
	etag := table.get(t, "p", "other").ETag
	for _, op := range []driver.Operation{
		driver.Merge("r", driver.Exists, driver.String("A", "1")),
		driver.Merge("r", driver.Exists),
		driver.Merge("r", driver.Match(etag), driver.String("A", "1")),
		driver.Replace("r", driver.Exists, driver.String("A", "1")),
		driver.Replace("r", driver.Match(etag), driver.String("A", "1")),
	} {
		wantOperationError(t, table.Transact(t.Context(), "p", op), 0, domain.ErrNotFound)
		table.absent(t, "p", "r")
	}
}

func deleteMissing(t *testing.T, table fixture) {
	wantOperationError(t, table.Transact(t.Context(), "p", driver.Delete("r", driver.Exists)), 0, domain.ErrNotFound)
	table.transact(t, "p", driver.Insert("r"))
	etag := table.get(t, "p", "r").ETag
	table.transact(t, "p", driver.Delete("r", driver.Match(etag)))
	table.absent(t, "p", "r")
	wantOperationError(t, table.Transact(t.Context(), "p", driver.Delete("r", driver.Match(etag))), 0, domain.ErrNotFound)
}

func insertAfterDelete(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r", driver.String("Old", "1")))
	table.transact(t, "p", driver.Delete("r", driver.Exists))
	table.transact(t, "p", driver.Insert("r", driver.String("New", "2")))
	wantProperties(t, table.get(t, "p", "r"), driver.String("New", "2"))
}

func createAgain(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r", driver.String("A", "1")))
	before := table.get(t, "p", "r")
	if err := table.backend.CreateTable(t.Context(), table.name); err != nil {
		t.Fatalf("creating the table again: %v", err)
	}
	unchanged(t, table, before)
}

func endedContext(t *testing.T, table fixture) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, table.Transact(ended, "p", driver.Insert("r")), ended.Err())
	_, err := table.Get(ended, "p", "r")
	wantError(t, err, ended.Err())
	_, err = table.Range(ended, pagesOf("p", 1))
	wantError(t, err, ended.Err())
}

// unchanged requires that a row is as it was read before.
func unchanged(t *testing.T, table fixture, before driver.Entity) {
	t.Helper()
	now := table.get(t, before.Partition, before.Row)
	if now.ETag != before.ETag {
		t.Fatalf("row %q was written: ETag %s became %s", before.Row, before.ETag, now.ETag)
	}
	wantProperties(t, now, before.Properties...)
}

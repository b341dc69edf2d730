package drivertest

import (
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

func writeTests() tableTests {
	return tableTests{
		"AMergeKeepsWhatItDoesNotName":         mergeKeeps,
		"AMergeMayChangeTheKindOfAProperty":    mergeChangesKind,
		"AReplaceDropsWhatItDoesNotName":       replaceDrops,
		"AnUpsertCreatesWhatIsMissing":         upsertCreates,
		"AnUpsertOfARowThatIsThereChangesIt":   upsertChanges,
		"AnInsertNeverOverwrites":              insertExists,
		"AMergeOrReplaceNeverCreates":          neverCreates,
		"ADeleteOfAMissingRowIsNotFound":       deleteMissing,
		"ADeletedRowCanBeInsertedAgainAfresh":  insertAfterDelete,
		"CreatingATableAgainKeepsWhatItHolds":  createAgain,
		"AWriteOfAnEndedContextReturnsItsFate": endedContext,
	}
}

func mergeKeeps(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r", storage.String("A", "1"), storage.Int64("B", 2)))
	table.transact(t, "p", storage.Merge("r", storage.Exists, storage.Int64("B", 3), storage.Bool("C", true)))
	wantProperties(t, table.get(t, "p", "r"), storage.String("A", "1"), storage.Int64("B", 3), storage.Bool("C", true))

	table.transact(t, "p", storage.Merge("r", storage.Exists))
	wantProperties(t, table.get(t, "p", "r"), storage.String("A", "1"), storage.Int64("B", 3), storage.Bool("C", true))
}

func mergeChangesKind(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r", storage.String("A", "1")))
	table.transact(t, "p", storage.Merge("r", storage.Exists, storage.Int64("A", 1)))
	wantProperties(t, table.get(t, "p", "r"), storage.Int64("A", 1))
}

func replaceDrops(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r", storage.String("A", "1"), storage.Int64("B", 2)))
	table.transact(t, "p", storage.Replace("r", storage.Exists, storage.Int64("B", 3)))
	wantProperties(t, table.get(t, "p", "r"), storage.Int64("B", 3))

	table.transact(t, "p", storage.Replace("r", storage.Match(table.get(t, "p", "r").ETag)))
	wantProperties(t, table.get(t, "p", "r"))
}

func upsertCreates(t *testing.T, table fixture) {
	table.transact(t, "p",
		storage.Merge("merged", storage.Upsert, storage.String("A", "1")),
		storage.Replace("replaced", storage.Upsert, storage.String("A", "2")))
	wantProperties(t, table.get(t, "p", "merged"), storage.String("A", "1"))
	wantProperties(t, table.get(t, "p", "replaced"), storage.String("A", "2"))
}

func upsertChanges(t *testing.T, table fixture) {
	old := []storage.Property{storage.String("A", "1"), storage.String("B", "1")}
	table.transact(t, "p", storage.Insert("merged", old...), storage.Insert("replaced", old...))
	table.transact(t, "p",
		storage.Merge("merged", storage.Upsert, storage.String("A", "2")),
		storage.Replace("replaced", storage.Upsert, storage.String("A", "2")))
	wantProperties(t, table.get(t, "p", "merged"), storage.String("A", "2"), storage.String("B", "1"))
	wantProperties(t, table.get(t, "p", "replaced"), storage.String("A", "2"))
}

func insertExists(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r", storage.String("A", "first")))
	before := table.get(t, "p", "r")
	err := table.Transact(t.Context(), "p", storage.Insert("r", storage.String("A", "second")))
	wantOperationError(t, err, 0, domain.ErrExists)
	unchanged(t, table, before)
}

func neverCreates(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("other"))
	etag := table.get(t, "p", "other").ETag
	for _, op := range []storage.Operation{
		storage.Merge("r", storage.Exists, storage.String("A", "1")),
		storage.Merge("r", storage.Exists),
		storage.Merge("r", storage.Match(etag), storage.String("A", "1")),
		storage.Replace("r", storage.Exists, storage.String("A", "1")),
		storage.Replace("r", storage.Match(etag), storage.String("A", "1")),
	} {
		wantOperationError(t, table.Transact(t.Context(), "p", op), 0, domain.ErrNotFound)
		table.absent(t, "p", "r")
	}
}

func deleteMissing(t *testing.T, table fixture) {
	wantOperationError(t, table.Transact(t.Context(), "p", storage.Delete("r", storage.Exists)), 0, domain.ErrNotFound)
	table.transact(t, "p", storage.Insert("r"))
	etag := table.get(t, "p", "r").ETag
	table.transact(t, "p", storage.Delete("r", storage.Match(etag)))
	table.absent(t, "p", "r")
	wantOperationError(t, table.Transact(t.Context(), "p", storage.Delete("r", storage.Match(etag))), 0, domain.ErrNotFound)
}

func insertAfterDelete(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r", storage.String("Old", "1")))
	table.transact(t, "p", storage.Delete("r", storage.Exists))
	table.transact(t, "p", storage.Insert("r", storage.String("New", "2")))
	wantProperties(t, table.get(t, "p", "r"), storage.String("New", "2"))
}

func createAgain(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r", storage.String("A", "1")))
	before := table.get(t, "p", "r")
	if err := table.driver.CreateTable(t.Context(), table.name); err != nil {
		t.Fatalf("creating the table again: %v", err)
	}
	unchanged(t, table, before)
}

func endedContext(t *testing.T, table fixture) {
	ended := endedContextOf(t)
	wantError(t, table.Transact(ended, "p", storage.Insert("r")), ended.Err())
	_, err := table.Get(ended, "p", "r")
	wantError(t, err, ended.Err())
	_, err = table.Range(ended, pagesOf("p", 1))
	wantError(t, err, ended.Err())
}

// unchanged checks that a row stands as it was read before.
func unchanged(t *testing.T, table fixture, before storage.Entity) {
	t.Helper()
	now := table.get(t, before.Partition, before.Row)
	if now.ETag != before.ETag {
		t.Fatalf("row %q was written: ETag %s became %s", before.Row, before.ETag, now.ETag)
	}
	wantProperties(t, now, before.Properties...)
}

package drivertest

import (
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func etagTests() tableTests {
	return tableTests{
		"changes with every write and never repeats":                  etagNeverRepeats,
		"stays while only others are written":                         etagStaysWithoutWrites,
		"is the same in each kind of read":                            etagOfEachRead,
		"that is stale is a conflict and changes nothing":             staleETag,
		"from before the row was deleted is a conflict":               etagFromBeforeDelete,
		"changes with a merge of no properties":                       guardChangesETag,
		"is of one row only":                                          etagsInOneTransaction,
		"changes with a write that leaves all properties as they are": etagOfSameValues,
	}
}

func etagNeverRepeats(t *testing.T, table fixture) {
	seen := map[driver.ETag]string{}
	note := func(after string) {
		etag := table.get(t, "p", "r").ETag
		if etag == "" {
			t.Fatalf("no ETag after %s", after)
		}
		if before, repeated := seen[etag]; repeated {
			t.Fatalf("ETag %s after %s repeats the one after %s", etag, after, before)
		}
		seen[etag] = after
	}
	for range 8 {
		table.transact(t, "p", driver.Insert("r", driver.Int64("N", 1)))
		note("insert")
		table.transact(t, "p", driver.Merge("r", driver.Exists, driver.Int64("N", 1)))
		note("merge")
		table.transact(t, "p", driver.Replace("r", driver.Exists, driver.Int64("N", 1)))
		note("replace")
		table.transact(t, "p", driver.Merge("r", driver.Upsert, driver.Int64("N", 1)))
		note("upsert")
		table.transact(t, "p", driver.Delete("r", driver.Exists))
	}
}

func etagStaysWithoutWrites(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r"), driver.Insert("s"))
	before := table.get(t, "p", "r")
	table.transact(t, "p", driver.Merge("s", driver.Exists))
	unchanged(t, table, before)
}

func etagOfEachRead(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r"))
	etag := table.get(t, "p", "r").ETag
	for _, row := range table.rows(t, pagesOf("p", 10)) {
		if row.ETag != etag {
			t.Errorf("a range read gives ETag %s, a get %s", row.ETag, etag)
		}
	}
	for _, row := range table.scan(t, driver.Scan{Paging: driver.Paging{Limit: 10}}) {
		if row.ETag != etag {
			t.Errorf("a scan gives ETag %s, a get %s", row.ETag, etag)
		}
	}
}

func staleETag(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r", driver.Int64("N", 1)))
	stale := driver.Match(table.get(t, "p", "r").ETag)
	table.transact(t, "p", driver.Merge("r", stale, driver.Int64("N", 2)))
	now := table.get(t, "p", "r")
	for _, op := range []driver.Operation{
		driver.Merge("r", stale, driver.Int64("N", 3)),
		driver.Replace("r", stale, driver.Int64("N", 3)),
		driver.Delete("r", stale),
	} {
		wantOperationError(t, table.Transact(t.Context(), "p", op), 0, domain.ErrConflict)
		unchanged(t, table, now)
	}
	table.transact(t, "p", driver.Delete("r", driver.Match(now.ETag)))
	table.absent(t, "p", "r")
}

func etagFromBeforeDelete(t *testing.T, table fixture) {
	insert := driver.Insert("r", driver.Int64("N", 1))
	table.transact(t, "p", insert)
	earlier := driver.Match(table.get(t, "p", "r").ETag)
	table.transact(t, "p", driver.Delete("r", earlier))
	table.transact(t, "p", insert)
	now := table.get(t, "p", "r")
	wantOperationError(t, table.Transact(t.Context(), "p", driver.Delete("r", earlier)), 0, domain.ErrConflict)
	wantOperationError(t, table.Transact(t.Context(), "p", driver.Merge("r", earlier)), 0, domain.ErrConflict)
	unchanged(t, table, now)
}

func guardChangesETag(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("r", driver.Int64("N", 1)))
	before := table.get(t, "p", "r")
	table.transact(t, "p", driver.Merge("r", driver.Exists))
	after := table.get(t, "p", "r")
	wantProperties(t, after, before.Properties...)
	err := table.Transact(t.Context(), "p", driver.Replace("r", driver.Match(before.ETag)))
	wantOperationError(t, err, 0, domain.ErrConflict)
	unchanged(t, table, after)
}

func etagsInOneTransaction(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("a"), driver.Insert("b"))
	a, b := table.get(t, "p", "a"), table.get(t, "p", "b")
	table.transact(t, "p", driver.Merge("a", driver.Match(a.ETag)))
	unchanged(t, table, b)
	table.transact(t, "p", driver.Merge("b", driver.Match(b.ETag)))
}

func etagOfSameValues(t *testing.T, table fixture) {
	same := driver.String("A", "same")
	table.transact(t, "p", driver.Insert("r", same))
	before := table.get(t, "p", "r").ETag
	table.transact(t, "p", driver.Replace("r", driver.Exists, same))
	if after := table.get(t, "p", "r").ETag; after == before {
		t.Fatalf("the ETag is still %s after a replace with the same properties", before)
	}
}

package drivertest

import (
	"context"
	"testing"

	"microblogging/domain"
	"microblogging/storage"
)

func etagTests() tableTests {
	return tableTests{
		"AnETagChangesWithEveryWriteAndNeverReturns":  etagNeverRepeats,
		"AnETagOutlivesReads":                         etagStaysWithoutWrites,
		"AllReadsOfARowGiveOneETag":                   etagOfEachRead,
		"AStaleETagIsAConflictAndChangesNothing":      staleETag,
		"AnETagOfAnEarlierLifeOfTheRowIsAConflict":    etagOfEarlierLife,
		"AGuardAloneMakesAnETagStale":                 guardChangesETag,
		"EachRowOfATransactionHasAnETagOfItsOwn":      etagsInOneTransaction,
		"AWriteThatChangesNoPropertyStillChangesETag": etagOfSameValues,
	}
}

func etagNeverRepeats(t *testing.T, table fixture) {
	seen := map[storage.ETag]string{}
	note := func(after string) {
		etag := table.get(t, "p", "r").ETag
		if etag == "" {
			t.Fatalf("no ETag after %s", after)
		}
		if before, repeated := seen[etag]; repeated {
			t.Fatalf("ETag %s after %s was there already, after %s", etag, after, before)
		}
		seen[etag] = after
	}
	for range 8 {
		table.transact(t, "p", storage.Insert("r", storage.Int64("N", 1)))
		note("insert")
		table.transact(t, "p", storage.Merge("r", storage.Exists, storage.Int64("N", 1)))
		note("merge")
		table.transact(t, "p", storage.Replace("r", storage.Exists, storage.Int64("N", 1)))
		note("replace")
		table.transact(t, "p", storage.Merge("r", storage.Upsert, storage.Int64("N", 1)))
		note("upsert")
		table.transact(t, "p", storage.Delete("r", storage.Exists))
	}
}

func etagStaysWithoutWrites(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r"), storage.Insert("s"))
	before := table.get(t, "p", "r")
	table.transact(t, "p", storage.Merge("s", storage.Exists))
	unchanged(t, table, before)
}

func etagOfEachRead(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r"))
	etag := table.get(t, "p", "r").ETag
	for _, row := range table.rows(t, pagesOf("p", 10)) {
		if row.ETag != etag {
			t.Errorf("a range read gives ETag %s, a get %s", row.ETag, etag)
		}
	}
	for _, row := range table.scan(t, storage.Scan{Paging: storage.Paging{Limit: 10}}) {
		if row.ETag != etag {
			t.Errorf("a scan gives ETag %s, a get %s", row.ETag, etag)
		}
	}
}

func staleETag(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r", storage.Int64("N", 1)))
	stale := storage.Match(table.get(t, "p", "r").ETag)
	table.transact(t, "p", storage.Merge("r", stale, storage.Int64("N", 2)))
	now := table.get(t, "p", "r")
	for _, op := range []storage.Operation{
		storage.Merge("r", stale, storage.Int64("N", 3)),
		storage.Replace("r", stale, storage.Int64("N", 3)),
		storage.Delete("r", stale),
	} {
		wantOperationError(t, table.Transact(t.Context(), "p", op), 0, domain.ErrConflict)
		unchanged(t, table, now)
	}
	table.transact(t, "p", storage.Delete("r", storage.Match(now.ETag)))
	table.absent(t, "p", "r")
}

func etagOfEarlierLife(t *testing.T, table fixture) {
	insert := storage.Insert("r", storage.Int64("N", 1))
	table.transact(t, "p", insert)
	earlier := storage.Match(table.get(t, "p", "r").ETag)
	table.transact(t, "p", storage.Delete("r", earlier))
	table.transact(t, "p", insert)
	now := table.get(t, "p", "r")
	wantOperationError(t, table.Transact(t.Context(), "p", storage.Delete("r", earlier)), 0, domain.ErrConflict)
	wantOperationError(t, table.Transact(t.Context(), "p", storage.Merge("r", earlier)), 0, domain.ErrConflict)
	unchanged(t, table, now)
}

func guardChangesETag(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("r", storage.Int64("N", 1)))
	before := table.get(t, "p", "r")
	table.transact(t, "p", storage.Merge("r", storage.Exists))
	after := table.get(t, "p", "r")
	wantProperties(t, after, before.Properties...)
	err := table.Transact(t.Context(), "p", storage.Replace("r", storage.Match(before.ETag)))
	wantOperationError(t, err, 0, domain.ErrConflict)
	unchanged(t, table, after)
}

func etagsInOneTransaction(t *testing.T, table fixture) {
	table.transact(t, "p", storage.Insert("a"), storage.Insert("b"))
	a, b := table.get(t, "p", "a"), table.get(t, "p", "b")
	table.transact(t, "p", storage.Merge("a", storage.Match(a.ETag)))
	unchanged(t, table, b)
	table.transact(t, "p", storage.Merge("b", storage.Match(b.ETag)))
}

func etagOfSameValues(t *testing.T, table fixture) {
	same := storage.String("A", "same")
	table.transact(t, "p", storage.Insert("r", same))
	before := table.get(t, "p", "r").ETag
	table.transact(t, "p", storage.Replace("r", storage.Exists, same))
	if after := table.get(t, "p", "r").ETag; after == before {
		t.Fatalf("the ETag is still %s after a replace with the same properties", before)
	}
}

func endedContextOf(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

package move_test

import (
	"fmt"
	"testing"
	"time"

	"microblogging/lab/mem"
	"microblogging/storage/azure"
	"microblogging/storage/azuritetest"
	"microblogging/storage/bolt"
	"microblogging/storage/driver"
	"microblogging/storage/move"
)

// TestAzurite copies a store to Azurite, from there to the embedded store, and back to
// memory. Its largest partition has more rows than two pages.
func TestAzurite(t *testing.T) {
	connection := azuritetest.Shared(t).Account()
	from := mem.Open(makeSite(t), "memory")
	table := driver.NewTable(from, "Blogs")
	for batch := range 21 {
		ops := make([]driver.Operation, driver.MaxOperations)
		for i := range ops {
			ops[i] = driver.Insert(fmt.Sprintf("%05d", batch*len(ops)+i),
				driver.String("Text", "“quoted” <&> 日本語 '' \u0001\u2028"), driver.Int64("N", 1<<53+1), driver.Bool("B", i%2 == 0),
				driver.Time("T", time.Date(1999, 1, 2, 3, 4, 5, 678900, time.UTC)), driver.String("Empty", ""))
		}
		ok(t, table.Transact(t.Context(), "large", ops...))
	}
	account, err := azure.Open(azure.Config{ConnectionString: connection})
	ok(t, err)
	t.Cleanup(account.Close)
	db, err := bolt.Open(t.TempDir(), bolt.Options{NoSync: true})
	ok(t, err)
	t.Cleanup(func() { ok(t, db.Close()) })
	back := mem.Open(mem.Snapshot{}, "back")
	for _, step := range []struct{ from, to move.Side }{
		{side("memory", from), side("Azurite", account)},
		{side("Azurite", account), side("bolt", db)},
		{side("bolt", db), side("back", back)},
	} {
		result, err := move.Copy(t.Context(), step.from, step.to, move.Options{Flight: 16})
		ok(t, err)
		if result.Rows["Blogs"] < 2100 {
			t.Errorf("%s to %s: %+v", step.from.Name, step.to.Name, result)
		}
	}
	mustEqual(t, from, back)
}

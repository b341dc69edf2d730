package move

import (
	"slices"
	"strings"
	"testing"

	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// TestVersions holds versions against CurrentVersion, so that no version is made of which a store cannot be copied.
func TestVersions(t *testing.T) {
	last := len(versions) - 1
	if is := versions[last].version; is != schema.CurrentVersion {
		t.Errorf(`nothing makes a store of version %[2]s of one of version %[1]s. In versions (migrate.go), add a line for %[2]s at the end,
and give that of %[1]s a migration: a function in a package of its own. If the change only adds, it returns the row as it is.
The migrations before it still make rows of %[1]s: what they take from package schema and has changed, they must keep themselves.`, is, schema.CurrentVersion)
	}
	for i, v := range versions {
		if (v.next != nil) != (i < last) {
			t.Errorf("version %q is line %d of %d, and has a migration: %t; each but the last needs one", v.version, i+1, last+1, v.next != nil)
		}
	}
}

func TestChain(t *testing.T) {
	add := func(names ...string) migration {
		return func(_ string, row driver.Entity) (rows []driver.Entity, err error) {
			for _, name := range names {
				rows = append(rows, driver.Entity{Partition: row.Partition, Row: row.Row + name})
			}
			return rows, nil
		}
	}
	all := []readable{{"", "no version", add("a", "b")}, {"0.1", "version 0.1", add("c")}, {"0.2", "version 0.2", add("d", "e")}, {"1.0", "version 1.0", nil}}
	for from, want := range map[string]string{"": "acd ace bcd bce", "0.1": "cd ce", "0.2": "d e"} {
		chained, known := chain(all, from)
		if !known {
			t.Fatalf("version %q is not read", from)
		}
		rows, err := chained.next("", driver.Entity{Partition: "p"})
		var got []string
		for _, row := range rows {
			got = append(got, row.Row)
		}
		if slices.Sort(got); strings.Join(got, " ") != want || err != nil {
			t.Errorf("of version %q it makes %q (%v), want %q", from, got, err, want)
		}
	}
	if chained, known := chain(all, "1.0"); !known || chained.next != nil {
		t.Error("the present version is migrated")
	}
	if _, known := chain(all, "0.0"); known {
		t.Error("a version that is not there is read")
	}
}

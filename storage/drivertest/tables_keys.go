package drivertest

import (
	"slices"
	"strings"
	"testing"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// longestKey is the most characters of a key, 1 KiB of UTF-16.
const longestKey = 512

func keyTests() tableTests {
	return tableTests{
		"that is an empty row key works like any other":   emptyRowKey,
		"of a row keeps every permitted character":        permittedRowKeys,
		"of a partition keeps every permitted character":  permittedPartitionKeys,
		"may have 512 characters":                         longKeys,
		"is not the key that differs in case":             caseSensitiveKeys,
		"that is forbidden is refused and writes nothing": forbiddenKeys,
		"of a row names different rows in two partitions": partitionsApart,
		"of a partition may be the start of another":      prefixPartitions,
	}
}

func emptyRowKey(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("", driver.String("A", "first")), driver.Insert("!"))
	wantProperties(t, table.get(t, "p", ""), driver.String("A", "first"))

	table.transact(t, "p", driver.Merge("", driver.Match(table.get(t, "p", "").ETag), driver.String("A", "second")))
	wantProperties(t, table.get(t, "p", ""), driver.String("A", "second"))
	wantKeys(t, table.rows(t, pagesOf("p", 1)), "", "!")

	table.transact(t, "p", driver.Delete("", driver.Exists))
	table.absent(t, "p", "")
}

// permittedKeys returns keys that hold each permitted character, alone and between
// others, and keys that look like an escape, a path or a quotation.
func permittedKeys() []string {
	keys := []string{
		"..", ".", "a b", " lead", "trail ", "%25", "%2F", "%20", "a+b", "a%20b", `"quoted"`, "<tag>", "&amp;",
		"$filter=1", "(a,b)", "k=v;x", "blog!0000000000000000001!ABC", "~01f600", "12:30@home", "null", "true", "0",
	}
	for c := byte(0x20); c < 0x7f; c++ {
		if strings.IndexByte(`/\#?'`, c) < 0 {
			keys = append(keys, string(c), "a"+string(c)+"z")
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func permittedRowKeys(t *testing.T, table fixture) {
	keys := permittedKeys()
	for chunk := range slices.Chunk(keys, driver.MaxOperations) {
		var ops []driver.Operation
		for _, key := range chunk {
			ops = append(ops, driver.Insert(key, driver.String("Key", key)))
		}
		table.transact(t, "p", ops...)
	}
	rows := table.rows(t, pagesOf("p", driver.MaxPage))
	wantKeys(t, rows, keys...)
	for _, row := range rows {
		wantProperties(t, row, driver.String("Key", row.Row))
	}
	for _, key := range keys {
		if len(key) == 1 {
			table.get(t, "p", key)
		}
	}
}

func permittedPartitionKeys(t *testing.T, table fixture) {
	keys := []string{" ", `a !"$%&z`, "a()*+,z", "a-.:;z", "a<=>@z", "a[]^_`{|}~z", "%2F", "a+b", "a b", "..", "~01f600"}
	for _, key := range keys {
		table.transact(t, key, driver.Insert("r", driver.String("Key", key)))
		wantProperties(t, table.get(t, key, "r"), driver.String("Key", key))
		wantKeys(t, table.rows(t, pagesOf(key, 10)), "r")
	}
	slices.Sort(keys)
	var got []string
	for _, row := range table.scan(t, driver.Scan{Paging: driver.Paging{Limit: 3}}) {
		got = append(got, row.Partition)
	}
	if !slices.Equal(got, keys) {
		t.Fatalf("partitions %q, want %q", got, keys)
	}
}

func longKeys(t *testing.T, table fixture) {
	partition, row := strings.Repeat("p", longestKey), strings.Repeat("~", longestKey)
	table.transact(t, partition, driver.Insert(row), driver.Insert(row[1:]))
	table.get(t, partition, row)
	wantKeys(t, table.rows(t, pagesOf(partition, 1)), row[1:], row)
	table.transact(t, partition, driver.Delete(row, driver.Exists))
	table.absent(t, partition, row)
}

func caseSensitiveKeys(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("a"), driver.Insert("A"), driver.Insert("b"), driver.Insert("_"))
	table.transact(t, "P", driver.Insert("a"))
	wantKeys(t, table.rows(t, pagesOf("p", 10)), "A", "_", "a", "b")
	wantKeys(t, table.rows(t, pagesOf("P", 10)), "a")
}

func forbiddenKeys(t *testing.T, table fixture) {
	for _, key := range []string{
		"a/b", `a\b`, "a#b", "a?b", "a'b", "a\x00b", "a\nb", "a\x1f", "a\x7fb", "ä", "\xff", strings.Repeat("k", longestKey+1),
	} {
		wantError(t, table.Transact(t.Context(), "p", driver.Insert(key)), domain.ErrLimit)
		wantError(t, table.Transact(t.Context(), key, driver.Insert("r")), domain.ErrLimit)
		_, err := table.Get(t.Context(), "p", key)
		wantError(t, err, domain.ErrLimit)
		_, err = table.Range(t.Context(), pagesOf(key, 1))
		wantError(t, err, domain.ErrLimit)
	}
	wantKeys(t, table.scan(t, driver.Scan{Paging: driver.Paging{Limit: 10}}))
}

func partitionsApart(t *testing.T, table fixture) {
	table.transact(t, "a", driver.Insert("r", driver.String("In", "a")))
	table.transact(t, "b", driver.Insert("r", driver.String("In", "b")))
	table.transact(t, "a", driver.Delete("r", driver.Exists))
	table.absent(t, "a", "r")
	wantProperties(t, table.get(t, "b", "r"), driver.String("In", "b"))
}

func prefixPartitions(t *testing.T, table fixture) {
	table.transact(t, "ab", driver.Insert("c"), driver.Insert(""))
	table.transact(t, "a", driver.Insert("bc"), driver.Insert(""))
	table.transact(t, "a b", driver.Insert("c"))
	wantKeys(t, table.rows(t, pagesOf("a", 10)), "", "bc")
	wantKeys(t, table.rows(t, pagesOf("ab", 10)), "", "c")
	var keys []string
	for _, row := range table.scan(t, driver.Scan{Paging: driver.Paging{Limit: 2}}) {
		keys = append(keys, row.Partition+"/"+row.Row)
	}
	if want := []string{"a/", "a/bc", "a b/c", "ab/", "ab/c"}; !slices.Equal(keys, want) {
		t.Fatalf("scanned %q, want %q", keys, want)
	}
}

// pagesOf selects a whole partition, in pages of limit rows.
func pagesOf(partition string, limit int) driver.Range {
	return driver.Range{Partition: partition, Paging: driver.Paging{Limit: limit}}
}

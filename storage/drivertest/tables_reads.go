package drivertest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func readTests() tableTests {
	return tableTests{
		"a missing row is not found":                                  missingRow,
		"a missing partition gives no rows":                           missingPartition,
		"a range starts at From and ends before To":                   rangeBounds,
		"a range accepts bounds that are no valid keys":               rangeOddBounds,
		"a range stays in its partition":                              rangeInPartition,
		"a scan gives whole partitions from From up to To":            scanBounds,
		"keys only gives nothing else":                                keysOnly,
		"of selected properties gives those alone":                    selectedProperties,
		"sees every write that was acknowledged before":               readYourWrites,
		"with First gives as many rows as asked if there are so many": firstRows,
		"with All gives each row of each partition once":              allRows,
	}
}

func missingRow(t *testing.T, table fixture) {
	table.absent(t, "p", "r")
	table.transact(t, "p", driver.Insert("ra"), driver.Insert("q"))
	table.absent(t, "p", "r")
	table.absent(t, "p", "")
	table.absent(t, "q", "q")
	_, err := table.backend.Get(t.Context(), table.name, "p", "r")
	wantError(t, err, domain.ErrNotFound)
}

func missingPartition(t *testing.T, table fixture) {
	wantKeys(t, table.rows(t, pagesOf("p", 10)))
	wantKeys(t, table.scan(t, driver.Scan{Paging: driver.Paging{Limit: 10}}))
	table.transact(t, "pp", driver.Insert("r"))
	wantKeys(t, table.rows(t, pagesOf("p", 10)))
}

func rangeBounds(t *testing.T, table fixture) {
	keys := []string{"", "a!1", "a!2", "a\"", "b", "b!1", "c"}
	for _, key := range keys {
		table.transact(t, "p", driver.Insert(key))
	}
	for _, test := range []struct {
		from, to string
		want     []string
	}{
		{"", "", keys},
		{"", "a", []string{""}},
		{"a!", "a\"", []string{"a!1", "a!2"}},
		{"a!1", "a!1", nil},
		{"a!1", "a!2", []string{"a!1"}},
		{"b", "", []string{"b", "b!1", "c"}},
		{"b", "c", []string{"b", "b!1"}},
		{"c", "b", nil},
		{"d", "", nil},
	} {
		for _, limit := range []int{1, 2, 100} {
			q := driver.Range{Partition: "p", From: test.from, To: test.to, Paging: driver.Paging{Limit: limit}}
			if got := rowKeys(table.rows(t, q)); !slices.Equal(got, test.want) {
				t.Errorf("[%q, %q) in pages of %d: got %q, want %q", test.from, test.to, limit, got, test.want)
			}
		}
	}
}

func rangeOddBounds(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("a"), driver.Insert("b&c"), driver.Insert("z"))
	for _, test := range []struct {
		from, to string
		want     []string
	}{
		{"a'", "c'", []string{"b&c"}},
		{"a/", "z?", []string{"b&c", "z"}},
		{"'", "a'' or true", []string{"a"}},
		{"b#", "~~", []string{"b&c", "z"}},
		{"b\\", "", []string{"z"}},
	} {
		q := driver.Range{Partition: "p", From: test.from, To: test.to, Paging: driver.Paging{Limit: 10}}
		if got := rowKeys(table.rows(t, q)); !slices.Equal(got, test.want) {
			t.Errorf("[%q, %q): got %q, want %q", test.from, test.to, got, test.want)
		}
	}
}

func rangeInPartition(t *testing.T, table fixture) {
	for _, partition := range []string{"a", "b", "c"} {
		table.transact(t, partition, driver.Insert("1"), driver.Insert("2"))
	}
	rows := table.rows(t, driver.Range{Partition: "b", From: "2", Paging: driver.Paging{Limit: 1}})
	wantKeys(t, rows, "2")
	if rows[0].Partition != "b" {
		t.Errorf("a range of partition b gave a row of %q", rows[0].Partition)
	}
}

func scanBounds(t *testing.T, table fixture) {
	partitions := []string{"a", "b", "b!", "c", "d"}
	for _, partition := range partitions {
		table.transact(t, partition, driver.Insert(""), driver.Insert("1"), driver.Insert("2"))
	}
	for _, test := range []struct {
		from, to string
		want     []string
	}{
		{"", "", partitions},
		{"b", "", []string{"b", "b!", "c", "d"}},
		{"b", "c", []string{"b", "b!"}},
		{"a'", "d'", []string{"b", "b!", "c", "d"}},
		{"c", "c", nil},
		{"e", "", nil},
	} {
		var want []string
		for _, partition := range test.want {
			want = append(want, partition+"/", partition+"/1", partition+"/2")
		}
		for _, limit := range []int{2, 3, 100} {
			var got []string
			for _, row := range table.scan(t, driver.Scan{From: test.from, To: test.to, Paging: driver.Paging{Limit: limit}}) {
				got = append(got, row.Partition+"/"+row.Row)
			}
			if !slices.Equal(got, want) {
				t.Errorf("[%q, %q) in pages of %d: got %q, want %q", test.from, test.to, limit, got, want)
			}
		}
	}
}

func keysOnly(t *testing.T, table fixture) {
	table.transact(t, "p", driver.Insert("", driver.String("A", "1")), driver.Insert("r"), driver.Insert("s", driver.Int64("B", 2)))
	paging := driver.Paging{Limit: 2, KeysOnly: true}
	ranged := table.rows(t, driver.Range{Partition: "p", Paging: paging})
	scanned := table.scan(t, driver.Scan{Paging: paging})
	for _, rows := range [][]driver.Entity{ranged, scanned} {
		wantKeys(t, rows, "", "r", "s")
		for _, row := range rows {
			if row.Partition != "p" {
				t.Errorf("row %q has partition %q", row.Row, row.Partition)
			}
			if row.ETag != "" || len(row.Properties) > 0 {
				t.Errorf("row %q has ETag %q and properties %v", row.Row, row.ETag, row.Properties)
			}
		}
	}
}

func selectedProperties(t *testing.T, table fixture) {
	on := time.Date(2014, 2, 3, 4, 5, 6, 700, time.UTC)
	text := strings.Repeat("long ", 1000)
	table.transact(t, "p",
		driver.Insert("", driver.String("Text", text), driver.Int64("Rating", 7), driver.Time("On", on), driver.Bool("Yes", true)),
		driver.Insert("r", driver.String("Text", text)),
		driver.Insert("s", driver.Int64("Rating", 1<<53+1), driver.String("Rat", "not this")),
		driver.Insert("t"))
	want := []driver.Properties{{driver.Int64("Rating", 7), driver.Time("On", on), driver.Bool("Yes", true)}, nil, {driver.Int64("Rating", 1<<53+1)}, nil}
	paging := driver.Paging{Limit: 2, Select: []string{"Rating", "On", "Yes", "Missing"}}
	ranged := table.rows(t, driver.Range{Partition: "p", Paging: paging})
	scanned := table.scan(t, driver.Scan{Paging: paging})
	for _, rows := range [][]driver.Entity{ranged, scanned} {
		wantKeys(t, rows, "", "r", "s", "t")
		for i, row := range rows {
			wantProperties(t, row, want[i]...)
			if row.Partition != "p" || row.ETag != "" {
				t.Errorf("row %q has partition %q and ETag %q", row.Row, row.Partition, row.ETag)
			}
		}
	}
	wantProperties(t, table.get(t, "p", "r"), driver.String("Text", text))
}

func readYourWrites(t *testing.T, table fixture) {
	for i := range 10 {
		table.transact(t, "p", driver.Merge("r", driver.Upsert, driver.Int64("N", int64(i))))
		wantProperties(t, table.get(t, "p", "r"), driver.Int64("N", int64(i)))
		wantProperties(t, table.rows(t, pagesOf("p", 1))[0], driver.Int64("N", int64(i)))
	}
}

func firstRows(t *testing.T, table fixture) {
	const total = 1050 // more than one page can hold
	fill(t, table, "p", total)
	for _, n := range []int{1, 1000, 1001, total, total + 1} {
		rows, err := table.First(t.Context(), n, driver.Range{Partition: "p", Paging: driver.Paging{KeysOnly: true}})
		if err != nil {
			t.Fatal(err)
		}
		if want := min(n, total); len(rows) != want || rows[len(rows)-1].Row != numbered(want-1) {
			t.Errorf("the first %d rows: got %d, the last of them %q", n, len(rows), rows[len(rows)-1].Row)
		}
	}
}

func allRows(t *testing.T, table fixture) {
	var want []string
	for _, partition := range []string{"a", "b", "c"} {
		fill(t, table, partition, 3)
		for i := range 3 {
			want = append(want, partition+numbered(i))
		}
	}
	var got []string
	for row, err := range table.All(t.Context(), driver.Scan{Paging: driver.Paging{Limit: 2}}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row.Partition+row.Row)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

package drivertest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

func keyTests() map[string]func(table) {
	return map[string]func(table){
		"that is an empty row key works like any other": func(f table) {
			f.do("p", driver.Insert("", a(1)), driver.Insert("!"))
			f.do("p", driver.Merge("", f.version(""), a(2)))
			f.holds("p/ A=2", "p/!")
			f.do("p", driver.Delete("", driver.Exists))
			f.holds("p/!")
		},
		"keeps every permitted character": permittedKeys,
		"may have 512 characters": func(f table) {
			partition, row := strings.Repeat("p", 512), strings.Repeat("~", 512)
			f.do(partition, driver.Insert(row), driver.Insert(row[1:]))
			f.holds(partition+"/"+row[1:], partition+"/"+row)
		},
		"is not the key that differs in case": func(f table) {
			f.do("p", driver.Insert("a"), driver.Insert("A"), driver.Insert("b"), driver.Insert("_"))
			f.do("P", driver.Insert("a"))
			f.holds("P/a", "p/A", "p/_", "p/a", "p/b")
		},
		"of a row names different rows in two partitions": func(f table) {
			f.do("a", driver.Insert("r", a(1)))
			f.do("b", driver.Insert("r", b(1)))
			f.do("a", driver.Delete("r", driver.Exists))
			f.holds("b/r B=1")
		},
		"of a partition may be the start of another": func(f table) {
			f.do("ab", driver.Insert("c"), driver.Insert(""))
			f.do("a", driver.Insert("bc"), driver.Insert(""))
			f.do("a b", driver.Insert("c"))
			f.holds("a/", "a/bc", "a b/c", "ab/", "ab/c")
		},
	}
}

// permittedKeys tries keys that hold each permitted character, alone and between
// others, and keys that look like an escape, a path or a quotation.
func permittedKeys(f table) {
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
	keys = slices.Compact(keys)
	var ops []driver.Operation
	var want []string
	for _, key := range keys {
		ops, want = append(ops, driver.Insert(key, driver.String("Key", key))), append(want, fmt.Sprintf("p/%s Key=%q", key, key))
	}
	f.inParts(ops)
	for _, key := range []string{" ", `a !"$%&z`, "a()*+,z", "a-.:;z", "a<=>@z", "a[]^_`{|}~z", "%2F", "a+b", "a b", "..", "~01f600"} {
		f.do(key, driver.Insert("r"))
		want = append(want, key+"/r")
	}
	slices.SortFunc(want, func(a, b string) int { // by partition, and then by row
		return strings.Compare(strings.Replace(a, "/", "\x00", 1), strings.Replace(b, "/", "\x00", 1))
	})
	f.holds(want...)
}

func propertyTests() map[string]func(table) {
	comesBack := func(properties ...driver.Property) func(table) {
		return func(f table) {
			f.do("p", driver.Insert("r", properties...))
			f.holds(line(driver.Entity{Partition: "p", Row: "r", Properties: properties}))
		}
	}
	var integers, texts, many []driver.Property
	for i, n := range []int64{
		math.MinInt64, math.MinInt64 + 1, math.MinInt32, -1, 0, 1, math.MaxInt32, math.MaxInt32 + 1,
		1<<53 - 1, 1<<53 + 1, -(1<<53 + 1), math.MaxInt64 - 1, math.MaxInt64,
	} {
		integers = append(integers, driver.Int64(fmt.Sprintf("N%d", i), n))
	}
	for i, text := range []string{
		"", " ", " spaces around ", "\n", "one\ntwo\r\nthree\rfour\ttab", "Grüße, 世界", "👩‍🚀🇪🇺 𝒜𝒷𝒸", "42",
		`"quotes" and 'apostrophes'`, `back\slash`, "<b>&amp;</b>", "\u2028\u2029", "e\u0301 is not \u00e9",
		"\ufeffbyte order mark", "null", "true", "2026-01-02T03:04:05Z", "{\"a\":1}", "--batch_boundary\r\n\r\n",
	} {
		texts = append(texts, driver.String(fmt.Sprintf("S%d", i), text))
	}
	for i := range driver.MaxProperties {
		many = append(many, driver.Int64(fmt.Sprintf("Property%d", i), int64(i)))
	}
	const units = 32 << 10 // 64 KiB of UTF-16
	return map[string]func(table){
		"need not be there":                                 comesBack(),
		"that is a truth value comes back as it was":        comesBack(driver.Bool("Yes", true), driver.Bool("No", false)),
		"that is an extreme integer comes back as it was":   comesBack(integers...),
		"that is a text comes back character for character": comesBack(texts...),
		"may be one of 252":                                 comesBack(many...),
		"may be a string of 64 KiB":                         comesBack(driver.String("Ascii", strings.Repeat("x", units)), driver.String("Astral", strings.Repeat("😀", units/2))),
		"that is an instant comes back to the tick": comesBack(
			driver.Time("Tick", time.Date(2026, 1, 2, 3, 4, 5, 100, time.UTC)),
			driver.Time("AllDigits", time.Date(2026, 1, 2, 3, 4, 5, 123_456_700, time.UTC)),
			driver.Time("WholeSecond", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
			driver.Time("BeforeUnix", time.Date(1969, 7, 20, 20, 17, 40, 999_999_900, time.UTC)),
			driver.Time("First", time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)), // Azure stores none before
			driver.Time("Last", time.Date(9999, 12, 31, 23, 59, 59, 999_999_900, time.UTC)),
			driver.Time("Elsewhere", time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("east", 5*60*60+30*60)))),
		"keeps the spelling and case of its name": comesBack(
			driver.String("name", "lower"), driver.String("Name", "upper"), driver.String("_under_score9", "other"),
			driver.String(strings.Repeat("L", 255), "longest"), driver.String("etag", "no system property")),
	}
}

func readTests() map[string]func(table) {
	return map[string]func(table){
		"of a missing row is not found": func(f table) {
			f.do("p", driver.Insert("ra"), driver.Insert("q"))
			for _, key := range [][2]string{{"p", "r"}, {"p", ""}, {"q", "q"}} {
				_, err := f.Get(f.Context(), key[0], key[1])
				refuses(f.T, domain.ErrNotFound, err)
			}
		},
		"within bounds starts at From and ends before To, whatever they are": readBounds,
		"of keys only gives nothing else, and of selected properties those":  readParts,
	}
}

func readBounds(f table) {
	keys := []string{"", "a!1", "a!2", "a\"", "b", "b!1", "b&c", "c", "z"}
	for _, partition := range keys[1:] {
		f.do(partition, driver.Insert(""), driver.Insert("1"))
		f.do("range", driver.Insert(partition))
	}
	f.do("range", driver.Insert(""))
	whole := keysOf(f.rows())
	if len(whole) != 3*len(keys)-2 {
		f.Fatalf("the table holds %q", whole)
	}
	for _, bounds := range [][2]string{
		{"", ""}, {"", "a"}, {"a!", "a\""}, {"a!1", "a!1"}, {"a!1", "a!2"}, {"b", ""}, {"b", "c"}, {"c", "b"}, {"zz", ""},
		{"a'", "c'"}, {"a/", "z?"}, {"'", "a'' or true"}, {"b#", "~~"}, {"b\\", ""}, // no valid keys
	} {
		from, to := bounds[0], bounds[1]
		within := func(key string) bool { return key >= from && (to == "" || key < to) }
		var ranged, scanned []string
		for _, key := range whole {
			partition, row, _ := strings.Cut(key, "/")
			if within(partition) {
				scanned = append(scanned, key)
			}
			if partition == "range" && within(row) {
				ranged = append(ranged, key)
			}
		}
		for _, limit := range []int{1, 2, 100} {
			if got := keysOf(f.read(driver.Range{Partition: "range", From: from, To: to}, limit)); !slices.Equal(got, ranged) {
				f.Errorf("rows [%q, %q) in pages of %d: got %q, want %q", from, to, limit, got, ranged)
			}
			if got := keysOf(f.scan(driver.Scan{From: from, To: to}, limit)); !slices.Equal(got, scanned) {
				f.Errorf("partitions [%q, %q) in pages of %d: got %q, want %q", from, to, limit, got, scanned)
			}
		}
	}
}

func readParts(f table) {
	on := driver.Time("On", time.Date(2014, 2, 3, 4, 5, 6, 700, time.UTC))
	text := driver.String("Text", strings.Repeat("long ", 1000))
	f.do("p", driver.Insert("", text, a(7), on, driver.Bool("Yes", true)), driver.Insert("r", text),
		driver.Insert("s", a(1<<53+1), driver.String("Rat", "not this")), driver.Insert("t"))
	for _, test := range []struct {
		paging driver.Paging
		want   []string
	}{
		{driver.Paging{KeysOnly: true}, []string{"p/", "p/r", "p/s", "p/t"}},
		{driver.Paging{Select: []string{"A", "On", "Yes", "Missing"}},
			[]string{line(driver.Entity{Partition: "p", Properties: driver.Properties{a(7), on, driver.Bool("Yes", true)}}), "p/r", "p/s A=9007199254740993", "p/t"}},
	} {
		for _, rows := range [][]driver.Entity{f.read(driver.Range{Partition: "p", Paging: test.paging}, 2), f.scan(driver.Scan{Paging: test.paging}, 3)} {
			var got []string
			for _, row := range rows {
				got = append(got, line(row)+string(row.ETag))
			}
			if !slices.Equal(got, test.want) {
				f.Errorf("got %q, want %q and no ETag", got, test.want)
			}
		}
	}
}

func pagingTests() map[string]func(table) {
	return map[string]func(table){
		"while rows are deleted misses no row that stays":                                                   pagingUnderDeletes,
		"sees rows inserted ahead and not those behind, and goes on from where it was in pages of any size": pagingUnderInserts,
		"after a malformed continuation does no harm":                                                       malformedContinuation,
	}
}

// pagingUnderDeletes deletes rows after each page: every other row of that page,
// and every fourth row of the next one. Among them are the last row that was read
// and the first that was not, which are what a continuation may name.
func pagingUnderDeletes(f table) {
	const total, size = 5000, 250
	f.inParts(inserts(total))
	seen, gone := make([]bool, total), make([]bool, total)
	next := 0 // the first row that is on none of the pages
	q := driver.Range{Partition: "p", Paging: driver.Paging{Limit: size, KeysOnly: true}}
	for more := true; more; {
		page, err := f.Range(f.Context(), q)
		if err != nil {
			f.Fatalf("the page before row %d: %v", next, err)
		}
		first := next
		for _, row := range page.Rows {
			var i int
			if _, err := fmt.Sscanf(row.Row, "n%d", &i); err != nil || i < next {
				f.Fatalf("row %q comes after row %d (%v)", row.Row, next-1, err)
			}
			seen[i], next = true, i+1
		}
		var doomed []driver.Operation
		for i := first; i < min(next+size, total); i++ {
			if !gone[i] && (i < next && i%2 == 1 && seen[i] || i >= next && i%4 == 0) {
				gone[i] = true
				doomed = append(doomed, driver.Delete(numbered(i), driver.Exists))
			}
		}
		f.inParts(doomed)
		q.Continuation, more = page.Continuation, page.Continuation != ""
	}
	for i := range seen {
		if !seen[i] && i%4 != 0 {
			f.Errorf("row %d was not seen", i)
		}
	}
}

func pagingUnderInserts(f table) {
	f.inParts(inserts(9))
	q := driver.Range{Partition: "p", Paging: driver.Paging{Limit: 2}}
	first, err := f.Range(f.Context(), q)
	if err != nil || !slices.Equal(keysOf(first.Rows), []string{"p/n000000", "p/n000001"}) {
		f.Fatal(first.Rows, err)
	}
	f.do("p", driver.Insert("a-behind"), driver.Insert("z-ahead"))
	want := []string{"p/n000002", "p/n000003", "p/n000004", "p/n000005", "p/n000006", "p/n000007", "p/n000008", "p/z-ahead"}
	for range 2 { // a page again is the same page
		q.Continuation = first.Continuation
		var got []string
		for more := true; more; more = q.Continuation != "" {
			q.KeysOnly, q.Limit = !q.KeysOnly, q.Limit+1
			page, err := f.Range(f.Context(), q)
			if err != nil {
				f.Fatal(err)
			}
			got, q.Continuation = append(got, keysOf(page.Rows)...), page.Continuation
		}
		if !slices.Equal(got, want) {
			f.Errorf("after the first page: %q, want %q", got, want)
		}
	}
}

// malformedContinuation sends continuations that no page of the selection gave.
// Any answer will do, and the backend must go on working.
func malformedContinuation(f table) {
	f.do("p", inserts(4)...)
	f.do("q", inserts(4)...)
	other, err := f.Range(f.Context(), driver.Range{Partition: "q", Paging: driver.Paging{Limit: 2}})
	if err != nil {
		f.Fatal(err)
	}
	for _, continuation := range []string{
		"x", "made up", "AAAA", "0123456789abcdef", "%00", "{}", "\x00", "\x00\xff", "p\x00", "p\x00\x00", "1!4!cA--", other.Continuation,
	} {
		paging := driver.Paging{Limit: 2, Continuation: continuation}
		_, ranged := f.Range(f.Context(), driver.Range{Partition: "p", Paging: paging})
		_, scanned := f.Scan(f.Context(), driver.Scan{Paging: paging})
		f.Logf("after %q: %v, %v", continuation, ranged, scanned)
	}
	if n := len(f.read(driver.Range{Partition: "p"}, 2)); n != 4 {
		f.Errorf("%d rows, want 4", n)
	}
}

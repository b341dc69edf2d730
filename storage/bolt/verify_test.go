package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"microblogging/storage/driver"
)

// twoTables makes a file with the tables A and B of 300 rows each, the table C, whose only row has a
// page of its own, and the table D, whose only row is in the page of the buckets. No page is free.
func twoTables(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	db := opened(t, dir)
	for _, name := range []string{"A", "B", "C", "D"} {
		table := driver.NewTable(db, name)
		ok(t, table.Create(t.Context()))
		for i := range 300 {
			text := strings.Repeat("x", 100)
			if name == "C" {
				text = strings.Repeat("x", 3000)
			}
			ok(t, table.Transact(t.Context(), "p", driver.Insert(fmt.Sprintf("%s%03d", name, i), driver.String("Text", text))))
			if name == "C" || name == "D" {
				break
			}
		}
	}
	ok(t, db.Close())
	mustCompact(t, dir)
	return fileOf(t, dir)
}

// pageOf returns the page that an element with this key is in, as it is in the file, and the element.
func pageOf(t *testing.T, file []byte, kind int, key string) (page, element []byte) {
	t.Helper()
	size := os.Getpagesize()
	for at := 2 * size; at < len(file); at += size {
		page := file[at : at+size]
		for i := range u16(page[10:]) {
			element := page[pageHeader+elementLen*i:]
			position := u32(element)
			if kind == leafPage {
				position = u32(element[4:])
			}
			if u16(page[8:]) == kind && bytes.HasPrefix(element[position:], []byte(key)) {
				return page, element
			}
		}
	}
	t.Fatalf("no page of kind %d has the key %q", kind, key)
	return nil, nil
}

// TestVerify: what is wrong with a file is found, although each row of it is sound.
func TestVerify(t *testing.T) {
	whole := twoTables(t)
	ok(t, Verify(t.Context(), dirOf(t, whole)))
	value := func(t *testing.T, file []byte, bucket string) []byte {
		_, element := pageOf(t, file, leafPage, bucket)
		return element[u32(element[4:])+u32(element[8:]):]
	}
	for sentence, damage := range map[string]func(t *testing.T, file []byte){
		"an inner page that leads to itself": func(t *testing.T, file []byte) {
			page, _ := pageOf(t, file, branchPage, "p\x00A")
			copy(page[pageHeader+8:], page[:8])
		},
		"two tables with the same pages": func(t *testing.T, file []byte) {
			copy(value(t, file, "table B")[:8], value(t, file, "table A"))
		},
		"a table with another name": func(t *testing.T, file []byte) {
			_, element := pageOf(t, file, leafPage, "table D")
			copy(element[u32(element[4:]):], "table E") // which keeps the order
		},
		"a page that has lost its last row": func(t *testing.T, file []byte) {
			page, _ := pageOf(t, file, leafPage, "p\x00A")
			page[10]--
		},
		"a page that has lost its only row": func(t *testing.T, file []byte) {
			page, _ := pageOf(t, file, leafPage, "p\x00C")
			page[10] = 0
		},
		"a small table that has lost its only row": func(t *testing.T, file []byte) {
			value(t, file, "table D")[pageHeader+10] = 0
		},
		"pages in another order": func(t *testing.T, file []byte) {
			page, _ := pageOf(t, file, branchPage, "p\x00A")
			one, two := page[pageHeader+8:][:8], bytes.Clone(page[pageHeader+elementLen+8:][:8])
			copy(page[pageHeader+elementLen+8:], one)
			copy(one, two)
		},
		"a row that a look-up would miss": func(t *testing.T, file []byte) {
			page, _ := pageOf(t, file, branchPage, "p\x00A")
			second := page[pageHeader+elementLen:]
			second[u32(second)+u32(second[4:])-1]++ // its key is now after the first one of its page
		},
		"a row that is a bucket": func(t *testing.T, file []byte) {
			_, element := pageOf(t, file, leafPage, "p\x00A")
			element[0] = bucketFlag
		},
		"a page that seems to go on for 16 TB": func(t *testing.T, file []byte) {
			page, _ := pageOf(t, file, leafPage, "p\x00C")
			binary.NativeEndian.PutUint32(page[12:], 1<<32-1)
		},
		"a bucket that is a row": func(t *testing.T, file []byte) {
			_, element := pageOf(t, file, leafPage, "table C")
			element[0] = 0
		},
	} {
		t.Run(sentence+" is damage", func(t *testing.T) {
			file := bytes.Clone(whole)
			if damage(t, file); bytes.Equal(file, whole) {
				t.Fatal("nothing was damaged")
			}
			dir := dirOf(t, file)
			_, open := Open(dir, Options{})
			is(t, ErrDamaged, Verify(t.Context(), dir), open)
		})
	}
}

func TestFullPage(t *testing.T) {
	t.Run("a page whose elements fill it to its last byte is sound", func(t *testing.T) {
		used := func(text int) int {
			dir := t.TempDir()
			db := opened(t, dir)
			table := driver.NewTable(db, "A")
			ok(t, table.Create(t.Context()))
			ok(t, table.Transact(t.Context(), "p", driver.Insert("A", driver.String("Text", strings.Repeat("x", text)))))
			ok(t, db.Close())
			ok(t, Verify(t.Context(), dir))
			_, element := pageOf(t, fileOf(t, dir), leafPage, "p\x00A")
			return pageHeader + u32(element[4:]) + u32(element[8:]) + u32(element[12:])
		}
		const text = 3500
		full := 0
		for range 100 { // the numbers that each store draws anew take a byte more or less
			if full = used(text + os.Getpagesize() - used(text)); full == os.Getpagesize() {
				return
			}
		}
		t.Errorf("the page has %d bytes, want %d", full, os.Getpagesize())
	})
}

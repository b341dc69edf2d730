package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"microblogging/storage/driver"
	"microblogging/storage/drivertest"
)

// mutationsIn is how many changes TestMutations makes, if it is set.
const mutationsIn = "MICROBLOGGING_TEST_MUTATIONS"

// A mutation changes the file of a store and says where.
type mutation func(random *rand.Rand, file []byte) (changed []byte, where string)

func flipBit(random *rand.Rand, file []byte) ([]byte, string) {
	at, bit := random.IntN(len(file)), random.IntN(8)
	file[at] ^= 1 << bit
	return file, fmt.Sprintf("bit %d of byte %d", bit, at)
}

// flipHeader flips a bit where one counts for most: in the headers of a page and of its first rows.
func flipHeader(random *rand.Rand, file []byte) ([]byte, string) {
	size := os.Getpagesize()
	at, bit := random.IntN(len(file)/size)*size+random.IntN(80), random.IntN(8)
	file[at] ^= 1 << bit
	return file, fmt.Sprintf("bit %d of byte %d of page %d", bit, at%size, at/size)
}

func cutFile(random *rand.Rand, file []byte) ([]byte, string) {
	n := random.IntN(len(file))
	return file[:n], fmt.Sprint("behind byte ", n)
}

func swapPages(random *rand.Rand, file []byte) ([]byte, string) {
	size := os.Getpagesize()
	one, two := random.IntN(len(file)/size), random.IntN(len(file)/size)
	a, b := file[one*size:][:size], bytes.Clone(file[two*size:][:size])
	copy(file[two*size:], a)
	copy(a, b)
	return file, fmt.Sprintf("pages %d and %d", one, two)
}

// ofBytes overwrites a page with a byte.
func ofBytes(b byte) mutation {
	return func(random *rand.Rand, file []byte) ([]byte, string) {
		size := os.Getpagesize()
		page := random.IntN(len(file) / size)
		copy(file[page*size:], bytes.Repeat([]byte{b}, size))
		return file, fmt.Sprint("page ", page)
	}
}

// wildPage leaves the header of a page. If it was a page of rows, their keys begin far behind the file.
func wildPage(random *rand.Rand, file []byte) ([]byte, string) {
	size := os.Getpagesize()
	page := random.IntN(len(file) / size)
	for element := file[page*size+pageHeader : (page+1)*size]; len(element) >= elementLen; element = element[elementLen:] {
		for i, field := range []uint32{0, 0x6000_0000, 8, 8} { // no bucket; far; short
			binary.NativeEndian.PutUint32(element[4*i:], field)
		}
	}
	return file, fmt.Sprint("page ", page)
}

// varied makes a store with two tables and a queue: inner pages, rows of several pages, a small
// table that has no page of its own, and some pages that are free.
func varied(t testing.TB, dir string) {
	t.Helper()
	db := opened(t, dir)
	var rows []driver.Operation
	for i := range 300 {
		rows = append(rows, driver.Insert(fmt.Sprintf("%03d", i), driver.Int64("N", int64(i)), driver.String("Text", strings.Repeat("text", i%150))))
	}
	put(t, db, rows...)
	ok(t, db.Close())
	mustCompact(t, dir)
	db = opened(t, dir)
	ok(t, driver.NewTable(db, "Small").Create(t.Context()))
	ok(t, driver.NewTable(db, "Small").Transact(t.Context(), "p", driver.Insert("one", driver.Int64("N", 1))))
	send(t, driver.NewQueue(db, "q"), "one", "two", "three")
	put(t, db, driver.Insert("large", driver.String("Text", strings.Repeat("large", 4_000))))
	put(t, db, driver.Delete("100", driver.Exists), driver.Merge("200", driver.Exists, driver.Bool("B", true)))
	ok(t, db.Close())
}

// everything reads each row and each message.
func everything(ctx context.Context, dir string) (rows []string, err error) {
	db, err := Open(dir, Options{NoSync: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	for _, table := range []string{"T", "Small"} {
		err = errors.Join(err, driver.NewTable(db, table).Create(ctx))
		for row, failed := range driver.NewTable(db, table).All(ctx, driver.Scan{}) {
			err = errors.Join(err, failed)
			rows = append(rows, fmt.Sprint(row))
		}
	}
	err = errors.Join(err, driver.NewQueue(db, "q").Create(ctx))
	messages, failed := driver.NewQueue(db, "q").Peek(ctx, 32)
	for _, m := range messages {
		rows = append(rows, fmt.Sprint(m))
	}
	return rows, errors.Join(err, failed, db.Close())
}

// TestMutations changes the file of a store in one place, many times. What is read afterwards is
// what was written, or an error: a panic in a goroutine, or a fault of the memory, would end the whole
// server.
func TestMutations(t *testing.T) { drivertest.Long(mutations)(t) }

func mutations(t *testing.T) {
	dir := t.TempDir()
	varied(t, dir)
	file := fileOf(t, dir)
	want, err := everything(t.Context(), dir)
	ok(t, err)
	runs := 60
	if n, err := strconv.Atoi(os.Getenv(mutationsIn)); err == nil {
		runs = n
	}
	for name, m := range map[string]mutation{"a bit": flipBit, "a bit of a header": flipHeader, "a cut": cutFile, "two pages swapped": swapPages,
		"a page of zeros": ofBytes(0), "a page of ones": ofBytes(0xff), "a page that points nowhere": wildPage} {
		t.Run(name, func(t *testing.T) { mutate(t, m, runs, file, want) })
	}
}

func mutate(t *testing.T, m mutation, runs int, file []byte, want []string) {
	random, found := rand.New(rand.NewPCG(34, uint64(len(t.Name())))), map[string]int{}
	for range runs {
		changed, where := m(random, bytes.Clone(file))
		var copied bytes.Buffer
		dir := dirOf(t, changed)
		backup, restored := Backup(t.Context(), dir, Options{}, &copied), error(nil)
		if backup == nil {
			restored = restore(t.Context(), t.TempDir(), copied.Bytes())
		}
		other := dirOf(t, changed)
		_, _, compact := Compact(t.Context(), other, Options{}, func(bool) {})
		wantFiles(t, other, fileName)
		check := Verify(t.Context(), dir)
		rows, err := everything(t.Context(), dir)
		for _, err := range []error{backup, compact, check, err} {
			if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, errForeign) && !errors.Is(err, errCorrupt) {
				t.Errorf("%s: %v", where, err)
			}
		}
		check = errors.Join(check, err)
		same := slices.Equal(rows, want)
		switch {
		case backup == nil && restored != nil:
			t.Errorf("%s: was backed up, and not restored: %v", where, restored)
		case (check == nil) != (backup == nil):
			t.Errorf("%s: the check says %v, the backup %v", where, check, backup)
		case (check == nil) != (compact == nil) && !errors.Is(check, errHeader):
			t.Errorf("%s: the check says %v, the compaction %v", where, check, compact)
		case check == nil && !same:
			found["unseen"]++
			t.Logf("%s: unseen", where)
		case check == nil:
			found["changed no row"]++
		default:
			found["seen"]++
		}
	}
	t.Logf("%d changes: %v", runs, found)
	if found["unseen"]*100 > runs {
		t.Errorf("%d of %d changes were not seen", found["unseen"], runs)
	}
}

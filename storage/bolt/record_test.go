package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"microblogging/storage/driver"
)

func anyProperties(t *rapid.T) driver.Properties {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,20}`), 0, 20, rapid.ID).Draw(t, "names")
	var properties driver.Properties
	for _, name := range names {
		properties = append(properties, rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) driver.Property { return driver.String(name, s) }),
			rapid.Map(rapid.Int64(), func(n int64) driver.Property { return driver.Int64(name, n) }),
			rapid.Map(rapid.Bool(), func(b bool) driver.Property { return driver.Bool(name, b) }),
			rapid.Map(rapid.Int64Range(-1<<40, 1<<40), func(s int64) driver.Property { return driver.Time(name, time.Unix(s, 700)) }),
		).Draw(t, name))
	}
	return properties
}

func TestRecord(t *testing.T) {
	t.Run("decodes to what was encoded, or to what is selected", rapid.MakeCheck(recordRoundTrip))
	t.Run("that was cut is an error", rapid.MakeCheck(cutRecord))
	t.Run("in which any bit has changed, or that is of another key, is an error", oddRecord)
	t.Run("that is damaged is an error in every call", damagedRow)
}

func recordRoundTrip(t *rapid.T) {
	key := rapid.SliceOf(rapid.Byte()).Draw(t, "key")
	all, etag := anyProperties(t), driver.ETag(rapid.String().Draw(t, "etag"))
	record := encodeRecord(key, etag, encodeProperties(all))
	if tag, got, err := decodeRecord(key, record, nil); err != nil || tag != etag || !slices.Equal(got, all) {
		t.Fatalf("got %q %v, %v, want %q %v", tag, got, err, etag, all)
	}
	names := []string{"Missing one"}
	var want driver.Properties
	for _, p := range all {
		if rapid.Bool().Draw(t, "select "+p.Name) {
			names, want = append(names, p.Name), append(want, p)
		}
	}
	if tag, got, err := decodeRecord(key, record, names); err != nil || tag != "" || !slices.Equal(got, want) {
		t.Fatalf("got %q %v, %v, want %v", tag, got, err, want)
	}
}

// The checksum alone would refuse it; what is behind it does too.
func cutRecord(t *rapid.T) {
	whole := encodeRecord(nil, "1.2", encodeProperties(anyProperties(t)))
	cut := bytes.Clone(whole[:rapid.IntRange(0, len(whole)-1).Draw(t, "cut")])
	for _, names := range [][]string{nil, {"A"}} {
		if _, _, err := decodeRecord(nil, cut, names); err == nil {
			t.Fatalf("%q was decoded, %d bytes of %d", cut, len(cut), len(whole))
		}
		if len(cut) >= checksumLen {
			seal(nil, cut)
		}
	}
}

func oddRecord(t *testing.T) {
	key, other := []byte("p\x00row"), []byte("p\x00sow")
	record := encodeRecord(key, "1.2", encodeProperties(driver.Properties{driver.Bool("B", true)}))
	refused := func(what string, key, value []byte) {
		if _, _, err := decodeRecord(key, value, nil); !errors.Is(err, errCorrupt) {
			t.Errorf("%s: got %v, want errCorrupt", what, err)
		}
	}
	refused("bytes left over", key, seal(key, append(bytes.Clone(record), 0)))
	refused("that of another row", other, record)
	for bit := range 8 * len(record) {
		changed := bytes.Clone(record)
		changed[bit/8] ^= 1 << (bit % 8)
		refused(fmt.Sprintf("bit %d changed", bit), key, changed)
	}
	place := newPlace(1, 2)
	sent := message{place: place, text: "text"}.encode()
	if _, err := decodeMessage(newPlace(1, 3), sent); !errors.Is(err, errCorrupt) {
		t.Errorf("a message at another place: %v", err)
	}
}

// FuzzRecord refutes that what has a right checksum is an error, or decodes to what can be
// encoded again, and never a panic.
func FuzzRecord(f *testing.F) {
	f.Add([]byte{})
	f.Add(encodeRecord(nil, "1.2", encodeProperties(nil))[checksumLen:])
	f.Add(encodeRecord(nil, "1.2", encodeProperties(driver.Properties{
		driver.String("S", "text"), driver.Int64("N", -1), driver.Bool("B", true), driver.Time("T", time.Unix(0, 0)),
	}))[checksumLen:])
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{1, 2, 't'})
	f.Fuzz(func(t *testing.T, body []byte) {
		key := make([]byte, placeLen)
		value := seal(key, append(make([]byte, checksumLen), body...))
		if m, err := decodeMessage(key, value); err == nil && !strings.HasSuffix(string(value), m.text) {
			t.Fatalf("%q: got the message %+v", value, m)
		}
		etag, properties, err := decodeRecord(key, value, nil)
		if err != nil {
			return
		}
		tag, again, err := decodeRecord(key, encodeRecord(key, etag, encodeProperties(properties)), nil)
		if err != nil || tag != etag || !slices.Equal(again, properties) {
			t.Fatalf("%q: got %v, %v, want %v", value, again, err, properties)
		}
	})
}

func damagedRow(t *testing.T) {
	db := opened(t, t.TempDir())
	noRecord := bytes.Repeat([]byte{1}, 30)
	ok(t, db.submit(t.Context(), change{check: func(tx *bbolt.Tx) (func() error, error) {
		return func() error { return tx.Bucket([]byte(tablePrefix+"T")).Put(rowKey("p", "broken"), noRecord) }, nil
	}}))
	table := driver.NewTable(db, "T")
	_, get := table.Get(t.Context(), "p", "broken")
	_, page := table.Range(t.Context(), driver.Range{Partition: "p", Paging: driver.Paging{Limit: 1}})
	is(t, errCorrupt, get, page, table.Transact(t.Context(), "p", driver.Merge("broken", driver.Exists)))
	// It can still be replaced.
	ok(t, table.Transact(t.Context(), "p", driver.Replace("broken", driver.Exists)))
}

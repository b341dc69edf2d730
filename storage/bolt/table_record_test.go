package bolt

import (
	"bytes"
	"errors"
	"slices"
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
	t.Run("decodes to what was encoded", recordRoundTrip)
	t.Run("that was cut is an error", cutRecord)
	t.Run("of another version or with bytes left over is an error", oddRecord)
	t.Run("that is damaged is an error in every call", damagedRow)
}

func recordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyProperties(t)
		etag := driver.ETag(rapid.String().Draw(t, "etag"))
		stored, err := decodeRecord(string(encodeRecord(etag, encodeProperties(want))))
		if err != nil {
			t.Fatal(err)
		}
		got, err := stored.properties()
		if err != nil {
			t.Fatal(err)
		}
		if stored.etag != etag || !slices.Equal(got, want) {
			t.Fatalf("got %q %v, want %q %v", stored.etag, got, etag, want)
		}
	})
}

func cutRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := encodeRecord("1.2", encodeProperties(anyProperties(t)))
		cut := whole[:rapid.IntRange(0, len(whole)-1).Draw(t, "cut")]
		stored, err := decodeRecord(string(cut))
		if err == nil {
			_, err = stored.properties()
		}
		if err == nil {
			t.Fatalf("%q was decoded, %d bytes of %d", cut, len(cut), len(whole))
		}
	})
}

func oddRecord(t *testing.T) {
	valid := encodeRecord("1.2", encodeProperties(driver.Properties{driver.Bool("B", true)}))
	other := bytes.Clone(valid)
	other[0]++
	for what, value := range map[string][]byte{"another version": other, "bytes left over": append(valid, 0)} {
		stored, err := decodeRecord(string(value))
		if err == nil {
			_, err = stored.properties()
		}
		if !errors.Is(err, errCorrupt) {
			t.Errorf("%s: got %v, want errCorrupt", what, err)
		}
	}
}

// FuzzRecord refutes that a damaged record is an error, or decodes to what can be
// encoded again, and never a panic.
func FuzzRecord(f *testing.F) {
	f.Add([]byte{})
	f.Add(encodeRecord("1.2", encodeProperties(nil)))
	f.Add(encodeRecord("1.2", encodeProperties(driver.Properties{
		driver.String("S", "text"), driver.Int64("N", -1), driver.Bool("B", true), driver.Time("T", time.Unix(0, 0)),
	})))
	f.Add([]byte{recordVersion, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, value []byte) {
		stored, err := decodeRecord(string(value))
		if err != nil {
			return
		}
		properties, err := stored.properties()
		if err != nil {
			return
		}
		again, err := decodeRecord(string(encodeRecord(stored.etag, encodeProperties(properties))))
		if err != nil {
			t.Fatalf("%q: what was decoded cannot be decoded again: %v", value, err)
		}
		if got, err := again.properties(); err != nil || !slices.Equal(got, properties) {
			t.Fatalf("%q: got %v, %v, want %v", value, got, err, properties)
		}
	})
}

// FuzzMessage is FuzzRecord for messages.
func FuzzMessage(f *testing.F) {
	f.Add([]byte{})
	f.Add(encodeMessage(message{id: 1, deliveries: 2, text: "text"}))
	f.Fuzz(func(t *testing.T, value []byte) {
		m, err := decodeMessage(value)
		if err != nil {
			return
		}
		again, err := decodeMessage(encodeMessage(m))
		if err != nil || again != m {
			t.Fatalf("%q: got %v, %v, want %v", value, again, err, m)
		}
	})
}

func damagedRow(t *testing.T) {
	db := openRows(t, nil)
	if err := db.submit(t.Context(), damage{table: "T", key: rowKey("p", "broken")}); err != nil {
		t.Fatal(err)
	}
	_, get := db.Get(t.Context(), "T", "p", "broken")
	_, page := db.Range(t.Context(), "T", driver.Range{Partition: "p", Paging: driver.Paging{Limit: 1}})
	merge := db.Transact(t.Context(), "T", "p", []driver.Operation{driver.Merge("broken", driver.Exists)})
	for what, err := range map[string]error{"get": get, "range": page, "merge": merge} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	// It can still be replaced.
	if err := db.Transact(t.Context(), "T", "p", []driver.Operation{driver.Replace("broken", driver.Exists)}); err != nil {
		t.Error(err)
	}
}

// damage is a change that writes a value that is no record.
type damage struct {
	table string
	key   []byte
}

func (d damage) check(*bbolt.Tx) error { return nil }
func (d damage) apply(tx *bbolt.Tx) error {
	return tx.Bucket(tableBucket(d.table)).Put(d.key, bytes.Repeat([]byte{recordVersion}, 3))
}
func (d damage) size() int { return 3 }

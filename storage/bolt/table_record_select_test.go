package bolt

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"microblogging/storage/driver"
)

func TestSelectProperties(t *testing.T) {
	t.Run("a record keeps the selected properties alone", rapid.MakeCheck(recordKeepsTheSelectedPropertiesAlone))
	t.Run("a cut record is an error", rapid.MakeCheck(cutRecordIsAnErrorToSelectFrom))
	t.Run("any bytes are an error or a record", rapid.MakeCheck(anyBytesAreAnErrorOrARecord))
}

func recordKeepsTheSelectedPropertiesAlone(t *rapid.T) {
	all := anyProperties(t)
	names := []string{"Missing one"}
	var want driver.Properties
	for _, p := range all {
		if rapid.Bool().Draw(t, "select "+p.Name) {
			names, want = append(names, p.Name), append(want, p)
		}
	}
	raw, err := selectProperties(encodeRecord("1.2", encodeProperties(all)), names)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := decodeRecord(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := stored.properties(); err != nil || stored.etag != "" || !slices.Equal(got, want) {
		t.Fatalf("got %q %v, %v, want %v", stored.etag, got, err, want)
	}
}

func cutRecordIsAnErrorToSelectFrom(t *rapid.T) {
	whole := encodeRecord("1.2", encodeProperties(anyProperties(t)))
	cut := whole[:rapid.IntRange(0, len(whole)-1).Draw(t, "cut")]
	if raw, err := selectProperties(cut, []string{"A"}); err == nil {
		t.Fatalf("%q gave %q, %d bytes of %d", cut, raw, len(cut), len(whole))
	}
}

func anyBytesAreAnErrorOrARecord(t *rapid.T) {
	raw, err := selectProperties(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"), []string{"A", ""})
	if err != nil {
		return
	}
	if _, err := decodeRecord(string(raw)); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
}

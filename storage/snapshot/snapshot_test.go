package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSnapshot(t *testing.T) {
	t.Run("gives back what was put in", givesBack)
	t.Run("cut short anywhere is refused", cutAnywhere)
	t.Run("with any byte changed is refused", changedAnywhere)
	t.Run("that goes on after its end is refused", goesOn)
	t.Run("that was given up says why", givenUp)
	t.Run("of another kind, of a newer format or empty is refused", foreign)
	t.Run("that was written wrongly is refused, though its checksum is right", writtenWrongly)
	t.Run("that cannot be read is not called cut short", unreadable)
}

// small is a file of two sections, one of them without rows.
func small(t testing.TB) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, Head{Content: Whole, Schema: 7, TakenOn: time.Unix(1_800_000_000, 5)})
	if err := errors.Join(err, w.Section("empty", 1), w.Section("full", 1<<60), w.Put([]byte("key"), nil), w.Put(nil, []byte("value"))); err != nil {
		t.Fatal(err)
	}
	summary, err := w.Close()
	if err != nil || summary.Bytes != int64(file.Len()) || summary.Rows != 2 {
		t.Fatalf("%+v (%v), want 2 rows in %d bytes", summary, err, file.Len())
	}
	return file.Bytes()
}

// told is what a visitor is told, as lines.
func told(r io.Reader) (Summary, string, error) {
	var lines strings.Builder
	summary, err := Each(r, Visitor{
		Section: func(name string, number uint64) error { fmt.Fprintln(&lines, name, number); return nil },
		Row:     func(key, value []byte) error { fmt.Fprintf(&lines, "%s=%s\n", key, value); return nil },
	})
	return summary, lines.String(), err
}

func givesBack(t *testing.T) {
	file := small(t)
	summary, lines, err := told(iotest.OneByteReader(bytes.NewReader(file)))
	want := Summary{Head: Head{Content: Whole, Schema: 7, TakenOn: time.Unix(1_800_000_000, 0).UTC()}, Rows: 2, Bytes: int64(len(file))}
	if err != nil || summary != want || lines != "empty 1\nfull 1152921504606846976\nkey=\n=value\n" {
		t.Errorf("got %+v, %q (%v)", summary, lines, err)
	}
	var large bytes.Buffer
	w, err := NewWriter(&large, Head{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Section("s", 0); err != nil {
		t.Fatal(err)
	}
	for i := range 5_000 {
		if err := w.Put(fmt.Append(nil, i), bytes.Repeat([]byte{byte(i)}, 100+i)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = w.Close()
	n := 0
	_, err2 := Each(&large, Visitor{Row: func(key, value []byte) error {
		if string(key) != fmt.Sprint(n) || !bytes.Equal(value, bytes.Repeat([]byte{byte(n)}, 100+n)) {
			t.Fatalf("row %d is %q with %d bytes", n, key, len(value))
		}
		n++
		return nil
	}})
	if err := errors.Join(err, err2); err != nil || n != 5_000 {
		t.Errorf("%d rows (%v)", n, err)
	}
}

func cutAnywhere(t *testing.T) {
	file := small(t)
	for n := 1; n < len(file); n++ {
		if _, err := Verify(bytes.NewReader(file[:n])); !errors.Is(err, ErrCut) {
			t.Errorf("%d bytes of %d: got %v", n, len(file), err)
		}
	}
}

func changedAnywhere(t *testing.T) {
	file := small(t)
	for i := range file {
		for _, change := range []byte{1, 0x80, 0xff} {
			changed := bytes.Clone(file)
			changed[i] ^= change
			if summary, err := Verify(bytes.NewReader(changed)); err == nil || summary != (Summary{}) {
				t.Errorf("byte %d changed by %#x: got %+v", i, change, summary)
			}
			if _, _, err := told(bytes.NewReader(changed)); err == nil {
				t.Errorf("byte %d changed by %#x: a visitor is told all", i, change)
			}
		}
	}
}

func goesOn(t *testing.T) {
	if _, err := Verify(bytes.NewReader(append(small(t), 0))); !errors.Is(err, ErrAltered) {
		t.Errorf("got %v", err)
	}
}

func givenUp(t *testing.T) {
	file := small(t)
	const end = headerLen + 8 + 32
	_, err := Verify(bytes.NewReader(append(file[:len(file)-end], GivenUp("no room")...)))
	var given *GivenUpError
	if !errors.As(err, &given) || given.Reason != "no room" {
		t.Errorf("got %v", err)
	}
}

func foreign(t *testing.T) {
	for text, want := range map[string]error{
		"": ErrForeign, "{}": ErrForeign, strings.Repeat("x", 100): ErrForeign,
		strings.Replace(string(small(t)), "backup 1\n", "backup 2\n", 1): ErrNewer,
	} {
		if _, err := Verify(strings.NewReader(text)); !errors.Is(err, want) {
			t.Errorf("%.30q: got %v, want %v", text, err, want)
		}
	}
}

// The memory of the writer may fail before the checksum is made.
func writtenWrongly(t *testing.T) {
	for what, wrong := range map[string]func(*Writer) error{
		"rows that cannot be unpacked": func(w *Writer) error { return w.put(kindRows, []byte("no rows")) },
		"a row that is cut":            func(w *Writer) error { w.rows = []byte{3, 'k'}; return w.flush() },
		"a row too few":                func(w *Writer) error { w.written.Rows++; return nil },
		"a row too many":               func(w *Writer) error { w.written.Rows--; return w.Put([]byte("key"), nil) },
		"rows before any section":      func(w *Writer) error { return nil },
	} {
		var file bytes.Buffer
		w, err := NewWriter(&file, Head{})
		if err == nil && what != "rows before any section" {
			err = w.Section("s", 0)
		}
		if err := errors.Join(err, w.Put([]byte("first"), nil), w.flush(), wrong(w)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(&file); !errors.Is(err, ErrAltered) {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

func unreadable(t *testing.T) {
	broken := errors.New("broken")
	file := small(t)
	for n := range len(file) {
		if _, err := Verify(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: got %v", n, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte(magic))
	f.Add(small(f))
	f.Fuzz(func(t *testing.T, file []byte) {
		summary, err := Verify(bytes.NewReader(file))
		if err == nil && summary.Bytes != int64(len(file)) {
			t.Errorf("%d bytes of %d", summary.Bytes, len(file))
		}
	})
}

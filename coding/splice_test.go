package coding

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestSplice(t *testing.T) {
	t.Run("is one member that gives back the whole", splicedIsOneMember)
	t.Run("is as long whatever the part is", splicedIsAsLongWhateverThePart)
	t.Run("is longer by a hash of all that is compressed", splicedIsPaddedByWhatIsCompressed)
	t.Run("is for who likes nothing better than gzip", acceptsGzip)
}

// Not all clients read on after the first member.
func splicedIsOneMember(t *testing.T) {
	for _, before := range []string{"", "a", text(1000)} {
		for _, after := range []string{"", "z", text(20_000)} {
			s := Splice([]byte(before), []byte(after))
			for _, part := range []string{"", "key", strings.Repeat("k", storedMost)} {
				member, err := gzip.NewReader(bytes.NewReader(s.With(part)))
				if err != nil {
					t.Fatal(err)
				}
				member.Multistream(false)
				got, err := io.ReadAll(member)
				if err != nil || string(got) != before+part+after {
					t.Errorf("%d, %d and %d bytes: %d bytes, %v", len(before), len(part), len(after), len(got), err)
				}
			}
		}
	}
}

// paddingOf is how long the comment is that stands before what is compressed.
func paddingOf(body []byte) int { return bytes.IndexByte(body[len(gzipHeader):], 0) }

// A part that stands in the rest of the body, or repeats itself, would be shorter if it were
// compressed.
func splicedIsAsLongWhateverThePart(t *testing.T) {
	const secret = "MICBWMEHTWDQ3D2SJ4WPLQHV7T"
	s := Splice([]byte(text(1000)+secret), []byte(secret+text(1000)))
	length := func(part string) int { body := s.With(part); return len(body) - paddingOf(body) }
	want := length("GUESSWITHOUTACOMMONLETTER!")
	for _, part := range []string{secret, strings.Repeat("A", len(secret))} {
		if got := length(part); got != want {
			t.Errorf("%s: %d bytes, and %d for another", part, got, want)
		}
	}
}

// The part is another each time. If the padding were too, whoever asks often could tell its
// mean, and so the length without it.
func splicedIsPaddedByWhatIsCompressed(t *testing.T) {
	paddings := map[int]bool{}
	for i := range 200 {
		s := Splice([]byte("before"), fmt.Append(nil, i))
		n := paddingOf(s.With("key"))
		if n < 1 || n > padding {
			t.Fatalf("a padding of %d bytes", n)
		}
		for _, part := range []string{"", "another"} {
			if again := paddingOf(s.With(part)); again != n {
				t.Fatalf("a padding of %d bytes with one part, and %d with another", n, again)
			}
		}
		paddings[n] = true
	}
	if len(paddings) < padding*3/4 {
		t.Errorf("only %d lengths of padding", len(paddings))
	}
}

func acceptsGzip(t *testing.T) {
	for accepted, want := range map[string]bool{
		"gzip, deflate, br, zstd": true, "gzip": true, "*": true, "zstd, gzip": true,
		"": false, "zstd": false, "identity": false, "gzip;q=0.5, zstd": false, "gzip;q=0": false, "identity, gzip;q=0.5": false,
	} {
		if got := AcceptsGzip(accepting(accepted)); got != want {
			t.Errorf("%q: %t, want %t", accepted, got, want)
		}
	}
	for _, value := range usual {
		if !AcceptsGzip(accepting(value)) {
			t.Errorf("%q: not accepted", value)
		}
	}
}

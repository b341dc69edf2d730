package coding

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestAccepted(t *testing.T) {
	t.Run("is what the client likes best", acceptedIsWhatTheClientLikesBest)
	t.Run("is the same for what most clients send", acceptedIsTheSameForWhatMostClientsSend)
	t.Run("makes no allocation for what most clients send", acceptedMakesNoAllocation)
}

func accepting(values ...string) http.Header { return http.Header{"Accept-Encoding": values} }

func acceptedIsWhatTheClientLikesBest(t *testing.T) {
	for accepted, want := range map[string]Coding{
		"": Identity, "gzip": Gzip, "zstd": Zstd, "br": Identity, "deflate": Identity, "GZIP": Gzip, "x": Identity,
		"gzip, deflate, br, zstd":        Zstd,
		"gzip;q=1.0, zstd;q=0.5":         Gzip,
		"zstd;q=0, gzip":                 Gzip,
		"zstd;q=0, gzip;q=0":             Identity,
		"gzip;q=0.001":                   Gzip,
		"identity":                       Identity,
		"identity, gzip;q=0.5":           Identity,
		"identity;q=0.5, gzip;q=0.5":     Gzip,
		"identity;q=0.5, gzip;q=1.0":     Gzip,
		"*":                              Zstd,
		"*;q=0":                          Identity,
		"gzip, *;q=0":                    Gzip,
		"zstd;q=0, *":                    Gzip,
		"zstd;q=0.2, *;q=0.7":            Gzip,
		"br;q=1, gzip;q=0.8, zstd;q=0.8": Zstd,
		"gzip;q=oops":                    Identity,
		";;,,gzip":                       Identity,
	} {
		if got := AcceptedOf(accepting(accepted), Zstd, Gzip); got != want {
			t.Errorf("%q: %q, want %q", accepted, got, want)
		}
		if got := Accepted(accepting(accepted)); got != want {
			t.Errorf("Accepted %q: %q, want %q", accepted, got, want)
		}
	}
	if got := AcceptedOf(accepting("gzip", "br;q=0.9, zstd"), Zstd, Gzip); got != Zstd {
		t.Errorf("two header lines: %q", got)
	}
	if got := AcceptedOf(http.Header{}, Zstd); got != Identity {
		t.Errorf("no header: %q", got)
	}
}

var usual = []string{"gzip, deflate, br, zstd", "gzip,deflate,br,zstd", "gzip, deflate, br", "gzip, deflate", "gzip"}

func acceptedIsTheSameForWhatMostClientsSend(t *testing.T) {
	for _, value := range usual {
		if got, want := Accepted(accepting(value)), AcceptedOf(accepting(value), Zstd, Gzip); got != want || got == Identity {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

func acceptedMakesNoAllocation(t *testing.T) {
	for _, value := range usual {
		h := accepting(value)
		if n := testing.AllocsPerRun(10, func() { Accepted(h) }); n > 0 {
			t.Errorf("%q: %v allocations", value, n)
		}
	}
}

func TestEncode(t *testing.T) {
	t.Run("gives back what it got, and is shorter", encodedIsShorterAndWhole)
	t.Run("leaves what is short, or does not become shorter", shortAndCompressedAreLeft)
	t.Run("takes parts as one body", partsAreOneBody)
	t.Run("makes what is personal longer, by what it holds", personalIsLongerByWhatItHolds)
}

func decoded(t *testing.T, body []byte, c Coding) string {
	t.Helper()
	var reader io.Reader = bytes.NewReader(body)
	var err error
	switch c {
	case Gzip:
		reader, err = gzip.NewReader(reader)
	case Zstd:
		reader, err = zstd.NewReader(reader, zstd.WithDecoderConcurrency(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(whole)
}

func text(words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "<p>Word %d of many</p>", i*i)
	}
	return b.String()
}

func encodedIsShorterAndWhole(t *testing.T) {
	for _, c := range []Coding{Gzip, Zstd} {
		for _, words := range []int{60, 1000, 20_000} {
			body := text(words)
			for name, encode := range map[string]func(string, []byte) ([]byte, Coding){"public": c.Public, "personal": c.Personal} {
				encoded, used := encode("text/html", []byte(body))
				if used != c || len(encoded) >= len(body)/2 {
					t.Errorf("%s, %s: %d of %d bytes in %q", c, name, len(encoded), len(body), used)
				}
				if decoded(t, encoded, used) != body {
					t.Errorf("%s, %s: %d bytes are another text", c, name, len(body))
				}
			}
		}
	}
}

func shortAndCompressedAreLeft(t *testing.T) {
	noise := make([]byte, 4096)
	rand.Read(noise)
	for name, body := range map[string][]byte{"text/html": []byte(text(40)), "application/octet-stream": noise} {
		for _, c := range []Coding{Identity, Gzip, Zstd} {
			encoded, used := c.Public(name, body)
			if used != Identity || &encoded[0] != &body[0] {
				t.Errorf("%d bytes of %s: in %q", len(body), name, used)
			}
		}
	}
}

func partsAreOneBody(t *testing.T) {
	body := text(1000)
	parts := [][]byte{[]byte(body[:7]), []byte(body[7:10_000]), []byte(body[10_000:])}
	for _, c := range []Coding{Gzip, Zstd} {
		encoded, ok := c.PersonalParts("application/json", parts)
		if !ok || decoded(t, encoded, c) != body {
			t.Errorf("%s: %t, or another text", c, ok)
		}
		if _, ok := c.PersonalParts("application/json", parts[:1]); ok {
			t.Errorf("%s: 7 bytes are compressed", c)
		}
	}
}

// Two texts of one length, one of which repeats itself, would be told apart by their
// lengths alone. The padding depends on all of the text.
func personalIsLongerByWhatItHolds(t *testing.T) {
	for _, c := range []Coding{Gzip, Zstd} {
		lengths, least, most := map[int]bool{}, math.MaxInt, 0
		for i := range 60 {
			body := []byte(text(200) + fmt.Sprintf("key=%04d", i))
			personal, _ := c.Personal("text/html", body)
			again, _ := c.Personal("text/html", body)
			if len(again) != len(personal) {
				t.Fatalf("%s: %d bytes, and then %d", c, len(personal), len(again))
			}
			lengths[len(personal)] = true
			least, most = min(least, len(personal)), max(most, len(personal))
		}
		if most-least > padding+16 {
			t.Errorf("%s: from %d to %d bytes", c, least, most)
		}
		if len(lengths) < padding/2 {
			t.Errorf("%s: only %d lengths of padding", c, len(lengths))
		}
	}
}

package coding

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAcceptsGzip(t *testing.T) {
	t.Run("unless the client likes it less than what is not compressed", acceptsGzip)
}

func accepting(values ...string) *http.Request {
	return &http.Request{Header: http.Header{"Accept-Encoding": values}}
}

func acceptsGzip(t *testing.T) {
	for accepted, want := range map[string]bool{
		"": false, "gzip": true, "br": false, "GZIP": true, "x": false, "gzip, deflate, br, zstd": true, "gzip,deflate,br,zstd": true,
		"gzip, deflate, br": true, "gzip, deflate": true, "zstd;q=0, gzip;q=0": false, "gzip;q=0.001": true, "gzip;q=0.5, zstd": true,
		"identity": false, "identity, gzip;q=0.5": false, "identity;q=0.5, gzip;q=0.5": true, "identity;q=0.5, gzip;q=1.0": true,
		"*": true, "*;q=0": false, "gzip, *;q=0": true, "gzip;q=0, *": false, "gzip;q=oops": false, ";;,,gzip": false,
	} {
		if got := AcceptsGzip(accepting(accepted)); got != want {
			t.Errorf("%q: %t, want %t", accepted, got, want)
		}
	}
	if !AcceptsGzip(accepting("zstd", "br;q=0.9, gzip")) {
		t.Error("not in the second of two header lines")
	}
	if AcceptsGzip(accepting()) {
		t.Error("without a header")
	}
}

func TestGzip(t *testing.T) {
	t.Run("gives back what it got, and is shorter", gzippedIsShorterAndWhole)
	t.Run("leaves what is short, or does not become shorter", shortAndCompressedAreLeft)
}

func text(words int) []byte {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "<p>Word %d of many</p>", i*i)
	}
	return []byte(b.String())
}

func gzippedIsShorterAndWhole(t *testing.T) {
	for _, words := range []int{60, 1000, 20_000} {
		body := text(words)
		for _, gzipped := range [][]byte{Gzip(body), GzipKept(body)} {
			r, err := gzip.NewReader(bytes.NewReader(gzipped))
			if err != nil {
				t.Fatal(err)
			}
			again, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(again, body) || len(gzipped) > len(body)/2 {
				t.Errorf("%d bytes: %d bytes, which are %d, %v", len(body), len(gzipped), len(again), err)
			}
		}
	}
}

func shortAndCompressedAreLeft(t *testing.T) {
	noise := make([]byte, 4096)
	rand.Read(noise)
	for name, body := range map[string][]byte{"a short text": text(40), "noise": noise} {
		if gzipped := Gzip(body); gzipped != nil {
			t.Errorf("%s: %d of %d bytes", name, len(gzipped), len(body))
		}
	}
}

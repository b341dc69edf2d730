package coding

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"github.com/go-openapi/runtime/server-middleware/negotiate/header"
	"github.com/klauspost/compress/gzip"
)

// AcceptsGzip reports whether the client accepts gzip, and likes it as much as what is not
// compressed. A star means every coding that is not named.
func AcceptsGzip(r *http.Request) bool {
	liked := map[string]float64{}
	for _, spec := range header.ParseAccept(r.Header, "Accept-Encoding") {
		liked[strings.ToLower(spec.Value)] = spec.Q
	}
	q, named := liked["gzip"]
	if !named {
		q = liked["*"]
	}
	return q > 0 && q >= liked["identity"]
}

// minSize is the length from which on a body is compressed. A shorter one fits into one
// packet as it is.
const minSize = 1 << 10

// Writers are pooled because each has tables of hundreds of kilobytes.
var quick, small = writers(gzip.BestSpeed), writers(gzip.BestCompression)

func writers(level int) *sync.Pool {
	return &sync.Pool{New: func() any {
		w, err := gzip.NewWriterLevel(nil, level)
		if err != nil {
			panic(err) // the level is constant
		}
		return w
	}}
}

// Gzip compresses a body for one answer. It returns nil if the body is too short or does not
// become shorter.
func Gzip(body []byte) []byte { return compress(quick, body) }

// GzipKept is Gzip for what is sent often. It takes nine times as long, and the body is an
// eighth shorter.
func GzipKept(body []byte) []byte { return compress(small, body) }

func compress(writers *sync.Pool, body []byte) []byte {
	if len(body) < minSize {
		return nil
	}
	var gzipped bytes.Buffer
	gzipped.Grow(len(body) / 4)
	w := writers.Get().(*gzip.Writer)
	defer writers.Put(w)
	w.Reset(&gzipped)
	_, _ = w.Write(body) // a buffer takes all
	_ = w.Close()
	if gzipped.Len() >= len(body) {
		return nil
	}
	return gzipped.Bytes()
}

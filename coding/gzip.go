package coding

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minSize is the length from which on a body is compressed. A shorter one fits into one
// packet as it is.
const minSize = 1 << 10

// Writers are pooled because each has tables of hundreds of kilobytes.
var quick, small = writers(3), writers(gzip.BestCompression)

func writers(level int) *sync.Pool {
	return &sync.Pool{New: func() any {
		w, err := gzip.NewWriterLevel(nil, level)
		if err != nil {
			panic(err) // the level is constant
		}
		return w
	}}
}

// Gzip compresses a body, which may be in parts, for one answer. It returns nil if the body
// is too short or does not become shorter.
func Gzip(parts ...[]byte) []byte { return compress(quick, parts) }

// GzipKept is Gzip for what is sent often. It takes three times as long, and the body is a
// twentieth shorter.
func GzipKept(body []byte) []byte { return compress(small, [][]byte{body}) }

func compress(writers *sync.Pool, parts [][]byte) []byte {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	if size < minSize {
		return nil
	}
	var gzipped bytes.Buffer
	gzipped.Grow(size / 4)
	w := writers.Get().(*gzip.Writer)
	defer writers.Put(w)
	w.Reset(&gzipped)
	for _, part := range parts {
		_, _ = w.Write(part) // a buffer takes all
	}
	_ = w.Close()
	if gzipped.Len() >= size {
		return nil
	}
	return gzipped.Bytes()
}

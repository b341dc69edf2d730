package coding

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minSize is the length from which on a body is compressed. A shorter one fits into one
// packet as it is.
const minSize = 1 << 10

// level is a compromise: most of what is compressed is sent once. Level 6 saves a twentieth
// more bytes for twice the time.
const level = 3

// writers are kept because each has tables of hundreds of kilobytes.
var writers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // the level is constant
	}
	return w
}}

// Gzip compresses a body, which may be in parts. It returns nil if the body is too short or
// does not become shorter.
func Gzip(parts ...[]byte) []byte {
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

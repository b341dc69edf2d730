package coding

import (
	"bytes"
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// minSize is the length from which on a body is compressed. A shorter one fits into
	// one packet as it is.
	minSize = 1 << 10
	// padding is how many bytes longer a personal answer becomes at most.
	padding = 32
	// padded is how much of a body decides the length of the padding.
	padded = 64 << 10
)

// Public compresses a body that is the same for everybody. used is Identity, and encoded
// is the body itself, if the body is too short or does not become shorter.
func (c Coding) Public(mediaType string, body []byte) (encoded []byte, used Coding) {
	return c.whole(false, mediaType, body)
}

// Personal is Public for a body that may hold something that only its reader should know.
func (c Coding) Personal(mediaType string, body []byte) (encoded []byte, used Coding) {
	return c.whole(true, mediaType, body)
}

// PersonalParts is Personal for a body in parts. ok is false if the parts should be sent
// as they are.
func (c Coding) PersonalParts(mediaType string, parts [][]byte) (encoded []byte, ok bool) {
	return c.encode(true, mediaType, parts)
}

func (c Coding) whole(personal bool, mediaType string, body []byte) ([]byte, Coding) {
	if encoded, ok := c.encode(personal, mediaType, [][]byte{body}); ok {
		return encoded, c
	}
	return body, Identity
}

func (c Coding) encode(personal bool, mediaType string, parts [][]byte) (encoded []byte, ok bool) {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	if c == Identity || size < minSize {
		return nil, false
	}
	handler := compressors().public
	if personal {
		handler = compressors().personal
	}
	w := &memory{header: make(http.Header, 4), mediaType: mediaType, parts: parts}
	w.encoded.Grow(size/4 + padding)
	handler.ServeHTTP(w, &http.Request{Header: http.Header{headerAcceptEncoding: {string(c)}}})
	if w.header.Get("Content-Encoding") != string(c) || w.encoded.Len() >= size {
		return nil, false
	}
	return w.encoded.Bytes(), true
}

// handlers make a response of a body, in the coding that the request accepts.
type handlers struct{ public, personal http.Handler }

// compressors is called with the first body that is compressed.
var compressors = sync.OnceValue(func() handlers {
	whole := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		m := w.(interface{ Unwrap() http.ResponseWriter }).Unwrap().(*memory)
		w.Header().Set("Content-Type", m.mediaType)
		for _, part := range m.parts {
			_, _ = w.Write(part) // memory takes all
		}
	})
	level := gzhttp.ZstdCompressionLevel(int(zstd.SpeedDefault))
	public, err := gzhttp.NewWrapper(gzhttp.MinSize(minSize), level)
	if err != nil {
		panic(err) // the options are constant
	}
	// What is personal is compressed for one reader, each time.
	personal, err := gzhttp.NewWrapper(gzhttp.MinSize(minSize), gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.ZstdCompressionLevel(int(zstd.SpeedFastest)), gzhttp.RandomJitter(padding, padded, true))
	if err != nil {
		panic(err) // the options are constant
	}
	return handlers{public(whole), personal(whole)}
})

// A memory is where gzhttp writes a response that is not sent yet.
type memory struct {
	header    http.Header
	mediaType string
	parts     [][]byte
	encoded   bytes.Buffer
}

func (m *memory) Header() http.Header { return m.header }

func (m *memory) WriteHeader(int) {}

func (m *memory) Write(p []byte) (int, error) { return m.encoded.Write(p) }

package coding

import (
	"bytes"
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzhttp"
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
	return c.encode(false, mediaType, body)
}

// Personal is Public for a body that may hold something that only its reader should know.
func (c Coding) Personal(mediaType string, body []byte) (encoded []byte, used Coding) {
	return c.encode(true, mediaType, body)
}

func (c Coding) encode(personal bool, mediaType string, body []byte) ([]byte, Coding) {
	if c == Identity || len(body) < minSize {
		return body, Identity
	}
	handler := compressors().public
	if personal {
		handler = compressors().personal
	}
	w := &memory{header: make(http.Header, 4), mediaType: mediaType, body: body}
	w.encoded.Grow(len(body)/4 + padding)
	handler.ServeHTTP(w, &http.Request{Header: http.Header{headerAcceptEncoding: {string(c)}}})
	if w.header.Get("Content-Encoding") != string(c) || w.encoded.Len() >= len(body) {
		return body, Identity
	}
	return w.encoded.Bytes(), c
}

// A memory is where gzhttp writes a response that is not sent yet.
type memory struct {
	header    http.Header
	mediaType string
	body      []byte
	encoded   bytes.Buffer
}

func (m *memory) Header() http.Header { return m.header }

func (m *memory) WriteHeader(int) {}

func (m *memory) Write(p []byte) (int, error) { return m.encoded.Write(p) }

// handlers make a response of a body, in the coding that the request accepts.
type handlers struct{ public, personal http.Handler }

// compressors is called with the first body that is compressed.
var compressors = sync.OnceValue(func() handlers {
	whole := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		m := w.(interface{ Unwrap() http.ResponseWriter }).Unwrap().(*memory)
		w.Header().Set("Content-Type", m.mediaType)
		_, _ = w.Write(m.body) // memory takes all
	})
	public, err := gzhttp.NewWrapper(gzhttp.MinSize(minSize), gzhttp.ZstdCompressionLevel(int(zstd.SpeedDefault)))
	if err != nil {
		panic(err) // the options are constant
	}
	personal, err := gzhttp.NewWrapper(gzhttp.MinSize(minSize), gzhttp.ZstdCompressionLevel(int(zstd.SpeedDefault)),
		gzhttp.RandomJitter(padding, padded, true))
	if err != nil {
		panic(err) // the options are constant
	}
	return handlers{public(whole), personal(whole)}
})

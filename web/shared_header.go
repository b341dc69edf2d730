package web

import "net/http"

// A sharedHeader is a header that many responses have. They share the slice of its values,
// which nobody writes into.
type sharedHeader struct {
	// name is spelled as net/http does.
	name   string
	values []string
}

func setShared(h http.Header, headers []sharedHeader) {
	for _, header := range headers {
		h[header.name] = header.values
	}
}

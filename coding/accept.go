package coding

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-openapi/runtime/server-middleware/negotiate/header"
)

// A Coding is a content coding of HTTP, as Content-Encoding names it. Identity is not
// named there.
type Coding string

const (
	Identity Coding = ""
	Gzip     Coding = "gzip"
	Zstd     Coding = "zstd"
)

const (
	headerAcceptEncoding = "Accept-Encoding"
	identity             = "identity"
)

// Accepted returns the coding that the client accepts best among those that Public and
// Personal can make. It is Identity if the client accepts none.
func Accepted(h http.Header) Coding {
	values := h[headerAcceptEncoding]
	if len(values) == 1 {
		switch values[0] { // what most clients send; the answers are those of AcceptedOf
		case "gzip, deflate, br, zstd", "gzip,deflate,br,zstd":
			return Zstd
		case "gzip, deflate, br", "gzip, deflate", "gzip":
			return Gzip
		}
	}
	return AcceptedOf(h, Zstd, Gzip)
}

// AcceptedOf returns the coding that the client accepts best among the offers. Of those
// that it likes alike, the first wins.
func AcceptedOf(h http.Header, offers ...Coding) Coding {
	if len(h[headerAcceptEncoding]) == 0 {
		return Identity
	}
	specs := header.ParseAccept(h, headerAcceptEncoding)
	best, most := Identity, 0.0
	if q, named := quality(specs, identity); named {
		most = q
	}
	for _, offer := range offers {
		if q, _ := quality(specs, string(offer)); q > most || q == most && q > 0 && best == Identity {
			best, most = offer, q
		}
	}
	return best
}

// quality returns how much the client likes a coding, from 0 to 1, and whether it names
// the coding. What stands for all others counts for a coding that is not named.
func quality(specs []header.AcceptSpec, coding string) (q float64, named bool) {
	is := func(name string) func(header.AcceptSpec) bool {
		return func(s header.AcceptSpec) bool { return strings.EqualFold(s.Value, name) }
	}
	if i := slices.IndexFunc(specs, is(coding)); i >= 0 {
		return specs[i].Q, true
	}
	if i := slices.IndexFunc(specs, is("*")); i >= 0 {
		return specs[i].Q, false
	}
	return 0, false
}

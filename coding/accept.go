package coding

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-openapi/runtime/server-middleware/negotiate/header"
)

const acceptEncoding = "Accept-Encoding"

// AcceptsGzip tells whether the client accepts gzip, and likes it as much as what is not
// compressed.
func AcceptsGzip(h http.Header) bool {
	specs := header.ParseAccept(h, acceptEncoding)
	gzip, _ := quality(specs, "gzip")
	identity, named := quality(specs, "identity")
	return gzip > 0 && (!named || gzip >= identity)
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

package templates

import (
	"context"
	"io"

	"github.com/a-h/templ"
)

// A scratch is a buffer that the components of a list share: each writes its HTML
// there and then copies it to the page. Everything that stands once for each post
// (heading, byline, time) is written in this way and not as a templ component,
// because templ allocates for each component and twice for each { text };
// docs/performance.md has the figures. The zero value is ready. A scratch is not
// safe for concurrent use.
type scratch struct {
	buffer []byte
}

// component makes a component of a function that appends HTML.
func (s *scratch) component(add func(b []byte) []byte) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		s.buffer = add(s.buffer[:0])
		_, err := w.Write(s.buffer)
		return err
	})
}

// appendEscaped appends s, escaped for an element or a quoted attribute. It writes
// the same as html.EscapeString but allocates no string.
func appendEscaped(b []byte, s string) []byte {
	copied := 0
	for i := range len(s) {
		var entity string
		switch s[i] {
		case '<':
			entity = "&lt;"
		case '>':
			entity = "&gt;"
		case '&':
			entity = "&amp;"
		case '"':
			entity = "&#34;"
		case '\'':
			entity = "&#39;"
		default:
			continue
		}
		b = append(b, s[copied:i]...)
		b = append(b, entity...)
		copied = i + 1
	}
	return append(b, s[copied:]...)
}

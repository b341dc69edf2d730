package web

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"
)

// jsonParts is a JSON document that is encoded part by part, whole before the first byte
// is sent. Package json doubles its buffer until the document fits, and then copies it,
// which takes several times the size of a document. A part is small.
type jsonParts struct {
	parts [][]byte
	err   error
}

// raw adds JSON text.
func (p *jsonParts) raw(text string) { p.parts = append(p.parts, []byte(text)) }

// value adds the encoding of a value.
func (p *jsonParts) value(value any) {
	part, err := json.Marshal(value)
	if p.err == nil {
		p.err = err
	}
	p.parts = append(p.parts, part)
}

// respond sends the document as the answer of a request that succeeded.
func (p *jsonParts) respond(c echo.Context) error {
	if p.err != nil {
		return p.err
	}
	return sendTagged(c, http.StatusOK, echo.MIMEApplicationJSON, p.parts...)
}

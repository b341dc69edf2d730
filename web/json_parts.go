package web

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
)

// jsonParts is a JSON document that is encoded part by part, whole before the first byte
// is sent. Package json doubles its buffer until the document fits, and then copies it,
// which takes several times the size of a document. A part is small.
type jsonParts struct {
	parts [][]byte
	size  int
	err   error
}

// raw adds JSON text.
func (p *jsonParts) raw(text string) { p.add([]byte(text)) }

// value adds the encoding of a value.
func (p *jsonParts) value(value any) {
	part, err := json.Marshal(value)
	if p.err == nil {
		p.err = err
	}
	p.add(part)
}

func (p *jsonParts) add(part []byte) {
	p.parts = append(p.parts, part)
	p.size += len(part)
}

// respond sends the document as the answer of a request that succeeded.
func (p *jsonParts) respond(c echo.Context) error {
	if p.err != nil {
		return p.err
	}
	if mayHaveTag(c) && revalidated(c, bodyTag(p.parts...)) {
		return nil
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	h.Set(echo.HeaderContentLength, strconv.Itoa(p.size))
	c.Response().WriteHeader(http.StatusOK)
	for _, part := range p.parts {
		if _, err := c.Response().Write(part); err != nil {
			return err
		}
	}
	return nil
}

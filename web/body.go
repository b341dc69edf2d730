package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// Request bodies are read here rather than by decoding into a struct, because
// encoding/json forgives what this API must not: it takes NAME for name, keeps
// the last of two members, and replaces what is not Unicode.

// A field is a string in the body, and where it goes.
type field struct {
	name     string
	into     *string
	required bool
}

// required is a field that must be there. Null is not.
func required(name string, into *string) field { return field{name, into, true} }

// optional is a field that may be missing or null, which leaves it as it is.
func optional(name string, into *string) field { return field{name, into, false} }

// readFields reads a JSON object that may hold these fields and no others. What
// is wrong with single fields is gathered in one InvalidError.
func readFields(c echo.Context, fields ...field) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	members, err := parseObject(body)
	if err != nil {
		return err
	}
	var wrong []error
	for _, f := range fields {
		value, there := members[f.name]
		delete(members, f.name)
		switch {
		case there && !bytes.Equal(value, []byte("null")):
			text, err := parseText(f.name, value)
			wrong = append(wrong, err)
			*f.into = text
		case f.required:
			wrong = append(wrong, domain.Invalid(f.name, "is missing"))
		}
	}
	return domain.JoinInvalid(append(wrong, unknownField(members))...)
}

// unknownField names one of the members that are left, if there is one. One is
// enough: a body of nothing else must not make a response of many times its size.
func unknownField(members map[string]json.RawMessage) error {
	for name := range members {
		return domain.Invalid(name, "is not a field of this request")
	}
	return nil
}

func readBody(c echo.Context) ([]byte, error) {
	if err := checkContentType(c.Request().Header.Get(echo.HeaderContentType)); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(c.Request().Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", refuse(http.StatusBadRequest, "Incomplete body", "The body ended early. Nothing was saved."), err)
	}
	return body, checkJSON(body)
}

// checkContentType accepts JSON, said so or not. Anything else was not meant
// for this API, such as a form.
func checkContentType(header string) error {
	if header == "" {
		return nil
	}
	mediaType, params, err := mime.ParseMediaType(header)
	charset := params["charset"]
	if err != nil || mediaType != echo.MIMEApplicationJSON || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return refuse(http.StatusUnsupportedMediaType, "Not JSON", "Send Content-Type: application/json, in UTF-8.")
	}
	return nil
}

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

// Request bodies are not decoded into structs, because encoding/json accepts what
// this API must refuse: it takes NAME for name, keeps the last of two members with
// one name, and replaces what is not Unicode.

// A field is a string member of the body, and the variable that takes it.
type field struct {
	name     string
	into     *string
	required bool
}

// required is a field that must be present and not null.
func required(name string, into *string) field { return field{name, into, true} }

// optional is a field that may be missing or null. Then its variable keeps its value.
func optional(name string, into *string) field { return field{name, into, false} }

// readFields reads a JSON object that may hold these fields and no others. One
// domain.InvalidError gathers what is wrong with the fields.
func readFields(c echo.Context, fields ...field) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	return parseFields("The body", body, fields...)
}

// parseFields parses a JSON object that may hold these fields and no others. What names
// the object in errors.
func parseFields(what string, object []byte, fields ...field) error {
	members, err := parseObject(what, object)
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

// unknownField is an error about one of the members that no field has taken. It
// names only one: a response must not grow with the number of unknown members.
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
	case errors.As(err, &tooLarge), errors.Is(err, domain.ErrBusy):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", refuse(http.StatusBadRequest, "Incomplete body", "The body ended early. Nothing was saved."), err)
	}
	return body, checkJSON(body)
}

// checkContentType accepts JSON in UTF-8, and a missing Content-Type. It refuses
// everything else, such as a form.
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

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
	"unicode/utf16"
	"unicode/utf8"

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

func checkJSON(body []byte) error {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return notJSON("The body is empty. Send a JSON object.")
	case !utf8.Valid(body):
		return notJSON("The body is not valid UTF-8.")
	}
	var whole json.RawMessage
	err := json.Unmarshal(body, &whole)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return notJSON(fmt.Sprintf("The body is not JSON at byte %d.", syntax.Offset))
	}
	return err
}

func notJSON(detail string) error {
	return refuse(http.StatusBadRequest, "Not JSON", detail+" Nothing was saved.")
}

// parseObject takes an object apart. The body is known to be JSON.
func parseObject(body []byte) (map[string]json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // a number that no float64 holds is JSON, too
	start, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if start != json.Delim('{') {
		return nil, notJSON("The body must be a JSON object.")
	}
	members := make(map[string]json.RawMessage)
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint(key)
		if _, twice := members[name]; twice {
			return nil, notJSON("The body has two members of the same name.")
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		members[name] = value
	}
	return members, nil
}

func parseText(field string, value json.RawMessage) (string, error) {
	if value[0] != '"' {
		return "", domain.Invalid(field, "must be a string")
	}
	if hasLoneSurrogate(value) {
		return "", domain.Invalid(field, "holds half of a surrogate pair, which is no character")
	}
	var text string
	err := json.Unmarshal(value, &text)
	return text, err
}

// hasLoneSurrogate looks for what JSON can spell and Unicode does not have. The
// literal is known to be a JSON string.
func hasLoneSurrogate(literal []byte) bool {
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			continue
		}
		i++ // at the character that is escaped
		unit, ok := escapedUnit(literal[i:])
		if !ok {
			continue
		}
		i += 4
		if !utf16.IsSurrogate(unit) {
			continue
		}
		if len(literal) < i+3 || literal[i+1] != '\\' {
			return true
		}
		low, ok := escapedUnit(literal[i+2:])
		if !ok || utf16.DecodeRune(unit, low) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

// escapedUnit is the UTF-16 unit of what follows a backslash, if that is uXXXX.
func escapedUnit(s []byte) (unit rune, ok bool) {
	if len(s) < 5 || s[0] != 'u' {
		return 0, false
	}
	for _, digit := range s[1:5] {
		unit <<= 4
		switch {
		case digit <= '9':
			unit |= rune(digit - '0')
		default:
			unit |= rune(digit|0x20-'a') + 10
		}
	}
	return unit, true
}

package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// Request bodies are not decoded into structs, because encoding/json accepts what
// this API must refuse: it takes NAME for name, keeps the last of two members with
// one name, and replaces what is not Unicode.

// A field is a member of the body, and what takes its value, which is not null.
type field struct {
	name     string
	required bool
	take     func(json.RawMessage) error
}

// required is a string that must be present and not null.
func required(name string, into *string) field {
	return field{name, true, func(value json.RawMessage) (err error) {
		*into, err = parseText(name, value)
		return err
	}}
}

// optional is a string that may be missing or null. Then its variable keeps its value, so that
// what is to be left as it is differs from what is to be empty.
func optional(name string, into *string) field {
	f := required(name, into)
	f.required = false
	return f
}

// jsonFields are the fields of a body for words.
func jsonFields(words []domain.Field) (fields []field) {
	for _, word := range words {
		f := required(word.Name, word.Text)
		f.required = word.Required
		fields = append(fields, f)
	}
	return fields
}

// readFields reads a JSON object that may hold these fields and no others. One
// domain.InvalidError gathers what is wrong with the fields.
func readFields(c echo.Context, fields ...field) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	return parseFields("The body", body, fields...)
}

// readJSON reads a body that is JSON in UTF-8.
func readJSON(c echo.Context) ([]byte, error) {
	if err := checkContentType(c.Request().Header.Get(echo.HeaderContentType)); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return nil, unreadBody(err, "Incomplete body", "The body ended early. Nothing was saved.")
	}
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return nil, notJSON("The body is empty. Send a JSON object.")
	case !utf8.Valid(body):
		return nil, notJSON("The body is not valid UTF-8.")
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(body, &skipped{}); errors.As(err, &syntax) {
		return nil, notJSON(fmt.Sprintf("The body is not JSON at byte %d.", syntax.Offset))
	}
	return body, nil
}

// skipped is a value of which nothing is kept.
type skipped struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*skipped) UnmarshalJSON([]byte) error { return nil }

// unreadBody is why a body could not be read: it was too much, or it came in pieces.
func unreadBody(err error, title, detail string) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge || errors.Is(err, domain.ErrBusy) {
		return err
	}
	return fmt.Errorf("%w: %w", refuse(http.StatusBadRequest, title, detail), err)
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

func notJSON(detail string) error {
	return refuse(http.StatusBadRequest, "Not JSON", detail+" Nothing was saved.")
}

// parseFields parses a JSON object that may hold these fields and no others. What names the object in
// errors. Of the members that it must not hold, the error names only one, and none is kept: a body of
// many members takes no more memory than its bytes. The object must be valid JSON.
func parseFields(what string, object []byte, fields ...field) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return notJSON(what + " must be a JSON object.")
	}
	var wrong []error
	var other error
	members := map[string]json.RawMessage{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		name := fmt.Sprint(key)
		if _, twice := members[name]; twice {
			return notJSON(what + " has two members of the same name.")
		}
		if slices.ContainsFunc(fields, func(f field) bool { return f.name == name }) {
			var value json.RawMessage
			err = decoder.Decode(&value)
			members[name] = value
		} else {
			other = domain.Invalid(name, "is not a field of this request")
			err = decoder.Decode(&skipped{})
		}
		if err != nil {
			return err
		}
	}
	for _, f := range fields {
		switch value, there := members[f.name]; {
		case there && string(value) != "null":
			wrong = append(wrong, f.take(value))
		case f.required:
			wrong = append(wrong, domain.Invalid(f.name, "is missing"))
		}
	}
	return domain.JoinInvalid(append(wrong, other)...)
}

// parseText parses a string. JSON allows an escaped half of a surrogate pair without the
// other half; Unicode has no such character. Package json makes U+FFFD of it, one more than
// was sent.
func parseText(name string, value json.RawMessage) (text string, err error) {
	if value[0] != '"' {
		return "", domain.Invalid(name, "must be a string")
	}
	if err := json.Unmarshal(value, &text); err != nil {
		return "", err
	}
	sent := bytes.Count(value, []byte("\uFFFD")) + bytes.Count(bytes.ToLower(value), []byte(`\ufffd`))
	if strings.Count(text, "\uFFFD") > sent {
		return "", domain.Invalid(name, "holds half of a surrogate pair, which is no character")
	}
	return text, nil
}

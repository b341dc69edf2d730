package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf16"
	"unicode/utf8"

	"microblogging/domain"
)

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

// parseObject splits an object into its members. The body must be valid JSON. What names
// it in errors.
func parseObject(what string, body []byte) (map[string]json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // JSON allows numbers that no float64 can hold
	start, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if start != json.Delim('{') {
		return nil, notJSON(what + " must be a JSON object.")
	}
	members := make(map[string]json.RawMessage)
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint(key)
		if _, twice := members[name]; twice {
			return nil, notJSON(what + " has two members of the same name.")
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		members[name] = value
	}
	return members, nil
}

// parseArray splits an array into its elements.
func parseArray(field string, value json.RawMessage) ([]json.RawMessage, error) {
	if value[0] != '[' {
		return nil, domain.Invalid(field, "must be an array")
	}
	var elements []json.RawMessage
	err := json.Unmarshal(value, &elements)
	return elements, err
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

// hasLoneSurrogate reports whether a JSON string holds an escaped half of a
// surrogate pair without the other half. JSON allows it; Unicode has no such
// character. The literal must be a valid JSON string.
func hasLoneSurrogate(literal []byte) bool {
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			continue
		}
		i++ // skip the backslash
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

// escapedUnit decodes the UTF-16 unit of an escape uXXXX, without its backslash.
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

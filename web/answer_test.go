package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"microblogging/domain"
)

// An answer is a response with its whole body.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// want fails the test unless the answer has the status.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d\n%s", a.status, status, a.body)
	}
	return a
}

// get returns a member of the JSON body by a path, such as "items.0.text", or nil.
func (a answer) get(path string) any {
	a.t.Helper()
	var value any
	if err := json.Unmarshal(a.body, &value); err != nil {
		a.t.Fatalf("body is not JSON: %v\n%s", err, a.body)
	}
	return dig(value, path)
}

// text is like get for a string, which is empty if there is none.
func (a answer) text(path string) string {
	a.t.Helper()
	text, _ := a.get(path).(string)
	return text
}

// wantField fails the test unless the answer reports an error of this field.
func (a answer) wantField(name string) answer {
	a.t.Helper()
	var p struct{ Errors []domain.FieldError }
	if err := json.Unmarshal(a.body, &p); err != nil {
		a.t.Fatalf("body is not JSON: %v\n%s", err, a.body)
	}
	for _, e := range p.Errors {
		if e.Field == name && e.Detail != "" {
			return a
		}
	}
	a.t.Fatalf("no error on field %q in %s", name, a.body)
	return a
}

// items returns one member of each item of a list.
func (a answer) items(member string) []string {
	a.t.Helper()
	values := []string{}
	for _, item := range a.get("items").([]any) {
		text, _ := dig(item, member).(string)
		values = append(values, text)
	}
	return values
}

// listed returns one member of each item, from all pages of a list.
func (s *site) listed(path, member string, changes ...change) (values []string) {
	s.Helper()
	for after := ""; ; {
		a := s.do("GET", continued(path, after), changes...).want(200)
		values = append(values, a.items(member)...)
		if after = a.text("next"); after == "" {
			return values
		}
	}
}

func continued(path, after string) string {
	if after == "" {
		return path
	}
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + "after=" + url.QueryEscape(after)
}

package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"microblogging/domain"
)

// A change alters a request before it is sent.
type change func(*http.Request)

func header(name, value string) change {
	return func(r *http.Request) { r.Header.Add(name, value) }
}

func bearer(token string) change { return header("Authorization", "Bearer "+token) }

func cookie(token string) change { return header("Cookie", "session="+token) }

// raw is a body of media type JSON, sent unchanged.
func raw(body string) change {
	return func(r *http.Request) {
		r.Header.Set("Content-Type", "application/json")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }
	}
}

// fields is a JSON body with these members: names and values in turn.
func fields(pairs ...string) change {
	members := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = pairs[i+1]
	}
	body, err := json.Marshal(members)
	if err != nil {
		panic(err) // strings always marshal
	}
	return raw(string(body))
}

// posted is a form in the default encoding of browsers.
func posted(values url.Values) change {
	return typed("application/x-www-form-urlencoded", values.Encode())
}

func typed(contentType, body string) change {
	return func(r *http.Request) {
		r.Header.Set("Content-Type", contentType)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
}

func both(a, b change) change { return func(r *http.Request) { a(r); b(r) } }

func host(name string) change { return func(r *http.Request) { r.Host = name } }

// An answer is a response with its whole body.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
	// writes is how many calls of the store meanwhile could change something.
	writes int64
}

// unwritten fails the test if the request wrote anything.
func (a answer) unwritten() answer {
	a.t.Helper()
	if a.writes != 0 {
		a.t.Errorf("%d writes, want none", a.writes)
	}
	return a
}

// want fails the test unless the answer has the status.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d\n%s", a.status, status, a.excerpt())
	}
	return a
}

// excerpt is the body, or of a page where its content begins.
func (a answer) excerpt() []byte {
	if at := bytes.Index(a.body, []byte("<main")); at >= 0 {
		return a.body[at:min(at+600, len(a.body))]
	}
	return a.body
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

// holds fails the test unless the JSON body has this value at a path.
func (a answer) holds(path string, want any) answer {
	a.t.Helper()
	if got := a.get(path); got != want {
		a.t.Errorf("%s is %v, want %v\n%s", path, got, want, a.body)
	}
	return a
}

// headed fails the test unless the header has this value.
func (a answer) headed(name, want string) answer {
	a.t.Helper()
	if got := a.header.Get(name); got != want {
		a.t.Errorf("%s is %q, want %q", name, got, want)
	}
	return a
}

// has fails the test unless the body has all of the texts.
func (a answer) has(texts ...string) answer {
	a.t.Helper()
	for _, text := range texts {
		if !strings.Contains(string(a.body), text) {
			a.t.Errorf("no %q in %s", text, a.body)
		}
	}
	return a
}

// lacks fails the test if the body has one of the texts.
func (a answer) lacks(texts ...string) answer {
	a.t.Helper()
	for _, text := range texts {
		if strings.Contains(string(a.body), text) {
			a.t.Errorf("%q is in %s", text, a.body)
		}
	}
	return a
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

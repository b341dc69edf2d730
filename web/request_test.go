package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
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

// multiparted is a form as multipart/form-data.
func multiparted(values url.Values) change {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name := range values {
		_ = w.WriteField(name, values.Get(name)) // a buffer never fails
	}
	_ = w.Close()
	return typed(w.FormDataContentType(), body.String())
}

func typed(contentType, body string) change {
	return func(r *http.Request) {
		r.Header.Set("Content-Type", contentType)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
}

func both(a, b change) change { return func(r *http.Request) { a(r); b(r) } }

// chunked is a body that does not announce its length.
func chunked(contentType, body string) change {
	return both(typed(contentType, body), func(r *http.Request) { r.ContentLength = -1 })
}

func host(name string) change { return func(r *http.Request) { r.Host = name } }

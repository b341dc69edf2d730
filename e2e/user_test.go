package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const password = "correct horse battery"

// A client is one user of the API; without a token, a reader.
type client struct {
	url   string
	token string
}

// A reply is a response that was read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// try sends a request; body is sent as JSON unless it is nil.
func (c client) try(t *testing.T, method, path string, body any) (reply, error) {
	t.Helper()
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, c.url+path, content)
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	// A connection each: the processes come and go.
	request.Close = true
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		return reply{}, err
	}
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, err
	}
	return reply{response.StatusCode, response.Header, data}, response.Body.Close()
}

// do is try for a request that must be answered with the given status. The
// answer is decoded into the result unless that is nil.
func (c client) do(t *testing.T, method, path string, body any, status int, result any) reply {
	t.Helper()
	r, err := c.try(t, method, path, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if r.status != status {
		t.Fatalf("%s %s: got %d, want %d\n%s", method, path, r.status, status, r.body)
	}
	if result != nil {
		if err := json.Unmarshal(r.body, result); err != nil {
			t.Fatalf("%s %s: %v\n%s", method, path, err, r.body)
		}
	}
	return r
}

// signUp makes an account and signs in.
func signUp(t *testing.T, url, name string) client {
	t.Helper()
	client{url: url}.do(t, "POST", "/api/v1/users", credentials(name), http.StatusCreated, nil)
	return signIn(t, url, name)
}

func signIn(t *testing.T, url, name string) client {
	t.Helper()
	c := client{url: url}
	var session struct{ Token string }
	c.do(t, "POST", "/api/v1/sessions", credentials(name), http.StatusCreated, &session)
	c.token = session.Token
	return c
}

func credentials(name string) map[string]string {
	return map[string]string{"name": name, "password": password}
}

func channelPath(name string) string { return "/api/v1/channels/" + url.PathEscape(name) }

func (c client) createChannel(t *testing.T, name string) {
	t.Helper()
	c.do(t, "POST", "/api/v1/channels", map[string]string{"name": name}, http.StatusCreated, nil)
}

// post returns the path of the post.
func (c client) post(t *testing.T, channel, text string) string {
	t.Helper()
	r := c.do(t, "POST", channelPath(channel)+"/blogs", map[string]string{"text": text}, http.StatusCreated, nil)
	return r.header.Get("Location")
}

// countBlogs pages through a channel.
func (c client) countBlogs(t *testing.T, channel string) int {
	t.Helper()
	count := 0
	for after := ""; ; {
		var page struct {
			Items []json.RawMessage
			Next  string
		}
		query := url.Values{"limit": {"100"}}
		if after != "" {
			query.Set("after", after)
		}
		c.do(t, "GET", channelPath(channel)+"/blogs?"+query.Encode(), nil, http.StatusOK, &page)
		count += len(page.Items)
		if page.Next == "" {
			return count
		}
		after = page.Next
	}
}

// A deletion is the progress of one.
type deletion struct {
	State       string
	Step        string
	RowsDeleted int
	Attempts    int
}

// deleteChannel asks for it and returns where its progress is.
func (c client) deleteChannel(t *testing.T, name string) string {
	t.Helper()
	return c.do(t, "DELETE", channelPath(name), nil, http.StatusAccepted, nil).header.Get("Location")
}

func (c client) deletion(t *testing.T, path string) deletion {
	t.Helper()
	var d deletion
	c.do(t, "GET", path, nil, http.StatusOK, &d)
	return d
}

// awaitDeletion waits until the deletion is done.
func (c client) awaitDeletion(t *testing.T, path string) deletion {
	t.Helper()
	var d deletion
	eventually(t, func() error {
		if d = c.deletion(t, path); d.State != "done" {
			return fmt.Errorf("the deletion is %+v", d)
		}
		return nil
	})
	return d
}

// awaitStatus waits until a path is answered with a status.
func (c client) awaitStatus(t *testing.T, path string, status int) {
	t.Helper()
	eventually(t, func() error {
		r, err := c.try(t, "GET", path, nil)
		if err == nil && r.status != status {
			err = fmt.Errorf("GET %s: got %d, want %d\n%s", path, r.status, status, r.body)
		}
		return err
	})
}

// watch follows a deletion as its page does. The channel that it returns is
// closed when the server ends the stream.
func (c client) watch(t *testing.T, progress string) <-chan struct{} {
	t.Helper()
	path := strings.TrimPrefix(progress, "/api/v1") + "/events"
	request, err := http.NewRequestWithContext(t.Context(), "GET", c.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.AddCookie(&http.Cookie{Name: "session", Value: c.token})
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("GET %s: %d, %s", path, response.StatusCode, kind)
	}
	events := bufio.NewReader(response.Body)
	if _, err := events.ReadString('\n'); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, events) // ends with or without an error
		_ = response.Body.Close()
	}()
	return ended
}

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"microblogging/e2e/client"
	"microblogging/e2e/program"
)

// A user is a client of the API that reports to a test.
type user struct{ client.Client }

// reader is a user who has not signed in.
func reader(url string) user {
	return user{client.Client{URL: url, HTTP: &http.Client{
		Timeout: program.Patience,
		// One connection for each request: the processes come and go.
		Transport: &http.Transport{DisableKeepAlives: true},
	}}}
}

// do sends a request that must be answered with the given status. The answer is
// decoded into the result unless that is nil.
func (u user) do(t *testing.T, method, path string, body any, status int, result any) client.Reply {
	t.Helper()
	r, err := u.Send(t.Context(), method, path, body, nil)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if r.Status != status {
		t.Fatalf("%s %s: got %d, want %d\n%s", method, path, r.Status, status, r.Body)
	}
	if result != nil {
		if err := r.Decode(result); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return r
}

// signUp makes an account and signs in.
func signUp(t *testing.T, url, name string) user {
	t.Helper()
	reader(url).do(t, "POST", client.UsersPath, client.Credentials(name), http.StatusCreated, nil)
	return signIn(t, url, name)
}

func signIn(t *testing.T, url, name string) user {
	t.Helper()
	u := reader(url)
	var session client.Session
	u.do(t, "POST", client.SessionsPath, client.Credentials(name), http.StatusCreated, &session)
	u.Token = session.Token
	return u
}

func (u user) createChannel(t *testing.T, name string) {
	t.Helper()
	u.do(t, "POST", client.ChannelsPath, map[string]string{"name": name}, http.StatusCreated, nil)
}

func (u user) post(t *testing.T, channel, text string) {
	t.Helper()
	u.do(t, "POST", client.BlogsPath(channel), map[string]string{"text": text}, http.StatusCreated, nil)
}

// countBlogs pages through a channel.
func (u user) countBlogs(t *testing.T, channel string) int {
	t.Helper()
	count := 0
	query := url.Values{"limit": {"100"}}
	for {
		var page client.Page[json.RawMessage]
		u.do(t, "GET", client.BlogsPath(channel)+"?"+query.Encode(), nil, http.StatusOK, &page)
		count += len(page.Items)
		if page.Next == "" {
			return count
		}
		query.Set("after", page.Next)
	}
}

// deleteChannel asks for it and returns the path of its progress.
func (u user) deleteChannel(t *testing.T, name string) string {
	t.Helper()
	return u.do(t, "DELETE", client.ChannelPath(name), nil, http.StatusAccepted, nil).Header.Get("Location")
}

func (u user) deletion(t *testing.T, path string) client.Deletion {
	t.Helper()
	var d client.Deletion
	u.do(t, "GET", path, nil, http.StatusOK, &d)
	return d
}

// awaitDeletion waits until the deletion is done.
func (u user) awaitDeletion(t *testing.T, path string) client.Deletion {
	t.Helper()
	var d client.Deletion
	eventually(t, func() error {
		if d = u.deletion(t, path); d.State != "done" {
			return fmt.Errorf("the deletion is %+v", d)
		}
		return nil
	})
	return d
}

// awaitStatus waits until a path is answered with a status.
func (u user) awaitStatus(t *testing.T, path string, status int) {
	t.Helper()
	eventually(t, func() error {
		r, err := u.Send(t.Context(), "GET", path, nil, nil)
		if err == nil && r.Status != status {
			err = fmt.Errorf("GET %s: got %d, want %d\n%s", path, r.Status, status, r.Body)
		}
		return err
	})
}

// watch follows a deletion as its page does. The channel that it returns is
// closed when the server ends the stream.
func (u user) watch(t *testing.T, progress string) <-chan struct{} {
	t.Helper()
	path := strings.TrimPrefix(progress, "/api/v1") + "/events"
	request, err := http.NewRequestWithContext(t.Context(), "GET", u.URL+path, nil)
	ok(t, err)
	request.AddCookie(&http.Cookie{Name: "session", Value: u.Token})
	response, err := http.DefaultClient.Do(request)
	ok(t, err)
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

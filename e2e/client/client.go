// Package client is a client of the API of MicroBlogging.
//
// # The problem
//
// The end-to-end tests and the torture send the same requests. A test fails at
// the first answer that it did not expect. The torture writes every answer into
// a history, and also that there was none.
//
// # The model
//
// A [Client] is one user at one address. [Client.Send] sends one request once,
// and returns the [Reply] or the reason why there is none. It judges nothing and
// never tries again: both are up to the caller.
//
// # What survives failure
//
// A request without a reply may still take effect, immediately or later. The client
// keeps no state that could go stale by that.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Password is the password of every user that a test makes.
const Password = "correct horse battery"

// A Client is one user of the API; without a token, a reader.
type Client struct {
	// URL is where the program listens, without a path.
	URL   string
	Token string
	// HTTP sends the requests, and bounds the wait for an answer.
	HTTP *http.Client
}

// A Reply is a response that was read to its end.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send sends a request; body is sent as JSON unless it is nil, and header is
// added to the client's own.
func (c Client) Send(ctx context.Context, method, path string, body any, header http.Header) (Reply, error) {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return Reply{}, err
		}
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, content)
	if err != nil {
		return Reply{}, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return Reply{}, err
	}
	data, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return Reply{}, err
	}
	return Reply{response.StatusCode, response.Header, data}, nil
}

// Decode reads the body as JSON.
func (r Reply) Decode(into any) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("the answer %q: %w", r.Body, err)
	}
	return nil
}

// Paths of the API.
const (
	UsersPath         = "/api/v1/users"
	SessionsPath      = "/api/v1/sessions"
	ChannelsPath      = "/api/v1/channels"
	SubscriptionsPath = "/api/v1/subscriptions"
	AccountPath       = "/api/v1/account"
)

// ChannelPath is the path of one channel.
func ChannelPath(name string) string { return ChannelsPath + "/" + url.PathEscape(name) }

// DeletionPath is the path of the deletion of an incarnation, which may be an ETag.
func DeletionPath(name, incarnation string) string {
	return ChannelPath(name) + "/deletions/" + Incarnation(incarnation)
}

// Incarnation returns the incarnation from the ETag of a channel.
func Incarnation(etag string) string {
	incarnation, _, _ := strings.Cut(strings.Trim(etag, `"`), "-")
	return incarnation
}

// BlogsPath is the path of a channel's posts.
func BlogsPath(channel string) string { return ChannelPath(channel) + "/blogs" }

// SubscriptionPath is the path of the user's subscription to a channel.
func SubscriptionPath(channel string) string {
	return SubscriptionsPath + "/" + url.PathEscape(channel)
}

// Credentials is the body that makes an account, and that begins a session.
func Credentials(name string) map[string]string {
	return map[string]string{"name": name, "password": Password}
}

// A Session is what signing in returns.
type Session struct{ Token string }

// A Page is one page of a list.
type Page[T any] struct {
	Items []T
	// Next continues the list, as the parameter "after"; empty at its end.
	Next string
}

// A Deletion is the progress of one.
type Deletion struct {
	State       string
	Step        string
	RowsDeleted int
	Attempts    int
	RequestedOn time.Time
	// UndoableUntil is zero if the deletion cannot be undone.
	UndoableUntil time.Time
}

package web

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// apiPrefix is where the API lives. Another version would live beside it.
const apiPrefix = "/api/v1"

// apiRoutes registers what programs use.
func (s *server) apiRoutes(e *echo.Echo, version string) error {
	api := e.Group(apiPrefix)
	(&usersAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&sessionsAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&channelsAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&deletionsAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&blogsAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&votesAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&subscriptionsAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&feedAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&digestAPI{store: s.store, sessions: s.sessions, origin: s.origin}).routes(api)
	return openAPIRoute(e, version)
}

// writeJSON sends a value, once it is encoded whole.
func writeJSON(c echo.Context, status int, mediaType string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return c.Blob(status, mediaType, append(body, '\n'))
}

// respond sends a value that was asked for.
func respond(c echo.Context, status int, value any) error {
	return writeJSON(c, status, echo.MIMEApplicationJSON, value)
}

// apiDetail tells a program's author what the title of a problem leaves open.
// Pages have words of their own.
func apiDetail(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "Get a token from POST " + apiPrefix + "/sessions and send it as Authorization: Bearer TOKEN."
	case http.StatusForbidden:
		return "You are known, but this is not yours to do. Nothing was changed."
	case http.StatusNotFound:
		return "There is no such thing, or not any more."
	case http.StatusMethodNotAllowed:
		return "The Allow header lists the methods that work here."
	case http.StatusTooManyRequests:
		return "Wait as long as Retry-After says, in seconds."
	case http.StatusInternalServerError:
		return "It is not your doing. The log tells more under this request's id."
	}
	return ""
}

// listJSON is one page of any list.
type listJSON[T any] struct {
	Items []T `json:"items"`
	// Next continues the list; there is none on the last page.
	Next string `json:"next,omitempty"`
}

// newList makes a page of a list from what the store gave. No item makes an
// empty array, not null.
func newList[S, T any](items []S, next string, of func(S) T) listJSON[T] {
	list := listJSON[T]{Items: make([]T, len(items)), Next: next}
	for i, item := range items {
		list.Items[i] = of(item)
	}
	return list
}

// apiTime writes an instant as RFC 3339 in UTC with seven fractional digits,
// the resolution of a tick. The zero time is null: it has not come.
type apiTime time.Time

const apiTimeLayout = `"2006-01-02T15:04:05.0000000Z"`

// MarshalJSON implements json.Marshaler.
func (t apiTime) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return time.Time(t).UTC().AppendFormat(nil, apiTimeLayout), nil
}

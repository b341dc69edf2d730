package web

import (
	"encoding/json"
	"math"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// apiPrefix is the prefix of the API's paths. Another version would get its own.
const apiPrefix = "/api/v1"

// apiRoutes registers the API.
func (s *server) apiRoutes(e *echo.Echo, version string) error {
	api := e.Group(apiPrefix)
	(&usersAPI{store: s.store, sessions: s.sessions, signUps: s.signUps}).routes(api)
	(&sessionsAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&channelsAPI{store: s.store, sessions: s.sessions, maxChannels: s.maxChannels}).routes(api)
	(&deletionsAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&blogsAPI{
		store: s.store, sessions: s.sessions, batches: newShares[domain.UserName](math.MaxInt64, 1), logFailure: s.logFailure,
	}).routes(api)
	(&votesAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&deletionListAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&subscriptionsAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&feedAPI{store: s.store, sessions: s.sessions}).routes(api)
	(&digestAPI{store: s.store, sessions: s.sessions, origin: s.origin}).routes(api)
	return openAPIRoute(e, version)
}

// writeJSON encodes a value whole before it sends the first byte.
func writeJSON(c echo.Context, status int, mediaType string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return sendTagged(c, status, mediaType, append(body, '\n'))
}

// respond sends the answer of a request that succeeded.
func respond(c echo.Context, status int, value any) error {
	return writeJSON(c, status, echo.MIMEApplicationJSON, value)
}

// apiDetail returns the detail of a problem that has none of its own. It is for the
// authors of programs; pages have other words.
func apiDetail(method string, status int) string {
	read := isRead(method)
	switch status {
	case http.StatusUnprocessableEntity:
		if read {
			return "The address does not work: see errors."
		}
		return "Nothing was saved."
	case http.StatusServiceUnavailable:
		if read {
			return "The store does not answer. Try again."
		}
		return "It is unknown whether anything was saved. Try again."
	case http.StatusUnauthorized:
		return "Get a token from POST " + apiPrefix + "/sessions and send it as Authorization: Bearer TOKEN."
	case http.StatusForbidden:
		return "You are signed in, but you may not do this. Nothing was changed."
	case http.StatusNotFound:
		return "There is no such thing, or not any more."
	case http.StatusMethodNotAllowed:
		return "The Allow header lists the methods that work here."
	case http.StatusTooManyRequests:
		return "Wait as long as Retry-After says, in seconds."
	case http.StatusInternalServerError:
		return "This is a fault of the server. Its log has the cause under this request's id."
	}
	return ""
}

// respondList sends a page of a list, made from a page of the store. Next is the
// continuation token; the last page has none. Each item is encoded alone: a page of
// long posts is megabytes.
func respondList[S, T any](c echo.Context, items []S, next string, of func(S) T) error {
	var p jsonParts
	p.raw(`{"items":[`)
	for i, item := range items {
		if i > 0 {
			p.raw(",")
		}
		p.value(of(item))
	}
	p.raw("]")
	if next != "" {
		p.raw(`,"next":`)
		p.value(next)
	}
	p.raw("}\n")
	return p.respond(c)
}

// apiTime encodes a time as RFC 3339 in UTC with seven fractional digits, the
// resolution of domain.Tick. The zero time is null: it has not happened.
type apiTime time.Time

const apiTimeLayout = `"2006-01-02T15:04:05.0000000Z"`

// MarshalJSON implements json.Marshaler.
func (t apiTime) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("null"), nil
	}
	return time.Time(t).UTC().AppendFormat(nil, apiTimeLayout), nil
}

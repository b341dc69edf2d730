package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// problemType is the media type of RFC 9457.
const problemType = "application/problem+json"

// The types of problems. The meaning of one with noType is its status (RFC 9457, section
// 4.2.1), one with busyType passes without anything being wrong, and one with misconfiguredType lasts
// until an operator acts.
const (
	noType            = "about:blank"
	busyType          = "urn:microblogging:busy"
	misconfiguredType = "urn:microblogging:misconfigured"
)

// unavailableRetry is the Retry-After of a request that the store did not answer, or
// that there was no room for.
const unavailableRetry = 5 * time.Second

// misconfiguredRetry is that of a request that cannot succeed before an operator has acted.
const misconfiguredRetry = time.Minute

// A problem tells a client why its request failed. The API sends it as the problem
// details of RFC 9457; pages show it as HTML.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail says what happened and what to do. It is empty if Title is enough.
	Detail string `json:"detail,omitempty"`
	// Errors says what is wrong with each field of the request.
	Errors []domain.FieldError `json:"errors,omitempty"`
	// Current is the current version, if the request named a stale one.
	Current any `json:"current,omitempty"`
	// Position says where in the request the mistake is, counted from 0, if it has a place.
	Position *int `json:"position,omitempty"`
	// Wait is RetryAfter in seconds, in the answer to one entry of a batch: an entry has no
	// headers.
	Wait int `json:"retryAfter,omitempty"`
	// RequestID is the id of the request in the log.
	RequestID string `json:"requestId"`
	// RetryAfter is zero unless trying again later may help.
	RetryAfter time.Duration `json:"-"`
	// Throttled is the limit that refused it, unless that is the one of writes.
	Throttled *domain.ThrottledError `json:"-"`
	// ETag is the entity tag of Current.
	ETag string `json:"-"`
}

// setHeaders sets the headers of a response that shows the problem.
func (p problem) setHeaders(h http.Header) {
	h.Set(echo.HeaderCacheControl, noStore)
	h.Del(headerETag)
	if p.ETag != "" {
		h.Set(headerETag, p.ETag)
	}
	if p.RetryAfter > 0 {
		h.Set(echo.HeaderRetryAfter, strconv.Itoa(p.seconds()))
	}
	if t := p.Throttled; t != nil {
		addQuota(h, "attempts", t.Limit, t.Window, 0, t.RetryAfter)
	}
	if p.Status == http.StatusUnauthorized {
		h.Set(echo.HeaderWWWAuthenticate, `Bearer realm="microblogging"`)
	}
}

// seconds is RetryAfter as the header Retry-After says it.
func (p problem) seconds() int { return seconds(p.RetryAfter) }

// seconds are whole ones, and last as long at least.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// forClients is the problem as the API words it, of a request of this method.
func (p problem) forClients(method string) problem {
	p.Detail = cmp.Or(p.Detail, apiDetail(method, p.Status))
	if p.Type == noType { // RFC 9457: its title is the status phrase
		p.Title = cmp.Or(http.StatusText(p.Status), p.Title)
	}
	return p
}

// apiDetail returns the detail of a problem that has none of its own. It is for the
// authors of programs; pages have other words.
func apiDetail(method string, status int) string {
	words := map[int]string{
		http.StatusUnprocessableEntity: "Nothing was saved.",
		http.StatusServiceUnavailable:  "It is unknown whether anything was saved. Try again.",
		http.StatusUnauthorized:        "Get a token from POST " + apiPrefix + "/sessions and send it as Authorization: Bearer TOKEN.",
		http.StatusForbidden:           "You are signed in, but you may not do this. Nothing was changed.",
		http.StatusNotFound:            "There is no such thing, or not any more.",
		http.StatusMethodNotAllowed:    "The Allow header lists the methods that work here.",
		http.StatusTooManyRequests:     "Wait as long as Retry-After says, in seconds.",
		http.StatusInternalServerError: "This is a fault of the server. Its log has the cause under this request's id.",
	}
	if isRead(method) {
		words[http.StatusUnprocessableEntity] = "The URL is not valid: see errors."
		words[http.StatusServiceUnavailable] = "The store does not answer. Try again."
	}
	return words[status]
}

// refuse returns an error with a status and its words. The detail may be empty.
func refuse(status int, title, detail string) error { return refuseFor(0, status, title, detail) }

// refuseFor is refuse for what may succeed after a time.
func refuseFor(retryAfter time.Duration, status int, title, detail string) error {
	return &templates.Refusal{Problem: templates.Problem{Status: status, Title: title, Detail: detail, RetryAfter: retryAfter}}
}

// explain gives an error other words, and links. Its meaning, and so its status, stays the same.
func explain(err error, title, detail string, links ...templates.Link) error {
	p := problemOf(err)
	return &templates.Refusal{Cause: err, Problem: templates.Problem{
		Status: p.Status, Title: title, Detail: detail, Errors: p.Errors, RetryAfter: p.RetryAfter, Links: links,
	}}
}

// newProblem returns a problem of noType.
func newProblem(status int, title, detail string) problem {
	return problem{Type: noType, Title: title, Status: status, Detail: detail}
}

// A staleRequest adds the current version to an error.
type staleRequest struct {
	error
	current any
	etag    string
}

func (e *staleRequest) Unwrap() error { return e.error }

// problemOf maps an error to a status and words. No other function does. An unknown
// error becomes a 500 that does not tell the cause.
func problemOf(err error) problem {
	var (
		shown     *templates.Refusal
		invalid   *domain.InvalidError
		stale     *staleRequest
		replaced  *domain.ReplacedError
		throttled *domain.ThrottledError
		full      *domain.TooManyChannelsError
		tooLarge  *http.MaxBytesError
		routing   *echo.HTTPError
	)
	p := problem{Type: noType}
	switch {
	case errors.As(err, &shown):
		p = newProblem(shown.Status, shown.Title, shown.Detail)
		p.Errors, p.Position, p.RetryAfter = shown.Errors, shown.Position, shown.RetryAfter
		if shown.Status == http.StatusServiceUnavailable {
			p.Type = busyType
		}
	case errors.As(err, &invalid):
		p.Status, p.Title, p.Errors = http.StatusUnprocessableEntity, "Invalid input", invalid.Fields
	case errors.As(err, &stale):
		p = problemOfMeaning(stale.error)
		p.Current, p.ETag = stale.current, stale.etag
	case errors.As(err, &replaced):
		p.Status, p.Title = http.StatusPreconditionFailed, "Another channel has the name"
		p.Detail = "A new channel has this name now. The one that you read was deleted meanwhile. Nothing was changed."
	case errors.As(err, &throttled):
		p.Status, p.Title, p.RetryAfter = http.StatusTooManyRequests, "Too many attempts", max(throttled.RetryAfter, time.Second)
	case errors.As(err, &full):
		p.Status, p.Title, p.Detail = http.StatusUnprocessableEntity, "Too many channels", fullText(full.Limit)
		p.Type = "urn:microblogging:too-many-channels"
	case errors.As(err, &tooLarge):
		p.Status, p.Title = http.StatusRequestEntityTooLarge, "Too large"
		p.Detail = fmt.Sprintf("A request holds at most %d KiB. Nothing was saved.", tooLarge.Limit>>10)
	case errors.As(err, &routing):
		p.Status, p.Title = routing.Code, http.StatusText(routing.Code)
	default:
		return problemOfMeaning(err)
	}
	errors.As(err, &p.Throttled)
	return p
}

// fullText says why a channel was refused to an owner who has as many as allowed.
func fullText(limit int) string {
	return fmt.Sprintf("You own as many channels as one user may own, which is %d. Nothing was created. "+
		"Delete a channel first; it counts until its deletion has ended.", limit)
}

// problemOfMeaning maps the errors of package domain. Of several that match, the first counts.
func problemOfMeaning(err error) problem {
	for _, known := range []struct {
		meaning error
		problem problem
	}{
		{domain.ErrNotSignedIn, newProblem(http.StatusUnauthorized, "Not signed in", "")},
		{domain.ErrOwnerPosts, newProblem(http.StatusForbidden, "Only the owner posts here", "The channel is closed to all others. Nothing was saved. You may still delete what you posted before.")},
		{domain.ErrBlocked, newProblem(http.StatusForbidden, "You are blocked here",
			"The owner of the channel has blocked you. Nothing was saved. You may still delete what you posted before.")},
		{domain.ErrAccountEnds, newProblem(http.StatusForbidden, "Your account is being deleted", "Nothing was changed. Undo the deletion first, on the page of your account.")},
		{domain.ErrForbidden, newProblem(http.StatusForbidden, "Not yours", "")},
		{domain.ErrNotFound, newProblem(http.StatusNotFound, "Not found", "")},
		{domain.ErrStillDeleting, problem{Type: "urn:microblogging:still-deleting", Status: http.StatusConflict, Title: "Still being deleted",
			Detail: "The name belongs to a channel that is being deleted. It is free again once that is done."}},
		{domain.ErrExists, problem{Type: "urn:microblogging:name-taken", Status: http.StatusConflict, Title: "Name taken",
			Detail: "The name is in use. Choose another."}},
		{domain.ErrTooLate, newProblem(http.StatusConflict, "Too late", "The deletion has begun, and cannot be undone any more.")},
		{domain.ErrConflict, newProblem(http.StatusPreconditionFailed, "Changed in between",
			"It was changed after you read it. Your request changed nothing.")},
		{domain.ErrKeyReused, problem{Type: "urn:microblogging:key-reused", Status: http.StatusUnprocessableEntity, Title: "Idempotency key reused",
			Detail: "The key was used before, for another body. Nothing was saved."}},
		{domain.ErrPostGone, newProblem(http.StatusGone, "Post deleted", "The post that this idempotency key made has been deleted since.")},
		{domain.ErrChannelGone, newProblem(http.StatusGone, "Channel deleted", "The channel that this idempotency key made has been deleted since.")},
		{domain.ErrGone, newProblem(http.StatusGone, "Channel is being deleted", "It is no longer readable. Its owner may still be able to undo the deletion, under “Your deletions”.")},
		{domain.ErrBusy, problem{Type: busyType, Status: http.StatusServiceUnavailable, Title: "Too busy",
			Detail: "The site has too many requests at the moment. Nothing was saved.", RetryAfter: unavailableRetry}},
		{domain.ErrConfiguration, problem{Type: misconfiguredType, Status: http.StatusServiceUnavailable, Title: "This site cannot use its store",
			Detail: "This is not your fault. The operator of this site has to correct its configuration; the log says what is wrong.", RetryAfter: misconfiguredRetry}},
		{domain.ErrUnavailable, problem{Type: noType, Status: http.StatusServiceUnavailable, Title: "Storage does not answer",
			RetryAfter: unavailableRetry}},
	} {
		if errors.Is(err, known.meaning) {
			return known.problem
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return problemOfMeaning(domain.ErrUnavailable)
	}
	return newProblem(http.StatusInternalServerError, "Internal error", "")
}

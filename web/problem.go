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

// noType is the type of a problem whose meaning is its status (RFC 9457, section 4.2.1).
const noType = "about:blank"

// busyType is the type of a problem that passes without anything being wrong.
const busyType = "urn:microblogging:busy"

// unavailableRetry is the Retry-After of a request that the store did not answer, or
// that there was no room for.
const unavailableRetry = 5 * time.Second

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
	if p.Status == http.StatusUnauthorized {
		h.Set(echo.HeaderWWWAuthenticate, `Bearer realm="microblogging"`)
	}
}

// forPrograms is the problem as the API words it, of a request of this method.
func (p problem) forPrograms(method string) problem {
	p.Detail = cmp.Or(p.Detail, apiDetail(method, p.Status))
	if p.Type == noType { // RFC 9457: its title is the status phrase
		p.Title = cmp.Or(http.StatusText(p.Status), p.Title)
	}
	return p
}

// seconds is RetryAfter as the header Retry-After says it.
func (p problem) seconds() int { return int(math.Ceil(p.RetryAfter.Seconds())) }

// A refusal is the error of a request that this package refuses.
type refusal struct{ problem }

func (r *refusal) Error() string { return r.Title }

// refuse returns an error with a status and its words. The detail may be empty.
func refuse(status int, title, detail string) error {
	return &refusal{newProblem(status, title, detail)}
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
		refused   *refusal
		shown     *templates.Refusal
		invalid   *domain.InvalidError
		stale     *staleRequest
		replaced  *domain.ReplacedError
		throttled *domain.ThrottledError
		tooMany   *tooManyWrites
		full      *domain.TooManyChannelsError
		tooLarge  *http.MaxBytesError
		routing   *echo.HTTPError
	)
	switch {
	case errors.As(err, &refused):
		return refused.problem
	case errors.As(err, &shown):
		return problemShown(shown)
	case errors.As(err, &invalid):
		p := newProblem(http.StatusUnprocessableEntity, "Invalid input", "")
		p.Errors = invalid.Fields
		return p
	case errors.As(err, &stale):
		p := problemOfMeaning(stale.error)
		p.Current, p.ETag = stale.current, stale.etag
		return p
	case errors.As(err, &replaced):
		return newProblem(http.StatusPreconditionFailed, "Another channel has the name",
			"The channel was deleted since you read it, and another was created under its name. Nothing was changed.")
	case errors.As(err, &throttled):
		p := newProblem(http.StatusTooManyRequests, "Too many attempts", "")
		p.RetryAfter = max(throttled.RetryAfter, time.Second)
		return p
	case errors.As(err, &tooMany):
		p := newProblem(http.StatusTooManyRequests, "Too many writes",
			"You have written too much in a short time. Nothing was saved.")
		p.RetryAfter = tooMany.retryAfter
		return p
	case errors.As(err, &full):
		p := newProblem(http.StatusUnprocessableEntity, "Too many channels", fullWords(full.Limit))
		p.Type = "urn:microblogging:too-many-channels"
		return p
	case errors.As(err, &tooLarge):
		return newProblem(http.StatusRequestEntityTooLarge, "Too large",
			fmt.Sprintf("A request holds at most %d KiB. Nothing was saved.", tooLarge.Limit>>10))
	case errors.As(err, &routing):
		return newProblem(routing.Code, http.StatusText(routing.Code), "")
	}
	return problemOfMeaning(err)
}

// problemShown is the problem of a page that another package makes.
func problemShown(r *templates.Refusal) problem {
	p := newProblem(r.Status, r.Title, r.Detail)
	p.Position, p.RetryAfter = r.Position, r.RetryAfter
	if r.Status == http.StatusServiceUnavailable {
		p.Type = busyType
	}
	return p
}

// fullWords says why a channel was refused to an owner who has as many as allowed.
func fullWords(limit int) string {
	return fmt.Sprintf("You own as many channels as one user may own, which is %d. Nothing was created. "+
		"Delete a channel first; it counts until its deletion has ended.", limit)
}

// problemOfMeaning maps the errors of package domain.
func problemOfMeaning(err error) problem {
	switch {
	case errors.Is(err, domain.ErrNotSignedIn):
		return newProblem(http.StatusUnauthorized, "Not signed in", "")
	case errors.Is(err, domain.ErrForbidden):
		return newProblem(http.StatusForbidden, "Not yours", "")
	case errors.Is(err, domain.ErrNotFound):
		return newProblem(http.StatusNotFound, "Not found", "")
	case errors.Is(err, domain.ErrStillDeleting):
		p := newProblem(http.StatusConflict, "Still being deleted",
			"The name belongs to a channel that is being deleted. It is free again once that is done.")
		p.Type = "urn:microblogging:still-deleting"
		return p
	case errors.Is(err, domain.ErrExists):
		p := newProblem(http.StatusConflict, "Name taken", "The name is in use. Choose another.")
		p.Type = "urn:microblogging:name-taken"
		return p
	case errors.Is(err, domain.ErrConflict):
		return newProblem(http.StatusPreconditionFailed, "Changed in between",
			"It was changed after you read it. Your request changed nothing.")
	case errors.Is(err, domain.ErrKeyReused):
		p := newProblem(http.StatusUnprocessableEntity, "Idempotency key reused",
			"The key was used before, for another body. Nothing was saved.")
		p.Type = "urn:microblogging:key-reused"
		return p
	case errors.Is(err, domain.ErrPostGone):
		return newProblem(http.StatusGone, "Post deleted", "The post that this idempotency key made has been deleted since.")
	case errors.Is(err, domain.ErrChannelGone):
		return newProblem(http.StatusGone, "Channel deleted", "The channel that this idempotency key made has been deleted since.")
	case errors.Is(err, domain.ErrGone):
		return newProblem(http.StatusGone, "Channel is being deleted", "Nobody can read it any more.")
	case errors.Is(err, domain.ErrBusy):
		p := newProblem(http.StatusServiceUnavailable, "Too busy",
			"Too many people use the site at this moment. Nothing was saved.")
		p.Type = busyType
		p.RetryAfter = unavailableRetry
		return p
	case errors.Is(err, domain.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		p := newProblem(http.StatusServiceUnavailable, "Storage does not answer", "")
		p.RetryAfter = unavailableRetry
		return p
	}
	return newProblem(http.StatusInternalServerError, "Internal error", "")
}

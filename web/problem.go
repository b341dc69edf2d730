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
	Type string `json:"type"`
	templates.Problem
	// Current is the current version, if the request named a stale one.
	Current any `json:"current,omitempty"`
	// Wait is RetryAfter in seconds, in the answer to one entry of a batch: an entry has no
	// headers.
	Wait int `json:"retryAfter,omitempty"`
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
		words[http.StatusServiceUnavailable] = "The site cannot reach its data. Try again."
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
	p := problemOf(err).Problem
	p.Title, p.Detail, p.Links = title, detail, links
	return &templates.Refusal{Cause: err, Problem: p}
}

// A meaning is an error of package domain, and the problem that it is.
type meaning struct {
	err           error
	status        int
	title, detail string
	// kind is the type of the problem, if that is not noType.
	kind       string
	retryAfter time.Duration
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
		p.Problem = shown.Problem
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
	for _, m := range []meaning{
		{err: domain.ErrNotSignedIn, status: http.StatusUnauthorized, title: "Not signed in"},
		{err: domain.ErrOwnerPosts, status: http.StatusForbidden, title: "Only the owner posts here",
			detail: "The channel is closed to all others. Nothing was saved. You may still delete what you posted before."},
		{err: domain.ErrMembersPost, status: http.StatusForbidden, title: "Only members post here",
			detail: "Ask the owner of the channel to become one. Nothing was saved. You may still delete what you posted before."},
		{err: domain.ErrBlocked, status: http.StatusForbidden, title: "You are blocked here",
			detail: "The owner of the channel has blocked you. Nothing was saved. You may still delete what you posted before."},
		{err: domain.ErrAccountEnds, status: http.StatusForbidden, title: "Your account is being deleted",
			detail: "Nothing was changed. Undo the deletion first, on the page of your account."},
		{err: domain.ErrAccountClosed, status: http.StatusForbidden, title: "This account is closed",
			detail: "An operator of this site has closed it. Only an operator can open it again."},
		{err: domain.ErrForbidden, status: http.StatusForbidden, title: "Not yours"},
		{err: domain.ErrNotFound, status: http.StatusNotFound, title: "Not found"},
		{err: domain.ErrStillDeleting, status: http.StatusConflict, title: "Still being deleted", kind: "urn:microblogging:still-deleting",
			detail: "The name belongs to a channel that is being deleted. It is free again once that is done."},
		{err: domain.ErrOperatorName, status: http.StatusConflict, title: "Name taken", kind: "urn:microblogging:name-taken",
			detail: "The name belongs to an operator of this site. Choose another."},
		{err: domain.ErrExists, status: http.StatusConflict, title: "Name taken", kind: "urn:microblogging:name-taken",
			detail: "The name is in use. Choose another."},
		{err: domain.ErrTooLate, status: http.StatusConflict, title: "Too late", detail: "The deletion has begun, and cannot be undone any more."},
		{err: domain.ErrConflict, status: http.StatusPreconditionFailed, title: "Changed in between",
			detail: "It was changed after you read it. Your request changed nothing."},
		{err: domain.ErrKeyReused, status: http.StatusUnprocessableEntity, title: "Idempotency key reused", kind: "urn:microblogging:key-reused",
			detail: "The key was used before, for another body. Nothing was saved."},
		{err: domain.ErrPostGone, status: http.StatusGone, title: "Post deleted",
			detail: "The post that this idempotency key made has been deleted since."},
		{err: domain.ErrReplyGone, status: http.StatusGone, title: "Reply deleted",
			detail: "The reply that this idempotency key made has been deleted since."},
		{err: domain.ErrChannelGone, status: http.StatusGone, title: "Channel deleted",
			detail: "The channel that this idempotency key made has been deleted since."},
		{err: domain.ErrInvitationOver, status: http.StatusGone, title: "This invitation does not work any more",
			detail: "It was used, it is too old, or it was taken back. Nothing was saved."},
		{err: domain.ErrGone, status: http.StatusGone, title: "This channel was deleted",
			detail: "It is no longer readable."},
		{err: domain.ErrBusy, status: http.StatusServiceUnavailable, title: "Too busy", kind: busyType, retryAfter: unavailableRetry,
			detail: "The site has too many requests at the moment. Yours changed nothing. Try again in a few seconds."},
		{err: domain.ErrConfiguration, status: http.StatusServiceUnavailable, title: "This site cannot use its store", kind: misconfiguredType,
			retryAfter: misconfiguredRetry, detail: "This is not your fault. The operator of this site has to correct its configuration; the log says what is wrong."},
		{err: domain.ErrUnavailable, status: http.StatusServiceUnavailable, title: "Storage does not answer", retryAfter: unavailableRetry},
		{err: context.DeadlineExceeded, status: http.StatusServiceUnavailable, title: "Storage does not answer", retryAfter: unavailableRetry},
	} {
		if errors.Is(err, m.err) {
			return problem{Type: cmp.Or(m.kind, noType), Problem: templates.Problem{
				Status: m.status, Title: m.title, Detail: m.detail, RetryAfter: m.retryAfter,
			}}
		}
	}
	return problem{Type: noType, Problem: templates.Problem{Status: http.StatusInternalServerError, Title: "Internal error"}}
}

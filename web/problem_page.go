package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/templates"
)

// problemPage shows why the request failed, and links to where to go from here.
func (p *pages) problemPage(c echo.Context, cause problem) error {
	failed := p.failureOf(c, cause.Status)
	view := templates.Problem{
		Status:     cause.Status,
		Errors:     fieldErrors(cause.Errors),
		RetryAfter: cause.RetryAfter,
		RequestID:  cause.RequestID,
	}
	view.Title, view.Detail, view.Links = p.draftWords(c, failed, cause)
	if view.Title == "" {
		view.Title, view.Detail = problemWords(c, cause)
	}
	var explained *explanation
	if errors.As(failed.err, &explained) {
		view.Links = append(view.Links, explained.links...)
		if explained.title != "" {
			view.Title, view.Detail = explained.title, explained.detail
		}
	}
	var shown *templates.Refusal
	if errors.As(failed.err, &shown) {
		view.Links = append(view.Links, shown.Links...)
		view.Title, view.Detail = shown.Title, shown.Detail
	}
	page := p.page(c, failed.visitor)
	view.Kept = keptDraft(c, failed.visitor, cause, failed.err)
	if cause.Status == http.StatusUnauthorized && view.Kept == nil {
		view.SignIn = &templates.SignIn{}
		if page.Path != templates.SignInPath {
			view.SignIn.Next = localPath(page.Path)
		}
	}
	return render(c, cause.Status, templates.ProblemPage(page, view))
}

// failureOf returns what the page's handler left under failureKey. If the request
// reached no handler, it finds the visitor, so that the page can still greet a user.
// After a 5xx it does not ask the store, which may be what failed.
func (p *pages) failureOf(c echo.Context, status int) failure {
	if failed, ok := c.Get(failureKey).(failure); ok || status >= http.StatusInternalServerError {
		return failed
	}
	v, err := p.sessions.visitor(c)
	if err != nil {
		v = visitor{} // the page reports the first failure, and greets nobody
	}
	return failure{visitor: v}
}

// problemWords returns the words of a problem for people. They are empty if the
// page's general words for the status say as much.
func problemWords(c echo.Context, p problem) (title, detail string) {
	sent := !isRead(c.Request().Method)
	switch p.Status {
	case http.StatusUnauthorized:
		if sent {
			return "You are not signed in any more", "Nothing was done. Sign in, and then do it again."
		}
	case http.StatusRequestEntityTooLarge:
		if sent {
			return "", "One form holds at most 64 KiB. Nothing was saved. Go back with your browser: what you wrote is still in the form. Make it shorter there."
		}
	case http.StatusUnprocessableEntity:
		if !sent {
			return "This address does not work", "It is from another page, or was changed on its way here. This is what is wrong with it:"
		}
	case http.StatusServiceUnavailable:
		if p.Type == busyType {
			return p.Title, p.Detail
		}
		if sent {
			return "", "What you sent may or may not have been saved. Reload this page to send it again: nothing is made twice."
		}
	case http.StatusForbidden, http.StatusBadRequest, http.StatusConflict, http.StatusGone, http.StatusTooManyRequests, http.StatusPreconditionFailed,
		http.StatusPreconditionRequired, http.StatusUnsupportedMediaType:
		if p.Detail != "" {
			return p.Title, p.Detail
		}
	}
	return "", ""
}

package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/templates"
)

// failureKey is where a page that failed leaves what its problem page needs.
const failureKey = "web.failure"

type failure struct {
	visitor visitor
	err     error
}

// An explanation adds words and ways on to an error. What the error means, and
// so its status, stays.
type explanation struct {
	error
	title  string
	detail string
	links  []templates.Link
}

func (e *explanation) Unwrap() error { return e.error }

// explain leaves the words as they are if there is no title.
func explain(err error, title, detail string, links ...templates.Link) error {
	return &explanation{err, title, detail, links}
}

// problemPage shows why there is no answer.
func (s *server) problemPage(c echo.Context, p problem) error { return s.pages().problemPage(c, p) }

// problemPage shows why there is no answer, and where to go from here.
func (p *pages) problemPage(c echo.Context, cause problem) error {
	failed := p.failureOf(c, cause.Status)
	view := templates.Problem{
		Status:     cause.Status,
		Errors:     fieldErrors(cause.Errors),
		RetryAfter: cause.RetryAfter,
		RequestID:  cause.RequestID,
	}
	view.Title, view.Detail = problemWords(c, cause)
	var explained *explanation
	if errors.As(failed.err, &explained) {
		view.Links = explained.links
		if explained.title != "" {
			view.Title, view.Detail = explained.title, explained.detail
		}
	}
	page := p.page(c, failed.visitor)
	if cause.Status == http.StatusUnauthorized {
		view.SignIn = &templates.SignIn{}
		if page.Path != templates.SignInPath {
			view.SignIn.Next = localPath(page.Path)
		}
	}
	return render(c, cause.Status, templates.ProblemPage(page, view))
}

// failureOf is what the page's handler left. Where no handler was reached, the
// page still greets who is signed in, unless it would have to ask a store that
// may be what failed.
func (p *pages) failureOf(c echo.Context, status int) failure {
	if failed, ok := c.Get(failureKey).(failure); ok || status >= http.StatusInternalServerError {
		return failed
	}
	v, err := p.sessions.visitor(c)
	if err != nil {
		v = visitor{} // the page is about another failure: it greets nobody
	}
	return failure{visitor: v}
}

// problemWords are the words of a problem where they say more to people than
// the general ones of its status, which the page has: they are empty then.
func problemWords(c echo.Context, p problem) (title, detail string) {
	sent := !isRead(c.Request().Method)
	switch p.Status {
	case http.StatusUnauthorized:
		if sent {
			return "You are not signed in any more", "Nothing was saved. Sign in, come back to this page with your browser, " +
				"and reload it: that sends again what you wrote."
		}
	case http.StatusUnprocessableEntity:
		if !sent {
			return "This address does not work", "It is from another page, or was changed on its way here. This is what is wrong with it:"
		}
	case http.StatusServiceUnavailable:
		if sent {
			return "", "What you sent may or may not have been saved. Reload this page to send it again: nothing is made twice."
		}
	case http.StatusForbidden, http.StatusBadRequest, http.StatusGone, http.StatusPreconditionFailed,
		http.StatusPreconditionRequired, http.StatusUnsupportedMediaType:
		if p.Detail != "" {
			return p.Title, p.Detail
		}
	}
	return "", ""
}

package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

// pageSize is how many items a page of a list shows.
const pageSize = 20

// pageRoutes registers what people see.
func (s *server) pageRoutes(e *echo.Echo) {
	p := s.pages()
	(&directoryPages{pages: p, store: s.store}).routes(e)
	(&channelPages{pages: p, store: s.store}).routes(e)
	(&blogPages{pages: p, store: s.store}).routes(e)
	(&deletionPages{pages: p, store: s.store, log: s.log, stopping: s.stopping}).routes(e)
	(&sessionPages{pages: p, store: s.store}).routes(e)
	(&accountPages{pages: p, store: s.store}).routes(e)
	get(e, templates.LearnPath, p.open(func(c echo.Context, v visitor) error {
		return render(c, http.StatusOK, templates.LearnPage(p.page(c, v)))
	}))
}

func (s *server) pages() *pages {
	return &pages{sessions: s.sessions, guard: s.guard, assets: s.assets}
}

// problemPage shows why there is no answer.
func (s *server) problemPage(c echo.Context, p problem) error { return s.pages().problemPage(c, p) }

// pages is what the handlers of all pages share: who is asking, and how to
// answer.
type pages struct {
	sessions *sessions
	guard    *guard
	assets   templates.Assets
}

// A pageHandler answers somebody, who may be a stranger.
type pageHandler func(c echo.Context, v visitor) error

// open is a page for everybody.
func (p *pages) open(h pageHandler) echo.HandlerFunc { return p.route(p.sessions.visitor, h) }

// closed is a page for who is signed in.
func (p *pages) closed(h pageHandler) echo.HandlerFunc { return p.route(p.sessions.require, h) }

func (p *pages) route(who func(echo.Context) (visitor, error), h pageHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := who(c)
		if err == nil {
			err = h(c, v)
		}
		if err != nil {
			c.Set(failureKey, failure{v, err})
		}
		return err
	}
}

// page is what every page needs.
func (p *pages) page(c echo.Context, v visitor) templates.Page {
	return templates.Page{
		Path:   ownPath(c),
		User:   string(v.User),
		Now:    time.Now(),
		Notice: p.takeNotice(c),
		Assets: p.assets,
	}
}

// ownPath is where a page can be found again. A sign-in link cannot: it works
// once.
func ownPath(c echo.Context) string {
	if c.Path() == signInLinkPath {
		return templates.SignInPath
	}
	return c.Request().URL.RequestURI()
}

// render sends a page, once it is rendered whole: a render that fails becomes an
// error page, not half a page. It takes no notice of the request's time limit,
// for it waits for nothing, and the page that tells of a limit comes after it.
func render(c echo.Context, status int, content templ.Component) error {
	buffer := templ.GetBuffer()
	defer templ.ReleaseBuffer(buffer)
	if err := content.Render(context.WithoutCancel(c.Request().Context()), buffer); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentLength, strconv.Itoa(buffer.Len()))
	return c.HTMLBlob(status, buffer.Bytes())
}

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

func fieldErrors(fields []domain.FieldError) []templates.FieldError {
	if len(fields) == 0 {
		return nil
	}
	errs := make([]templates.FieldError, len(fields))
	for i, f := range fields {
		errs[i] = templates.FieldError{Field: f.Field, Detail: f.Detail}
	}
	return errs
}

package web

import (
	"context"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/storage"
	"microblogging/templates"
)

// pageSize is the number of items on one page of a list.
const pageSize = 20

// pageRoutes registers the HTML pages.
func (s *server) pageRoutes(e *echo.Echo) {
	p := s.pages()
	directory := &channelDirectoryPages{pages: p, store: s.store}
	directory.routes(e)
	(&feedPages{pages: p, store: s.store, stranger: directory.list}).routes(e)
	(&subscriptionPages{pages: p, store: s.store}).routes(e)
	(&digestPages{pages: p, store: s.store}).routes(e)
	(&channelCreatePages{pages: p, store: s.store, maxChannels: s.maxChannels}).routes(e)
	(&channelPages{pages: p, store: s.store, views: s.views, shared: s.sharedPages(), teach: s.teach}).routes(e)
	(&newsPages{pages: p, store: s.store}).routes(e)
	(&channelFeedPages{pages: p, store: s.store}).routes(e)
	(&channelEditPages{pages: p, store: s.store}).routes(e)
	(&blogPages{pages: p, store: s.store, views: s.views, shared: s.sharedPages()}).routes(e)
	(&blogEditPages{pages: p, store: s.store}).routes(e)
	(&previewPages{p}).routes(e)
	streams := newStreamLimit()
	(&deletionPages{pages: p, store: s.store, log: s.log, streams: streams, stopping: s.stopping, teach: s.teach}).routes(e)
	(&channelRowsPages{pages: p, store: s.store, log: s.log, streams: streams, stopping: s.stopping, teach: s.teach}).routes(e)
	(&deletionListPages{pages: p, store: s.store}).routes(e)
	(&sessionPages{pages: p, store: s.store, signUps: s.signUps}).routes(e)
	(&userPublicPages{pages: p, store: s.store}).routes(e)
	(&userPages{pages: p, store: s.store}).routes(e)
	get(e, templates.KeysPath, p.open(func(c echo.Context, v visitor) error {
		return render(c, http.StatusOK, templates.KeysPage(p.page(c, v)))
	}))
	get(e, templates.LearnPath, p.open(func(c echo.Context, v visitor) error {
		return render(c, http.StatusOK, templates.LearnPage(p.page(c, v)))
	}))
}

func (s *server) pages() *pages {
	return &pages{
		sessions: s.sessions, guard: s.guard, asset: s.asset, origin: s.origin, deletions: s.store, texts: s.texts, lab: s.lab, hoods: s.hoods,
	}
}

// pages is what the handlers of all pages share: how to find the visitor, and how to
// answer.
type pages struct {
	sessions *sessions
	guard    *guard
	asset    func(name string) string
	origin   func(*http.Request) string
	// deletions is for the page of a draft that a gate refused.
	deletions *storage.Store
	texts     *texts
	// lab says that another package answers at templates.LabIndexPath.
	lab bool
	// hoods is nil without --teach.
	hoods *hoods
}

// open is a page for every visitor.
func (p *pages) open(h visitorHandler) echo.HandlerFunc { return p.route(p.sessions.visitor, h) }

// closed is a page for visitors who are signed in.
func (p *pages) closed(h visitorHandler) echo.HandlerFunc { return p.route(p.sessions.require, h) }

// openBeside is open for a page that reads its data while the session is read.
func (p *pages) openBeside(h awaitingHandler) echo.HandlerFunc {
	return p.routeBeside(p.sessions.visitorAhead, h)
}

// closedBeside is closed for such a page.
func (p *pages) closedBeside(h awaitingHandler) echo.HandlerFunc {
	return p.routeBeside(p.sessions.requireAhead, h)
}

func (p *pages) routeBeside(who func(echo.Context) (awaited, error), h awaitingHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := awaiting(c, who, h)
		if err != nil {
			c.Set(failureKey, failure{v, err})
		}
		return err
	}
}

func (p *pages) route(who func(echo.Context) (visitor, error), h visitorHandler) echo.HandlerFunc {
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

// page fills in what every page shows.
func (p *pages) page(c echo.Context, v visitor) templates.Page {
	page := p.publicPage(c)
	page.Public = isOther(c)
	if !page.Public {
		page.User, page.Notice = string(v.User), p.takeNotice(c)
		if p.hoods != nil {
			page.Hood = p.hoods.of(c)
		}
	}
	return page
}

// publicPage fills in what is the same for every visitor.
func (p *pages) publicPage(c echo.Context) templates.Page {
	return templates.Page{
		Path: ownPath(c), Public: true, Lab: p.lab,
		Now: time.Now(), Origin: p.origin(c.Request()), Asset: p.asset,
	}
}

// ownPath returns the address to come back to. A sign-in link works once, so its
// page leads back to the sign-in page instead.
func ownPath(c echo.Context) string {
	if c.Path() == signInLinkPath {
		return templates.SignInPath
	}
	return c.Request().URL.RequestURI()
}

// render renders a page whole before it sends the first byte. A failed render then
// becomes an error page, not half a page. It ignores the request's time limit: the
// page that reports a timeout is rendered after the limit.
func render(c echo.Context, status int, content templ.Component) error {
	return renderWith(c, status, content, sendTagged)
}

// renderOnce renders a page that must not be shown again, such as one whose form has an
// idempotency key: its response has no entity tag.
func renderOnce(c echo.Context, status int, content templ.Component) error {
	return renderWith(c, status, content, send)
}

func renderWith(c echo.Context, status int, content templ.Component, send func(c echo.Context, status int, mediaType string, parts ...[]byte) error) error {
	buffer := templ.GetBuffer()
	defer templ.ReleaseBuffer(buffer)
	if err := content.Render(context.WithoutCancel(c.Request().Context()), buffer); err != nil {
		return err
	}
	return send(c, status, echo.MIMETextHTMLCharsetUTF8, buffer.Bytes())
}

// seeOther redirects the browser after a form, so that a reload does not send the
// form again. A script that sends the form prefers a minimal answer (RFC 7240), because
// it cannot see where a redirect leads: it is told, and goes there itself.
func seeOther(c echo.Context, path string) error {
	if c.Request().Header.Get(headerPrefer) == preferMinimal && !isRead(c.Request().Method) {
		c.Response().Header().Set(echo.HeaderLocation, path)
		c.Response().Header().Set(headerPreferred, preferMinimal)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// failureKey is the key of a failure in the echo.Context of a page that failed. The
// problem page needs it.
const failureKey = "web.failure"

type failure struct {
	visitor visitor
	err     error
}

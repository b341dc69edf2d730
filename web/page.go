package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/templates"
)

// pageSize is how many items a page of a list shows.
const pageSize = 20

// pageRoutes registers what people see.
func (s *server) pageRoutes(e *echo.Echo) {
	p := s.pages()
	directory := &channelDirectoryPages{pages: p, store: s.store}
	directory.routes(e)
	(&feedPages{pages: p, store: s.store, stranger: directory.list}).routes(e)
	(&subscriptionPages{pages: p, store: s.store}).routes(e)
	(&digestPages{pages: p, store: s.store, origin: s.origin}).routes(e)
	(&channelCreatePages{pages: p, store: s.store}).routes(e)
	(&channelPages{pages: p, store: s.store}).routes(e)
	(&channelEditPages{pages: p, store: s.store}).routes(e)
	(&blogPages{pages: p, store: s.store}).routes(e)
	(&blogEditPages{pages: p, store: s.store}).routes(e)
	(&deletionPages{pages: p, store: s.store, log: s.log, stopping: s.stopping}).routes(e)
	(&sessionPages{pages: p, store: s.store}).routes(e)
	(&userPages{pages: p, store: s.store}).routes(e)
	get(e, templates.LearnPath, p.open(func(c echo.Context, v visitor) error {
		return render(c, http.StatusOK, templates.LearnPage(p.page(c, v)))
	}))
}

func (s *server) pages() *pages {
	return &pages{sessions: s.sessions, guard: s.guard, assets: s.assets}
}

// pages is what the handlers of all pages share: who is asking, and how to
// answer.
type pages struct {
	sessions *sessions
	guard    *guard
	assets   templates.Assets
}

// open is a page for everybody.
func (p *pages) open(h visitorHandler) echo.HandlerFunc { return p.route(p.sessions.visitor, h) }

// closed is a page for who is signed in.
func (p *pages) closed(h visitorHandler) echo.HandlerFunc { return p.route(p.sessions.require, h) }

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

// seeOther sends the browser on, so that reloading repeats nothing.
func seeOther(c echo.Context, path string) error { return c.Redirect(http.StatusSeeOther, path) }

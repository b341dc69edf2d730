package web

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/templates"
)

// A Handler answers a request for a page that another package makes. page has what every
// page needs; it is the same for every visitor who is not signed in. The handler may set headers, and sends nothing,
// unless it redirects: then its answer is empty. If it returns an error, this package answers as
// for a page of its own, or with
// application/problem+json if the path ends in ".json". An error can be a
// *templates.Refusal.
type Handler = func(w http.ResponseWriter, r *http.Request, page templates.Page) (templates.Response, error)

var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// otherRoutes registers the handlers of other packages.
func (s *server) otherRoutes(e *echo.Echo) {
	s.others = map[string]bool{}
	for path, answer := range s.Routes {
		path = wildcard.ReplaceAllString(path, ":$1")
		s.others[path] = true
		get(e, path, func(c echo.Context) error { return s.answerOther(c, answer) })
	}
}

// answerOther reads the session, if the request has one, for the header of a page. The page needs no store otherwise, so a
// failure of that read does not fail it. No cache but the user's own may keep a page that names the user.
func (s *server) answerOther(c echo.Context, answer Handler) error {
	page := s.publicPage(c)
	if !s.wantsJSON(c) {
		if v, err := s.visitor(c); err == nil && v.SignedIn() {
			exchangeOf(c).visitor = &v
			page = s.page(c, v)
		}
	}
	for _, name := range c.ParamNames() {
		c.Request().SetPathValue(name, pathParam(c, name))
	}
	answered, err := answer(c.Response(), c.Request(), page)
	if h := c.Response().Header(); !s.wantsJSON(c) {
		h.Set(echo.HeaderVary, varyReader)
		if page.User != "" {
			h.Set(echo.HeaderCacheControl, noStore)
		}
	}
	if err != nil || answered.Status == 0 {
		return err
	}
	return sendTagged(c, answered.Status, answered.MediaType, answered.Body)
}

// isOther reports whether the request is for a Handler, also one with a method that it does not
// have: the router knows its path.
func (s *server) isOther(c echo.Context) bool { return s.others[c.Path()] }

// wantsJSON reports whether a problem is sent to a program. It is so for the API, even if
// no route matches, and for data of other packages.
func (s *server) wantsJSON(c echo.Context) bool {
	path := c.Request().URL.Path
	return strings.HasPrefix(path, "/api/") || s.isOther(c) && strings.HasSuffix(path, ".json")
}

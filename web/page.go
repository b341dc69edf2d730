package web

import (
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/templates"
)

// pageRoutes registers what people see.
func (s *server) pageRoutes(e *echo.Echo) {
}

// page is what every page needs.
func (s *server) page(c echo.Context, v visitor) templates.Page {
	return templates.Page{
		Path:   c.Request().URL.RequestURI(),
		User:   string(v.User),
		Now:    time.Now(),
		Assets: s.assets,
	}
}

// render sends a page, once it is rendered whole: a render that fails becomes an
// error page, not half a page.
func render(c echo.Context, status int, content templ.Component) error {
	buffer := templ.GetBuffer()
	defer templ.ReleaseBuffer(buffer)
	if err := content.Render(c.Request().Context(), buffer); err != nil {
		return err
	}
	return c.HTMLBlob(status, buffer.Bytes())
}

// problemPage shows why there is no answer.
func (s *server) problemPage(c echo.Context, p problem) error {
	return c.String(p.Status, http.StatusText(p.Status)+"\n")
}

package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

// previewPages show a text as its post would show it. They save nothing.
type previewPages struct{ *pages }

func (h *previewPages) routes(r router) {
	r.Add(http.MethodPost, templates.PreviewPath, h.closed(h.show))
}

func (h *previewPages) show(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	draft, err := domain.NewDraft(form.Get("title"), form.Get("text"))
	if err != nil {
		refused, ok := formOf(err)
		if !ok {
			return err
		}
		return again(c, err, templates.PreviewPage(h.page(c, v), templates.Preview{Form: refused}))
	}
	return render(c, http.StatusOK, templates.PreviewPage(h.page(c, v), templates.Preview{
		Title: draft.Title, Rendered: markdown.Render(draft.Text, markdown.BelowList),
	}))
}

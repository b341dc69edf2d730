package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/storage"
	"microblogging/templates"
)

// deletionListPages list the deletions that the visitor asked for: their channels are
// gone, and lead nowhere.
type deletionListPages struct {
	*pages
	store *storage.Store
}

func (h *deletionListPages) routes(r router) {
	get(r, templates.DeletionsPath, h.closed(h.list))
}

func (h *deletionListPages) list(c echo.Context, v visitor) error {
	after := c.QueryParam("after")
	page, err := h.store.DeletionsOf(c.Request().Context(), v.User, after, pageSize)
	if err != nil {
		return explain(err, "", "", templates.Link{Label: "Your deletions", URL: templates.DeletionsPath})
	}
	view := templates.Deletions{After: after, Next: page.Next}
	for _, d := range page.Items {
		view.Items = append(view.Items, templates.DeletionItem{
			Channel: string(d.Name), Incarnation: string(d.Channel.Incarnation), State: string(d.State),
			RowsDeleted: d.RowsDeleted, RequestedOn: d.RequestedOn,
		})
	}
	return render(c, http.StatusOK, templates.DeletionsPage(h.page(c, v), view))
}

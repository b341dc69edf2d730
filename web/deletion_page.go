package web

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// deletionPages ask the owner to confirm the deletion of a channel, and show its
// progress.
type deletionPages struct {
	*pages
	store *storage.Store
	// log takes the errors that an event stream does not show to its reader.
	log      *slog.Logger
	streams  *streamLimit
	stopping <-chan struct{}
	// teach offers lessons.
	teach bool
}

func (h *deletionPages) routes(r router) {
	get(r, "/channels/:name/delete", h.closedBeside(h.confirm))
	r.Add(http.MethodPost, "/channels/:name/delete", h.closed(h.delete))
	get(r, "/channels/:name/deletions/:incarnation", h.closedBeside(h.progress))
	r.Add(http.MethodPost, "/channels/:name/deletions/:incarnation", h.closed(h.order))
	r.Add(http.MethodGet, deletionEventsRoute, h.closed(h.events))
}

func (h *deletionPages) confirm(c echo.Context, who awaited) error {
	channel, v, err := ownedBeside(c, h.store, who)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.DeleteChannelPage(h.page(c, v), templates.DeleteChannel{
		Name:        string(channel.Name),
		Description: channel.Description,
		CreatedOn:   channel.CreatedOn,
		Incarnation: string(channel.Incarnation),
		Teach:       h.teach,
	}))
}

// delete asks for the deletion of the incarnation that the form was shown for, and
// of no other. If the form is sent again while the deletion runs, the answer leads
// to the same progress page.
func (h *deletionPages) delete(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	confirmed, err := formIncarnation(form)
	if err != nil {
		return err
	}
	name, err := channelName(c)
	if err != nil {
		return err
	}
	if err := h.sessions.takeWrite(c, v); err != nil {
		return err
	}
	ask := h.store.AskDeletion
	if h.teach && form.Get("pause") != "" {
		ask = h.store.AskLesson
	}
	channel, err := ask(c.Request().Context(), name.Key(), v.User, domain.OneOf(confirmed))
	if errors.Is(err, domain.ErrConflict) {
		return explain(err, "Another channel has the name now",
			"The channel that you meant is gone, and a new one was created under its name. Nothing was deleted.",
			templates.Link{Label: "The channel as it is now", URL: templates.ChannelPath(string(name))})
	}
	if err != nil {
		return err
	}
	return seeOther(c, templates.DeletionPath(string(channel.Name), string(channel.Incarnation)))
}

func (h *deletionPages) progress(c echo.Context, who awaited) error {
	v, d, err := besideDeletion(c, h.store, who)
	if err != nil {
		return err
	}
	view, err := h.view(c.Request().Context(), d)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.DeletionPage(h.page(c, v), view))
}

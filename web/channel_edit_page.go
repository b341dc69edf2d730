package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// channelEditPages let the owner of a channel change its description.
type channelEditPages struct {
	*pages
	store *storage.Store
}

func (h *channelEditPages) routes(r router) {
	get(r, "/channels/:name/edit", h.closedBeside(h.form))
	r.Add(http.MethodPost, "/channels/:name/edit", h.drafting(templates.DescriptionDraft, h.edit))
}

func (h *channelEditPages) form(c echo.Context, who awaited) error {
	channel, v, err := ownedBeside(c, h.store, who)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.EditChannelPage(h.page(c, v), editOf(channel, channel.Description)))
}

// editOf is the form of a channel with this description in it.
func editOf(channel domain.Channel, description string) templates.EditChannel {
	return templates.EditChannel{
		Name: string(channel.Name), Description: shown(description), Incarnation: string(channel.Incarnation)}
}

func (h *channelEditPages) edit(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if form.Get("action") == refillAction {
		return h.refill(c, v, form)
	}
	channel, err := formChannel(c, h.store, form)
	if err != nil {
		return err
	}
	if err := requireOwner(channel, v); err != nil {
		return err
	}
	description := form.Get("description")
	err = h.sessions.takeWrite(c, v)
	if err == nil {
		_, err = h.store.Describe(c.Request().Context(), channel.Ref(), v.User, description)
	}
	if err == nil {
		return h.done(c, noticeSaved, templates.ChannelPath(string(channel.Name)))
	}
	refused, ok := formOf(err)
	if !ok {
		return err
	}
	view := editOf(channel, description)
	view.Form = refused
	return again(c, err, templates.EditChannelPage(h.page(c, v), view))
}

// refill shows the form with a description that was written for another channel.
func (h *channelEditPages) refill(c echo.Context, v visitor, form url.Values) error {
	channel, err := ownedChannel(c, h.store, v)
	if err != nil {
		return err
	}
	page := h.page(c, v)
	page.Notice = refilled
	return render(c, http.StatusOK, templates.EditChannelPage(page, editOf(channel, form.Get("description"))))
}

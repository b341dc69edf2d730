package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// channelDirectoryPages list the channels. A stranger sees this list at / too.
type channelDirectoryPages struct {
	*pages
	store *storage.Store
}

func (h *channelDirectoryPages) routes(r router) {
	get(r, templates.ChannelsPath, h.openBeside(h.list))
}

func (h *channelDirectoryPages) list(c echo.Context, who awaited) error {
	text, err := queryContains(c)
	if err != nil {
		return err
	}
	after := c.QueryParam("after")
	channels, err := h.store.Channels(c.Request().Context(), text, after, pageSize)
	if err != nil {
		return err
	}
	v, err := who.wait()
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.DirectoryPage(h.page(c, v), templates.Directory{
		Contains: text,
		Channels: channelItems(channels.Items),
		After:    after,
		Next:     channels.Next,
	}))
}

func channelItems(channels []domain.Channel) []templates.ChannelItem {
	items := make([]templates.ChannelItem, len(channels))
	for i, channel := range channels {
		items[i] = templates.ChannelItem{
			Name:        string(channel.Name),
			Owner:       string(channel.Owner),
			Description: channel.Description,
			CreatedOn:   channel.CreatedOn,
		}
	}
	return items
}

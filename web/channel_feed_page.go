package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/storage"
	"microblogging/templates"
)

// channelFeedPages explain the feeds of a channel to people, before they meet XML.
type channelFeedPages struct {
	*pages
	store *storage.Store
}

func (h *channelFeedPages) routes(r router) {
	get(r, "/channels/:name/feed", h.openBeside(h.show))
}

func (h *channelFeedPages) show(c echo.Context, who awaited) error {
	channel, err := namedChannel(c, h.store)
	if err != nil {
		return err
	}
	v, err := who.wait()
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.ChannelFeedPage(h.page(c, v), templates.ChannelFeed{
		Channel: string(channel.Name),
		Posts:   feedLength,
	}))
}

package web

import (
	"context"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

type channelReader interface {
	Channel(ctx context.Context, key domain.ChannelKey) (domain.Channel, error)
}

// namedChannel is the channel that the path names, if it can be read. Where the
// path spells it in another way than its owner, the response tells which is
// the one to keep.
func namedChannel(c echo.Context, store channelReader) (domain.Channel, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Channel{}, err
	}
	channel, err := store.Channel(c.Request().Context(), name.Key())
	if err == nil && channel.Name != name {
		c.Response().Header().Set("Link", "<"+templates.ChannelPath(string(channel.Name))+`>; rel="canonical"`)
	}
	return channel, err
}

// ownedChannel is namedChannel for its owner. It is domain.ErrForbidden for
// others.
func ownedChannel(c echo.Context, store channelReader, v visitor) (domain.Channel, error) {
	channel, err := namedChannel(c, store)
	if err == nil && channel.Owner != v.User {
		err = explain(domain.ErrForbidden, "", "", linkTo(channel))
	}
	return channel, err
}

// linkTo is the way on to a channel that is there.
func linkTo(channel domain.Channel) templates.Link {
	return templates.Link{Label: "Back to " + string(channel.Name), URL: templates.ChannelPath(string(channel.Name))}
}

// pathChannel is the channel that the path names, if it can be read.
func pathChannel(c echo.Context, store channelReader) (domain.Channel, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Channel{}, err
	}
	return store.Channel(c.Request().Context(), name.Key())
}

// apiChannelPath is where a channel is found in the API.
func apiChannelPath(name domain.ChannelName) string {
	return apiPrefix + "/channels/" + url.PathEscape(string(name))
}

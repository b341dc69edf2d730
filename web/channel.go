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

// namedChannel reads the channel that the path names, for a page. If the path
// spells the name in another way than the channel's creator did, the response gets
// a Link to the canonical address.
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

// ownedChannel is namedChannel for the channel's owner. For other visitors it
// returns domain.ErrForbidden.
func ownedChannel(c echo.Context, store channelReader, v visitor) (domain.Channel, error) {
	channel, err := namedChannel(c, store)
	if err == nil && channel.Owner != v.User {
		err = explain(domain.ErrForbidden, "", "", linkTo(channel))
	}
	return channel, err
}

// linkTo is a link to a channel that exists.
func linkTo(channel domain.Channel) templates.Link {
	return templates.Link{Label: "Back to " + string(channel.Name), URL: templates.ChannelPath(string(channel.Name))}
}

// pathChannel reads the channel that the path names.
func pathChannel(c echo.Context, store channelReader) (domain.Channel, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Channel{}, err
	}
	return store.Channel(c.Request().Context(), name.Key())
}

// apiChannelPath is the path of a channel in the API.
func apiChannelPath(name domain.ChannelName) string {
	return apiPrefix + "/channels/" + url.PathEscape(string(name))
}

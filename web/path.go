package web

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// channelName is the channel that the path names. A name that no channel can
// have is domain.ErrNotFound: nothing is there.
func channelName(c echo.Context) (domain.ChannelName, error) {
	text, err := pathParam(c, "name")
	if err != nil {
		return "", err
	}
	name, err := domain.ParseChannelName(text)
	if err != nil {
		return "", domain.ErrNotFound
	}
	return name, nil
}

// incarnation is the life of a channel that the path names.
func incarnation(c echo.Context) (domain.Incarnation, error) {
	text, err := pathParam(c, "incarnation")
	if err != nil {
		return "", err
	}
	return domain.ParseIncarnation(text)
}

// blogID is the post that the path names.
func blogID(c echo.Context) (domain.BlogID, error) {
	text, err := pathParam(c, "id")
	if err != nil {
		return "", err
	}
	return domain.ParseBlogID(text)
}

// pathChannel is the channel that the path names, if it can be read.
func pathChannel(c echo.Context, store channelReader) (domain.Channel, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Channel{}, err
	}
	return store.Channel(c.Request().Context(), name.Key())
}

// pathBlog is the channel and the post that the path names. Whether there is
// such a post is not known yet.
func pathBlog(c echo.Context, store channelReader) (domain.Channel, domain.BlogID, error) {
	channel, err := pathChannel(c, store)
	if err != nil {
		return domain.Channel{}, "", err
	}
	id, err := blogID(c)
	return channel, id, err
}

// pathParam is a part of the path, decoded once. The router matches the raw path
// if there is one, so that an encoded slash does not part a name.
func pathParam(c echo.Context, name string) (string, error) {
	value := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return value, nil
	}
	decoded, err := url.PathUnescape(value)
	if err != nil {
		return "", domain.ErrNotFound
	}
	return decoded, nil
}

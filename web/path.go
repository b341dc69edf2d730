package web

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"strings"
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

// localPath is the path if it leads to a page of this site, whatever a browser
// makes of it, and empty otherwise. It may come from a link on another site. Two
// slashes begin a host, and browsers take a backslash for a slash; what they
// leave out, control characters, does not parse.
func localPath(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.Contains(path, `\`) {
		return ""
	}
	u, err := url.Parse(path)
	if err != nil {
		return ""
	}
	return u.RequestURI()
}

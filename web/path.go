package web

import (
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
)

// channelName returns the channel name in the path. For a name that no channel can
// have it returns domain.ErrNotFound.
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

// incarnation returns the incarnation in the path.
func incarnation(c echo.Context) (domain.Incarnation, error) {
	text, err := pathParam(c, "incarnation")
	if err != nil {
		return "", err
	}
	return domain.ParseIncarnation(text)
}

// blogID returns the id of a post in the path.
func blogID(c echo.Context) (domain.BlogID, error) {
	text, err := pathParam(c, "id")
	if err != nil {
		return "", err
	}
	return domain.ParseBlogID(text)
}

// pathParam returns a parameter of the path, decoded once. If there is a raw path,
// the router matches that, so an encoded slash does not split a name.
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

// localPath returns the path if every browser takes it for a page of this site, and
// an empty string otherwise. The path may come from a link on another site. It must
// not begin with two slashes, which begin a host, nor hold a backslash, which
// browsers take for a slash. Control characters, which browsers drop, do not parse.
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

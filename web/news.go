package web

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// newsPages tell the script of a page how many posts are newer than those that it shows.
// It asks now and then while somebody looks, so an answer must cost little: a channel's
// reads the keys of one range, and is the same for everybody.
type newsPages struct {
	*pages
	store *storage.Store
}

func (h *newsPages) routes(r router) {
	get(r, "/channels/:name/news", h.channel)
	get(r, templates.FeedNewsPath, h.closedBeside(h.feed))
}

// newsJSON is the answer. The names are those that static/live.js reads.
type newsJSON struct {
	New  int    `json:"new"`
	Next string `json:"next,omitempty"`
}

func (h *newsPages) channel(c echo.Context) error {
	than, err := newsSince(c)
	if err != nil {
		return err
	}
	name, err := channelName(c)
	if err != nil {
		return err
	}
	n, err := h.store.NewsAt(c.Request().Context(), name.Key(), than)
	if err != nil {
		return err
	}
	sameForAll(c.Response().Header())
	c.Response().Header().Set(echo.HeaderCacheControl, publicCache)
	return respondNews(c, newsJSON{New: n})
}

func (h *newsPages) feed(c echo.Context, who awaited) error {
	than, err := newsSince(c)
	if err != nil {
		return err
	}
	_, news, err := readFor(who, func(v visitor) (newsJSON, error) {
		n, next, err := h.store.FeedNews(c.Request().Context(), v.User, than, c.QueryParam("after"))
		return newsJSON{n, next}, err
	})
	if err != nil {
		return err
	}
	return respondNews(c, news)
}

// newsSince returns the newest post that the page shows; "" if it shows none.
func newsSince(c echo.Context) (domain.BlogID, error) {
	text := c.QueryParam("since")
	if text == "" {
		return "", nil
	}
	return domain.ParseBlogID(text)
}

// respondNews sends the answer, or 304 if the script has it already.
func respondNews(c echo.Context, news newsJSON) error {
	body, err := json.Marshal(news)
	if err != nil {
		return err
	}
	return sendTagged(c, http.StatusOK, echo.MIMEApplicationJSON, body)
}

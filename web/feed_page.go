package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/storage"
	"microblogging/templates"
)

// feedPages show the home page: the feed of a visitor who is signed in.
type feedPages struct {
	*pages
	store *storage.Store
	// stranger handles / for a stranger, who has no feed.
	stranger awaitingHandler
}

func (h *feedPages) routes(r router) {
	get(r, templates.HomePath, h.openBeside(h.home))
}

func (h *feedPages) home(c echo.Context, who awaited) error {
	v, following, err := followingOf(c, h.store, who)
	if err != nil {
		return err
	}
	if !v.SignedIn() {
		return h.stranger(c, who)
	}
	ctx, after := c.Request().Context(), c.QueryParam("after")
	feed, err := h.store.FeedOf(ctx, following, after, pageSize)
	if err != nil {
		return explain(err, "", "", templates.Link{Label: "Back to your feed", URL: templates.HomePath})
	}
	view := templates.Feed{Posts: h.posts(feed.Items), After: after, Next: feed.Next}
	if len(feed.Items) == 0 {
		subscriptions, err := h.store.SubscriptionsOf(ctx, following)
		if err != nil {
			return err
		}
		view.Subscriptions = len(subscriptions)
	}
	return render(c, http.StatusOK, templates.FeedPage(h.page(c, v), view))
}

func (h *feedPages) posts(items []storage.FeedItem) []templates.FeedPost {
	posts := make([]templates.FeedPost, len(items))
	for i, item := range items {
		posts[i] = templates.FeedPost{Post: h.texts.post(item.Blog, inList), Channel: string(item.Name)}
	}
	return posts
}

package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

// shownNames is how many channels, and how many people, a search shows by their names.
const shownNames = 5

// showSearch is the page of the posts, channels and people that contain a text.
func (s *server) showSearch(c echo.Context, v visitor) error {
	keepQuery(c, "q", "after")
	view := templates.Search{Text: strings.TrimSpace(c.QueryParam("q")), Part: templates.Part{After: c.QueryParam("after")}}
	if view.Text == "" {
		return render(c, http.StatusOK, templates.SearchPage(s.page(c, v), view))
	}
	_, err := queryText(c, "q")
	if invalid, ok := errors.AsType[*domain.InvalidError](err); ok {
		view.Refused = invalid.Fields[0].Detail
		return again(c, err, templates.SearchPage(s.page(c, v), view))
	}
	err = s.costly(c, s.searching, func() error { return s.readSearch(c, v, &view) })
	return show(s, c, v, err, templates.SearchPage, view)
}

// readSearch reads what the page shows. The first page has names too.
func (s *server) readSearch(c echo.Context, v visitor, view *templates.Search) error {
	var people storage.Page[domain.UserName]
	var named storage.Page[domain.Channel]
	var following []domain.Subscription
	reads := []func(context.Context) error{func(ctx context.Context) error {
		find := markdown.NewFinder(view.Text)
		found, err := s.search(ctx, find, view.After, pageSize, s.texts.bytesIn(inFound))
		if view.Next, view.Back = found.Next, found.Back; err == nil {
			view.Posts, err = s.posts(c, v, found.Items, inFound)
		}
		mark(ctx, view.Posts, view.Text)
		return err
	}}
	if view.After == "" {
		name := strings.TrimPrefix(view.Text, "@")
		reads = append(reads, func(ctx context.Context) (err error) {
			named, err = s.store.Channels.List(ctx, name, "", shownNames)
			return err
		}, func(ctx context.Context) (err error) {
			people, err = s.store.Accounts.List(ctx, name, "", shownNames)
			return err
		}, func(ctx context.Context) (err error) {
			following, err = s.following(ctx, v)
			return err
		})
	}
	err := s.store.Concurrently(c.Request().Context(), reads...)
	for _, channel := range named.Items {
		view.Channels = append(view.Channels, templates.ListedChannel{Channel: channel, Subscribed: subscribes(following, channel)})
	}
	view.People, view.MoreNames = people.Items, named.Next != "" || people.Next != ""
	return err
}

// search reads a page of the posts of all channels that contain a text, of so many bytes each.
func (s *server) search(ctx context.Context, find markdown.Finder, after string, limit int, bytes func(domain.Blog) int) (storage.SearchPage, error) {
	matches := func(d domain.Draft) bool { return find.In(d.Title, d.Text) }
	return fitting(limit, func(limit int) (storage.SearchPage, error) {
		return s.store.Feeds.Search(ctx, find.Text, matches, after, limit)
	}, func(found storage.SearchPage) []domain.Blog { return blogsOf(found.Items) }, bytes)
}

// listFound is a page of the posts of all channels that contain a text, for the API.
func (s *server) listFound(c echo.Context, v visitor) error {
	limit, limitErr := queryLimit(c, "q")
	text, textErr := queryText(c, "q")
	if err := domain.JoinInvalid(limitErr, textErr); err != nil {
		return err
	}
	var list listJSON[blogJSON]
	err := s.costly(c, s.searching, func() error {
		find := markdown.NewFinder(text)
		found, err := s.search(c.Request().Context(), find, c.QueryParam("after"), limit, bytesInJSON)
		if err != nil {
			return err
		}
		voted, err := s.store.Posts.VotedAmong(c.Request().Context(), blogsOf(found.Items), v.User)
		list = newListJSON(found.ListPage, func(item storage.FeedItem) blogJSON {
			blog := newBlogJSON(item.Name, item.Blog, voted)
			blog.Match = find.Around(item.Title, item.Text)
			return blog
		})
		list.SearchedBack = apiTime(found.Back)
		return err
	})
	linkNext(c, list.Next)
	return respond(c, err, http.StatusOK, list)
}

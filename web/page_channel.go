package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

type channelPageStore interface {
	channelReader
	CreateChannel(ctx context.Context, channel domain.Channel) (domain.Channel, error)
	Describe(ctx context.Context, ref domain.ChannelRef, by domain.UserName, description string) (domain.Channel, error)
	Blogs(ctx context.Context, ref domain.ChannelRef, q storage.BlogQuery) (storage.BlogPage, error)
	Post(ctx context.Context, p storage.Posting) (domain.Blog, bool, error)
}

// channelPages make a channel, show it, and take posts to it.
type channelPages struct {
	*pages
	store channelPageStore
}

func (h *channelPages) routes(r router) {
	get(r, templates.NewChannelPath, h.closed(h.newForm))
	r.Add(http.MethodPost, templates.NewChannelPath, h.closed(h.create))
	get(r, "/channels/:name", h.open(h.show))
	r.Add(http.MethodPost, "/channels/:name", h.closed(h.post))
	get(r, "/channels/:name/edit", h.closed(h.editForm))
	r.Add(http.MethodPost, "/channels/:name/edit", h.closed(h.edit))
}

func (h *channelPages) newForm(c echo.Context, v visitor) error {
	return render(c, http.StatusOK, templates.NewChannelPage(h.page(c, v),
		templates.NewChannel{Name: shown(c.QueryParam("name"))}))
}

func (h *channelPages) create(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	name, description := form.Get("name"), form.Get("description")
	channel, err := domain.NewChannel(name, description, v.User)
	if err == nil {
		channel, err = h.store.CreateChannel(c.Request().Context(), channel)
	}
	if err == nil {
		return seeOther(c, templates.ChannelPath(string(channel.Name)))
	}
	refused, ok := formOf(err)
	if !ok {
		return err
	}
	return again(c, err, templates.NewChannelPage(h.page(c, v),
		templates.NewChannel{Form: refused, Name: shown(name), Description: shown(description)}))
}

func (h *channelPages) show(c echo.Context, v visitor) error {
	channel, err := namedChannel(c, h.store)
	if err != nil {
		return err
	}
	view, err := h.view(c, v, channel, c.QueryParam("after"))
	if err != nil {
		return err
	}
	if v.SignedIn() {
		view.Draft.Key = rand.Text()
	}
	return render(c, http.StatusOK, templates.ChannelPage(h.page(c, v), view))
}

// post makes one post of a form, however often the form is sent.
func (h *channelPages) post(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	channel, err := namedChannel(c, h.store)
	if err != nil {
		return err
	}
	key := cmp.Or(form.Get("key"), rand.Text())
	draft, draftErr := domain.NewDraft(form.Get("title"), form.Get("text"))
	if err = domain.JoinInvalid(checkIdempotencyKey("key", key), draftErr); err == nil {
		_, _, err = h.store.Post(c.Request().Context(),
			storage.Posting{Channel: channel.Ref(), By: v.User, Key: key, Draft: draft})
	}
	if err == nil {
		return h.done(c, noticePosted, templates.ChannelPath(string(channel.Name)))
	}
	refused, ok := formOf(err)
	if !ok {
		return err
	}
	view, readErr := h.view(c, v, channel, "")
	if readErr != nil {
		return readErr
	}
	view.Draft = templates.Draft{
		Form:  refused,
		Title: shown(form.Get("title")),
		Text:  shown(form.Get("text")),
		Key:   freshKey(key, err),
	}
	return again(c, err, templates.ChannelPage(h.page(c, v), view))
}

// freshKey is the key for a form that was refused: its own while that can still
// make the post, and another once it has made one.
func freshKey(key string, err error) string {
	spent := errors.Is(err, domain.ErrKeyReused) || errors.Is(err, domain.ErrPostGone)
	if spent || checkIdempotencyKey("key", key) != nil {
		return rand.Text()
	}
	return key
}

func (h *channelPages) editForm(c echo.Context, v visitor) error {
	channel, err := ownedChannel(c, h.store, v)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.EditChannelPage(h.page(c, v),
		templates.EditChannel{Name: string(channel.Name), Description: channel.Description}))
}

func (h *channelPages) edit(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	channel, err := ownedChannel(c, h.store, v)
	if err != nil {
		return err
	}
	description := form.Get("description")
	_, err = h.store.Describe(c.Request().Context(), channel.Ref(), v.User, description)
	if err == nil {
		return h.done(c, noticeSaved, templates.ChannelPath(string(channel.Name)))
	}
	refused, ok := formOf(err)
	if !ok {
		return err
	}
	return again(c, err, templates.EditChannelPage(h.page(c, v),
		templates.EditChannel{Form: refused, Name: string(channel.Name), Description: shown(description)}))
}

// view is a page of the channel's posts, with an empty form.
func (h *channelPages) view(c echo.Context, v visitor, channel domain.Channel, after string) (templates.Channel, error) {
	blogs, err := h.store.Blogs(c.Request().Context(), channel.Ref(), storage.BlogQuery{After: after, Limit: pageSize})
	if err != nil {
		return templates.Channel{}, explain(err, "", "", linkTo(channel))
	}
	posts := make([]templates.Post, len(blogs.Items))
	for i, blog := range blogs.Items {
		posts[i] = postOf(blog)
	}
	return templates.Channel{
		Name:        string(channel.Name),
		Owner:       string(channel.Owner),
		Description: channel.Description,
		CreatedOn:   channel.CreatedOn,
		CanManage:   v.User == channel.Owner,
		Posts:       posts,
		After:       after,
		Next:        blogs.Next,
	}, nil
}

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

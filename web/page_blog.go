package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/templates"
)

type blogPageStore interface {
	channelReader
	Blog(ctx context.Context, ref domain.ChannelRef, id domain.BlogID) (domain.Blog, error)
	Edit(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName,
		expected domain.Precondition[domain.Revision], draft domain.Draft) (domain.Blog, error)
	DeleteBlog(ctx context.Context, channel domain.Channel, id domain.BlogID, by domain.UserName,
		expected domain.Precondition[domain.Revision]) error
}

// blogPages show one post, and let its author change it.
type blogPages struct {
	*pages
	store blogPageStore
}

func (h *blogPages) routes(r router) {
	get(r, "/channels/:name/blogs/:id", h.open(h.show))
	r.Add(http.MethodPost, "/channels/:name/blogs/:id", h.closed(h.delete))
	get(r, "/channels/:name/blogs/:id/edit", h.closed(h.editForm))
	r.Add(http.MethodPost, "/channels/:name/blogs/:id/edit", h.closed(h.edit))
}

func (h *blogPages) show(c echo.Context, v visitor) error {
	channel, blog, err := h.named(c)
	if err != nil {
		return err
	}
	isAuthor := v.User == blog.UserID
	return render(c, http.StatusOK, templates.BlogPage(h.page(c, v), templates.Blog{
		Channel:   string(channel.Name),
		Post:      postOf(blog),
		ETag:      blogETag(blog),
		CanEdit:   isAuthor,
		CanDelete: isAuthor || v.User == channel.Owner,
	}))
}

// delete is the only thing that the permalink's form does; the field "action"
// keeps a form of another time from meaning it.
func (h *blogPages) delete(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if form.Get("action") != "delete" {
		return unknownAction()
	}
	expected, err := formETag(form)
	if err != nil {
		return err
	}
	channel, id, err := h.address(c)
	if err != nil {
		return err
	}
	err = h.store.DeleteBlog(c.Request().Context(), channel, id, v.User, expected)
	if errors.Is(err, domain.ErrConflict) {
		return explain(err, "The post was edited in between",
			"You have not seen what it says now, so it was not deleted. Look at it, and delete it if you still want to.",
			templates.Link{Label: "The post as it is now", URL: templates.BlogPath(string(channel.Name), string(id))})
	}
	if err != nil {
		return explain(err, "", "", linkTo(channel))
	}
	return h.done(c, noticePostDeleted, templates.ChannelPath(string(channel.Name)))
}

func (h *blogPages) editForm(c echo.Context, v visitor) error {
	channel, blog, err := h.named(c)
	if err != nil {
		return err
	}
	if blog.UserID != v.User {
		return explain(domain.ErrForbidden, "", "", linkTo(channel))
	}
	return render(c, http.StatusOK, templates.EditBlogPage(h.page(c, v), templates.EditBlog{
		Channel: string(channel.Name),
		ID:      string(blog.ID),
		Title:   blog.Title,
		Text:    blog.Text,
		ETag:    blogETag(blog),
	}))
}

func (h *blogPages) edit(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	expected, err := formETag(form)
	if err != nil {
		return err
	}
	channel, id, err := h.address(c)
	if err != nil {
		return err
	}
	draft, err := domain.NewDraft(form.Get("title"), form.Get("text"))
	if err == nil {
		_, err = h.store.Edit(c.Request().Context(), channel.Ref(), id, v.User, expected, draft)
	}
	view := templates.EditBlog{
		Channel: string(channel.Name),
		ID:      string(id),
		Title:   shown(form.Get("title")),
		Text:    shown(form.Get("text")),
		ETag:    shown(form.Get("etag")),
	}
	var stale *domain.StaleError
	switch {
	case err == nil, errors.As(err, &stale) && says(stale.Current, draft):
		return h.done(c, noticeSaved, templates.BlogPath(view.Channel, view.ID))
	case stale != nil:
		current := postOf(stale.Current)
		view.Current, view.ETag = &current, blogETag(stale.Current)
		return again(c, err, templates.EditBlogPage(h.page(c, v), view))
	}
	refused, ok := formOf(err)
	if !ok {
		return explain(err, "", "", linkTo(channel))
	}
	view.Form = refused
	return again(c, err, templates.EditBlogPage(h.page(c, v), view))
}

// says tells whether a post holds the draft already: then the form was sent
// twice, by a double click or a reload, and there is nothing to choose between.
func says(blog domain.Blog, draft domain.Draft) bool {
	return blog.Title == draft.Title && blog.Text == draft.Text
}

// address is the channel and the post that the path names. Whether there is such
// a post is not known yet.
func (h *blogPages) address(c echo.Context) (domain.Channel, domain.BlogID, error) {
	channel, err := namedChannel(c, h.store)
	if err != nil {
		return domain.Channel{}, "", err
	}
	id, err := blogID(c)
	if err != nil {
		err = explain(err, "", "", linkTo(channel))
	}
	return channel, id, err
}

// named is the post that the path names.
func (h *blogPages) named(c echo.Context) (domain.Channel, domain.Blog, error) {
	channel, id, err := h.address(c)
	if err != nil {
		return domain.Channel{}, domain.Blog{}, err
	}
	blog, err := h.store.Blog(c.Request().Context(), channel.Ref(), id)
	if err != nil {
		err = explain(err, "", "", linkTo(channel))
	}
	return channel, blog, err
}

func postOf(blog domain.Blog) templates.Post {
	return templates.Post{
		ID:        string(blog.ID),
		Title:     blog.Title,
		Text:      blog.Text,
		Author:    string(blog.UserID),
		CreatedOn: blog.CreatedOn,
		EditedOn:  blog.EditedOn,
	}
}

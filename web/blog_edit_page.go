package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
	"microblogging/templates/merge"
)

// blogEditPages let the author of a post edit it, and show both versions when two
// edits conflict.
type blogEditPages struct {
	*pages
	store *storage.Store
}

func (h *blogEditPages) routes(r router) {
	get(r, "/channels/:name/blogs/:id/edit", h.closedBeside(h.form))
	r.Add(http.MethodPost, "/channels/:name/blogs/:id/edit", h.drafting(templates.EditDraft, h.edit))
}

func (h *blogEditPages) form(c echo.Context, who awaited) error {
	channel, blog, err := namedPost(c, h.store)
	if err != nil {
		return err
	}
	v, err := who.wait()
	if err != nil {
		return err
	}
	if blog.UserID != v.User {
		return explain(domain.ErrForbidden, "", "", linkTo(channel))
	}
	return render(c, http.StatusOK, templates.EditBlogPage(h.page(c, v), templates.EditBlog{
		Channel: string(channel.Name),
		ID:      string(blog.ID),

		Incarnation: string(channel.Incarnation),
		Title:       blog.Title,
		Text:        blog.Text,
		ETag:        blogETag(blog),
		Base:        packBase(blog),
	}))
}

func (h *blogEditPages) edit(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	expected, err := formETag(form)
	if err != nil {
		return err
	}
	channel, id, err := formPost(c, h.store, form)
	if err != nil {
		return err
	}
	draft, err := domain.NewDraft(form.Get("title"), form.Get("text"))
	if err == nil {
		err = h.sessions.takeWrite(c, v)
	}
	if err == nil {
		_, err = h.store.Edit(c.Request().Context(), channel.Ref(), id, v.User, expected, draft)
	}
	var stale *domain.StaleError
	if err == nil || errors.As(err, &stale) && says(stale.Current, draft) {
		return h.done(c, noticeSaved, templates.BlogPath(string(channel.Name), string(id)))
	}
	return h.unsaved(c, v, channel, id, form, err)
}

// unsaved shows why an edit was not saved, and keeps what was typed in the form. If
// somebody else saved another version, it shows that version beside the form.
func (h *blogEditPages) unsaved(c echo.Context, v visitor, channel domain.Channel, id domain.BlogID, form url.Values, err error) error {
	view := templates.EditBlog{
		Channel: string(channel.Name),
		ID:      string(id),

		Incarnation: string(channel.Incarnation),
		Title:       shown(form.Get("title")),
		Text:        typedText(form.Get("text")),
		ETag:        shown(form.Get("etag")),
		Base:        shown(form.Get("base")),
	}
	var stale *domain.StaleError
	if errors.As(err, &stale) {
		meet(&view, stale.Current)
		return again(c, err, templates.EditBlogPage(h.page(c, v), view))
	}
	if errors.Is(err, domain.ErrNotFound) {
		return explain(err, "The post has been deleted", "It was deleted while you wrote, so there is nothing left to change. What you wrote is below.",
			linkTo(channel))
	}
	refused, ok := formOf(err)
	if !ok {
		return explain(err, "", "", linkTo(channel))
	}
	view.Form = refused
	if form.Has("merging") {
		current, readErr := h.store.Blog(c.Request().Context(), channel.Ref(), id)
		if readErr != nil {
			return explain(readErr, "", "", linkTo(channel))
		}
		meet(&view, current)
	}
	return again(c, err, templates.EditBlogPage(h.page(c, v), view))
}

// says reports whether the post already holds the draft. This is so when the form
// was sent twice, by a double click or a reload. It is no conflict.
func says(blog domain.Blog, draft domain.Draft) bool {
	return blog.Title == draft.Title && blog.Text == draft.Text
}

// meet adds the current version to the view of what was typed, and both together if it is
// known what the form was made from. The form gets the current version, because its author
// now sees that version and may replace it.
func meet(view *templates.EditBlog, current domain.Blog) {
	view.Conflict = &templates.Conflict{
		Theirs:   postOf(current),
		Revision: string(current.Revision),
		Base:     baseOf(view.ETag),
	}
	refused := len(view.Errors) > 0 || view.Message != ""
	if base, ok := unpackBase(view.Base); ok && !refused {
		view.Conflict.Merged = &templates.Merged{
			BaseTitle: base.Title,
			BaseText:  base.Text,
			Title:     merge.Whole(base.Title, view.Title, current.Title),
			Text:      merge.Texts(base.Text, view.Text, current.Text),
		}
	}
	view.ETag, view.Base = blogETag(current), packBase(current)
}

// baseOf returns the revision that a form was made from. It is empty unless the
// form names exactly one.
func baseOf(etag string) string {
	tags, _, _ := parseETags(etag)
	if len(tags) != 1 {
		return ""
	}
	return string(revisionOf(tags[0].opaque))
}

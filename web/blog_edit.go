package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// edit replaces a version of a post by a draft.
func (s *server) edit(c echo.Context, v visitor, in domain.Channel, expected domain.Precondition[domain.Revision], draft domain.Draft) (domain.Blog, error) {
	id, err := blogID(c)
	if err != nil {
		return domain.Blog{}, err
	}
	if err := s.takePost(c, v, textBytes(draft.Fields())); err != nil {
		return domain.Blog{}, err
	}
	edited, err := s.store.Posts.Update(c.Request().Context(), in, id, v.User, expected, draft)
	return edited, withCurrent(in, err)
}

func (s *server) replaceBlog(c echo.Context, v visitor, in domain.Channel) error {
	expected, made, err := ifMatch(c.Request().Header, revisionOf)
	if err != nil {
		return err
	}
	if !made {
		return refuse(http.StatusPreconditionRequired, "If-Match is missing",
			`Send If-Match with the ETag of the post that you read, or "*" to overwrite any version. Nothing was saved.`)
	}
	draft, err := readDraft(c)
	if err != nil {
		return err
	}
	blog, err := s.edit(c, v, in, expected, draft)
	return respondBlog(c, err, http.StatusOK, in, blog)
}

func (s *server) editBlogForm(c echo.Context, v visitor) error {
	at, err := address(c, nil)
	if err != nil {
		return err
	}
	var channel domain.Channel
	var blog domain.Blog
	var postingRule storage.PostingRule
	if channel, err = s.activeChannel(c, v, at); err == nil {
		err = s.store.Concurrently(c.Request().Context(), func(context.Context) (err error) {
			blog, err = s.namedPost(c, channel)
			return err
		}, func(ctx context.Context) (err error) {
			postingRule, err = s.store.Posts.PostingRule(ctx, channel)
			return err
		})
	}
	switch {
	case err != nil:
	case blog.UserID != v.User:
		err = domain.ErrForbidden
	default:
		err = s.store.Posts.Refuses(c.Request().Context(), postingRule, channel, v.User)
	}
	return show(s, c, v, err, templates.EditBlogPage, templates.EditBlog{
		Channel: channel,
		ID:      blog.ID,
		Draft:   blog.Draft,
		ETag:    templates.BlogETag(blog),
		Base:    templates.Pack(blog.Fields()),
	})
}

func (s *server) editBlog(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	expected, err := formETag(form)
	if err != nil {
		return err
	}
	if err := hasTexts(form, new(domain.Draft).Fields()); err != nil {
		return err
	}
	draft, err := domain.ParseDraft(draftOf(form))
	if err == nil && form.Get("undecided") == templates.Undecided(draft) {
		err = domain.Invalid("text", "still contains both versions. Remove what you do not want to keep, then save")
	}
	// A form that changes nothing makes no version, which others would have to merge with theirs.
	base, _ := unpackDraft(form.Get("base")) // or nothing, which no draft is
	if err == nil && draft != base {
		_, err = s.edit(c, v, in, expected, draft)
	}
	// If the form was sent twice, by a double click or a reload, the post already holds the
	// draft. That is no conflict.
	var stale *domain.StaleError
	if err == nil || errors.As(err, &stale) && stale.Current.Draft == draft {
		return s.done(c, nil, "saved", strings.TrimSuffix(c.Request().URL.EscapedPath(), "/edit"))
	}
	return s.unsaved(c, v, in, form, err)
}

// unsaved shows why an edit was not saved, and keeps what was typed in the form. If
// another version was saved in between, it shows that version next to the form.
func (s *server) unsaved(c echo.Context, v visitor, in domain.Channel, form url.Values, err error) error {
	view := templates.EditBlog{
		Channel: in,
		ID:      domain.BlogID(pathParam(c, "id")),
		ETag:    shown(form.Get("etag")),
		Base:    shown(form.Get("base")),
	}
	showTexts(form, view.Draft.Fields())
	if stale, ok := errors.AsType[*domain.StaleError](err); ok {
		view.Mine = view.Draft
		if err := s.meet(c, v, &view, func() (domain.Blog, error) { return stale.Current, nil }); err != nil {
			return err
		}
		return again(c, err, templates.EditBlogPage(s.page(c, v), view))
	}
	if errors.Is(err, domain.ErrNotFound) && !replacedNow(err) {
		return explain(err, "The post has been deleted", "It was deleted while you wrote, so there is nothing left to change. What you wrote is below.")
	}
	refused, ok := formOf(err, "post")
	if !ok {
		return err
	}
	view.Form = refused
	if form.Has("mine") { // the form that merges
		view.Mine, _ = unpackDraft(form.Get("mine"))
		if err := s.meet(c, v, &view, func() (domain.Blog, error) { return s.namedPost(c, in) }); err != nil {
			return err
		}
	}
	return again(c, err, templates.EditBlogPage(s.page(c, v), view))
}

// meet adds the version that read returns to the view of what was typed, and both together if it is
// known what the form was made from. The form gets that version, because its author now sees it and
// may replace it.
func (s *server) meet(c echo.Context, v visitor, view *templates.EditBlog, read func() (domain.Blog, error)) error {
	return s.costly(c, s.writing, func() error {
		current, err := read()
		if err != nil {
			return err
		}
		base, known := unpackDraft(view.Base)
		view.Conflict = templates.NewConflict(view.Draft, current, base, known && len(view.Errors) == 0)
		view.ETag, view.Base = templates.BlogETag(current), templates.Pack(current.Fields())
		return nil
	})
}

// unpackDraft returns the draft that a form has sent along. It reports false if that is none.
func unpackDraft(packed string) (domain.Draft, bool) {
	var draft domain.Draft
	ok := templates.Unpack(packed, draft.Fields())
	draft, err := domain.ParseDraft(draft)
	return draft, ok && err == nil
}

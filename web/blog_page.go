package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

const blogPagePath = "/channels/:name/blogs/:id"

// blogPages show one post, take votes for it, and delete it for its author or the
// owner of the channel.
type blogPages struct {
	*pages
	store  *storage.Store
	views  *channelViews
	shared *sharedPages
}

func (h *blogPages) routes(r router) {
	get(r, blogPagePath, h.openBeside(h.show))
	r.Add(http.MethodPost, blogPagePath, h.closed(h.act))
}

func (h *blogPages) show(c echo.Context, who awaited) error {
	if who.stranger() && h.shared.may(c.Request()) {
		return h.shared.answer(c, echo.MIMETextHTMLCharsetUTF8, func() sharedQuery { return h.sharedQuery(c) })
	}
	name, err := channelName(c)
	if err != nil {
		return err
	}
	var kept storage.Kept[*channelView]
	var voted bool
	ctx, q, likely := c.Request().Context(), h.query(c), who.likely()
	read := []func(context.Context) error{func(ctx context.Context) (err error) {
		kept, err = h.views.read(ctx, name.Key(), q)
		return err
	}}
	before, _ := h.views.slot(name.Key(), q).Get("")
	if likely != "" && before.Value != nil {
		read = append(read, func(ctx context.Context) (err error) {
			voted, err = h.store.Voted(ctx, before.Channel.Ref(), before.Value.posts.Items[0].ID, likely)
			return err
		})
	}
	if err := h.store.AtOnce(ctx, read[0], read[1:]...); err != nil {
		return err
	}
	v, err := who.wait()
	if err != nil {
		return err
	}
	ahead := v.User == likely && before.Value != nil && before.Channel.Ref() == kept.Channel.Ref()
	if v.SignedIn() && !ahead {
		if voted, err = h.store.Voted(ctx, kept.Channel.Ref(), kept.Value.posts.Items[0].ID, v.User); err != nil {
			return err
		}
	}
	linkCanonical(c, kept.Channel)
	return render(c, http.StatusOK, templates.BlogPage(h.page(c, v), h.of(v, kept.Channel, kept.Value, voted && v.SignedIn())))
}

func (h *blogPages) sharedQuery(c echo.Context) sharedQuery {
	return sharedQuery{view: h.query(c), make: func(channel domain.Channel, view *channelView) ([]byte, error) {
		return rendered(c, templates.BlogPage(h.page(c, visitor{}), h.of(visitor{}, channel, view, false)))
	}}
}

// query says which post the request asks for. If there cannot be one, the reading fails
// once the channel is known.
func (h *blogPages) query(c echo.Context) viewQuery {
	id, err := blogID(c)
	if err != nil {
		return viewQuery{read: func(_ context.Context, channel domain.Channel, _ storage.Version) (*channelView, error) {
			return nil, explain(err, "", "", linkTo(channel))
		}}
	}
	return h.views.postView(id)
}

// of is the page of a post.
func (h *blogPages) of(v visitor, channel domain.Channel, view *channelView, voted bool) templates.Blog {
	post := view.posts.Items[0]
	isAuthor := v.User == post.UserID
	return templates.Blog{
		Channel:   string(channel.Name),
		Post:      h.texts.post(post, alone),
		Voted:     voted,
		ETag:      blogETag(post),
		CanEdit:   isAuthor,
		CanDelete: isAuthor || v.User == channel.Owner,
	}
}

// act handles the forms on the page of a post.
func (h *blogPages) act(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	if err := h.sessions.takeWrite(c, v); err != nil {
		return err
	}
	switch form.Get("action") {
	case "vote":
		return elsewhere(h.vote(c, v, form, h.store.Vote, noticeVoted),
			"Your vote was not counted", "Your vote was for a post of the old one.")
	case "unvote":
		return elsewhere(h.vote(c, v, form, h.store.Unvote, noticeUnvoted),
			"Your vote is gone already", "You had voted for a post of the old one, which went with it.")
	case "delete":
		return elsewhere(h.delete(c, v, form),
			"The post is gone already", "The post was in the old one, and went with it.")
	}
	return unknownAction()
}

// vote gives the visitor's vote or takes it back, and then shows the notice on the page
// of the post, or in the list that the form was in. A script that asks for it gets the
// form as it is then.
func (h *blogPages) vote(c echo.Context, v visitor, form url.Values, cast castVote, n notice) error {
	channel, id, err := formPost(c, h.store, form)
	if err != nil {
		return err
	}
	if err := cast(c.Request().Context(), channel.Ref(), id, v.User); err != nil {
		return explain(err, "", "", linkTo(channel))
	}
	list := localPath(form.Get("next"))
	switch {
	case c.Request().Header.Get(headerPrefer) == preferRepresentation:
		return h.showVote(c, channel, id, templates.Vote{Post: templates.Post{Voted: n == noticeVoted}, Here: list, Said: n.sentence()})
	case list != "":
		return h.done(c, n, list+"#"+templates.Anchor(string(id)))
	}
	return h.done(c, n, templates.BlogPath(string(channel.Name), string(id)))
}

// The header with which a client asks for what its request made, or for no more than
// where that is (RFC 7240).
const (
	headerPrefer         = "Prefer"
	headerPreferred      = "Preference-Applied"
	preferRepresentation = "return=representation"
	preferMinimal        = "return=minimal"
)

// showVote answers with the form that follows the one that was sent.
func (h *blogPages) showVote(c echo.Context, channel domain.Channel, id domain.BlogID, view templates.Vote) error {
	blog, err := h.store.Blog(c.Request().Context(), channel.Ref(), id)
	if err != nil {
		return explain(err, "", "", linkTo(channel))
	}
	voted := view.Post.Voted
	view.Channel, view.Post = string(channel.Name), postOf(blog)
	view.Post.Voted = voted
	c.Response().Header().Set(headerPreferred, preferRepresentation)
	return render(c, http.StatusOK, templates.VoteForm(view))
}

func (h *blogPages) delete(c echo.Context, v visitor, form url.Values) error {
	expected, err := formETag(form)
	if err != nil {
		return err
	}
	channel, id, err := formPost(c, h.store, form)
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

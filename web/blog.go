package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

type blogJSON struct {
	ID      domain.BlogID      `json:"id"`
	Channel domain.ChannelName `json:"channel"`
	domain.Draft
	UserID    domain.UserName `json:"userId"`
	Rating    int64           `json:"rating"`
	CreatedOn apiTime         `json:"createdOn"`
	EditedOn  apiTime         `json:"editedOn"`
	RepliedOn apiTime         `json:"repliedOn"`
	// Match has the words around what was found.
	Match string `json:"match,omitempty"`
	// Voted reports whether the caller votes for it, in a list that was read with a session.
	Voted bool `json:"voted,omitempty"`
}

func newBlogJSON(channel domain.ChannelName, b domain.Blog, voted map[domain.BlogID]bool) blogJSON {
	return blogJSON{b.ID, channel, b.Draft, b.UserID, b.Rating, apiTime(b.CreatedOn), apiTime(b.EditedOn), apiTime(b.RepliedOn), "", voted[b.ID]}
}

// bytesInJSON is how many bytes a post takes in a list of the API, about.
func bytesInJSON(blog domain.Blog) int {
	const besides = 1 << 10 // what is not its author's words, and what was found of these
	encoded, _ := json.Marshal(blog.Draft)
	return len(encoded) + besides
}

func respondBlog(c echo.Context, err error, status int, channel domain.Channel, blog domain.Blog) error {
	if err == nil {
		c.Response().Header().Set(headerETag, templates.BlogETag(blog))
	}
	return respond(c, err, status, newBlogJSON(channel.Name, blog, nil))
}

// namedPost reads the post of a channel that the path names.
func (s *server) namedPost(c echo.Context, in domain.Channel) (domain.Blog, error) {
	id, err := blogID(c)
	if err != nil {
		return domain.Blog{}, err
	}
	return s.store.Posts.Get(c.Request().Context(), in.Ref(), id)
}

// leadToBlog leads from a post's short address to the one that people see.
func (s *server) leadToBlog(c echo.Context, _ visitor, in domain.Channel) error {
	blog, err := s.namedPost(c, in)
	if err != nil {
		return err
	}
	return seeOther(c, templates.BlogPath(in.Name, blog))
}

func (s *server) readBlog(c echo.Context, _ visitor, in domain.Channel) error {
	blog, err := s.namedPost(c, in)
	return respondBlog(c, err, http.StatusOK, in, blog)
}

func (s *server) listBlogs(c echo.Context, v visitor) error {
	limit, limitErr := queryLimit(c, "since", "until", "order", "rating", "find")
	since, until, intervalErr := queryInterval(c)
	order, orderErr := queryView(c)
	if err := domain.JoinInvalid(limitErr, intervalErr, orderErr); err != nil {
		return err
	}
	keepQuery(c, "limit", "after", "since", "until", "order", "rating", "find")
	q := storage.BlogQuery{Since: since, Until: until, After: c.QueryParam("after"), Limit: limit}
	return s.answer(c, v, document{
		mediaType: echo.MIMEApplicationJSON,
		view:      "list " + c.QueryString(),
		read: func(ctx context.Context, channel domain.Channel, _ storage.Version) (*channelView, error) {
			found, err := s.ordered(ctx, c, v, channel.Ref(), order, q, bytesInJSON)
			return &channelView{posts: found}, err
		},
		own: func(ctx context.Context, in domain.Channel, view *channelView, user domain.UserName) (own ownView, err error) {
			own.voted, err = s.store.Posts.VotedOn(ctx, in.Ref(), view.posts.Items, user)
			return own, err
		},
		write: func(body *bytes.Buffer, _ templates.Page, shown storage.Kept[*channelView], own ownView) error {
			list := newListJSON(shown.Value.posts.ListPage, func(b domain.Blog) blogJSON { return newBlogJSON(shown.Channel.Name, b, own.voted) })
			if order.Find != nil {
				list.Searched = &shown.Value.posts.Searched
				err := s.costly(c, s.finding, func() error { around(c.Request().Context(), list.Items, *order.Find); return nil })
				if err != nil {
					return err
				}
			}
			linkNext(c, list.Next)
			return json.NewEncoder(body).Encode(list)
		},
	})
}

// publish makes a post, unless its author or their address has stored too much.
func (s *server) publish(c echo.Context, v visitor, post storage.NewPost) (domain.Blog, bool, error) {
	if err := s.takePost(c, v, postBytes(post.Draft)); err != nil {
		return domain.Blog{}, false, err
	}
	return s.store.Posts.Create(c.Request().Context(), post)
}

// createBlog makes one post, even if the request is sent several times.
func (s *server) createBlog(c echo.Context, v visitor, in domain.Channel) error {
	key, keyErr := idempotencyKey(c.Request().Header)
	draft, draftErr := readDraft(c)
	if err := domain.JoinInvalid(keyErr, draftErr); err != nil {
		return err
	}
	blog, made, err := s.publish(c, v, storage.NewPost{Channel: in, By: v.User, Key: cmp.Or(key, rand.Text()), Draft: draft})
	if err == nil {
		c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(in.Name)+"/blogs/"+string(blog.ID))
	}
	return respondBlog(c, err, madeStatus(made), in, blog)
}

func readDraft(c echo.Context) (domain.Draft, error) {
	var draft domain.Draft
	if err := readFields(c, jsonFields(draft.Fields())...); err != nil {
		return domain.Draft{}, err
	}
	return domain.ParseDraft(draft)
}

// draftOf is the post that a form holds.
func draftOf(form url.Values) (draft domain.Draft) {
	readTexts(form, draft.Fields())
	return draft
}

func (s *server) postByForm(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	key := cmp.Or(form.Get("key"), rand.Text())
	draft, draftErr := domain.ParseDraft(draftOf(form))
	var blog domain.Blog
	err := domain.JoinInvalid(checkIdempotencyKey("key", key), draftErr)
	if err == nil {
		blog, _, err = s.publish(c, v, storage.NewPost{Channel: in, By: v.User, Key: key, Draft: draft})
	}
	refused, ok := formOf(err, "post")
	switch {
	case err == nil:
		return s.posted(c, v, templates.Post{Blog: blog, In: in.Name}, false, templates.ChannelPath(in.Name))
	case !ok:
		return err
	}
	showTexts(form, draft.Fields())
	view, readErr := s.channelWith(c, v, in, templates.Draft{Form: refused, Draft: draft, Key: freshKey(key, err)})
	if readErr != nil {
		return readErr
	}
	return again(c, err, templates.ChannelPage(s.page(c, v), view))
}

// removePost deletes a post in the version that its reader saw.
func (s *server) removePost(c echo.Context, v visitor, in domain.Channel, expected domain.Precondition[domain.Revision]) error {
	id, err := blogID(c)
	if err != nil {
		return err
	}
	post, err := s.authorOf(c, v, in, id)
	if err == nil {
		err = s.store.Posts.Delete(c.Request().Context(), in, id, v.actor(), expected)
	}
	if err == nil {
		s.removedByOperator(c, v, in, post)
	}
	return withCurrent(in, err)
}

func (s *server) removeBlog(c echo.Context, v visitor, in domain.Channel) error {
	expected, _, err := ifMatch(c.Request().Header, revisionOf)
	if err != nil {
		return err
	}
	return respondNothing(c, s.removePost(c, v, in, expected))
}

// withCurrent adds the current post and its ETag to the error of a stale request.
func withCurrent(channel domain.Channel, err error) error {
	stale, ok := errors.AsType[*domain.StaleError](err)
	if !ok {
		return err
	}
	return &staleRequest{error: err, etag: templates.BlogETag(stale.Current), current: newBlogJSON(channel.Name, stale.Current, nil)}
}

// castVote is the store's Vote or Unvote. Both are idempotent.
type castVote func(ctx context.Context, ref domain.ChannelRef, id domain.BlogID, by domain.UserName) error

// voting is the handler that gives the visitor's vote to the post that the path names, or takes it back.
func voting(cast castVote) channelHandler {
	return func(c echo.Context, v visitor, in domain.Channel) error {
		id, err := blogID(c)
		if err != nil {
			return err
		}
		return cast(c.Request().Context(), in.Ref(), id, v.User)
	}
}

// actOnBlog handles the forms on the page of a post. The form for a reply names no action.
func (s *server) actOnBlog(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	person, here := form.Get("person"), cmp.Or(localPath(form.Get("next")), c.Request().URL.EscapedPath())
	switch form.Get("action") {
	case "":
		return s.replyByForm(c, v, in, form)
	case "delete-reply":
		return s.done(c, s.removeReply(c, v, in, form.Get("reply")), "reply-deleted", here)
	case "vote":
		return s.voteByForm(c, v, in, form, s.store.Posts.Vote, "voted")
	case "unvote":
		return s.voteByForm(c, v, in, form, s.store.Posts.Unvote, "unvoted")
	case "delete":
		return s.removeByForm(c, v, in, form)
	case "block":
		return s.done(c, s.block(c, v, in, person), "blocked", here, person)
	case "unblock":
		return s.done(c, s.unblock(c, v, in, person), "unblocked", here, person)
	}
	return unknownAction()
}

// voteByForm gives the visitor's vote or takes it back, and then shows the notice on the page
// of the post, or in the list that the form was in. A script that asks for it gets the
// form that follows the one that was sent.
func (s *server) voteByForm(c echo.Context, v visitor, in domain.Channel, form url.Values, cast castVote, notice string) error {
	if err := voting(cast)(c, v, in); err != nil {
		return err
	}
	list := localPath(form.Get("next"))
	if c.Request().Header.Get(headerPrefer) == preferRepresentation {
		blog, err := s.namedPost(c, in)
		if err != nil {
			return err
		}
		post := &templates.Post{Blog: blog, In: in.Name, Voted: notice == "voted"}
		c.Response().Header().Set(headerPreferred, preferRepresentation)
		return render(c, http.StatusOK, templates.VoteForm(post, templates.BlogPath(post.In, blog), list, sentenceOf(notice, "")))
	}
	if list == "" {
		return s.done(c, nil, notice, c.Request().URL.EscapedPath())
	}
	id, err := blogID(c)
	return s.done(c, err, notice, list+"#"+templates.Anchor(id))
}

func (s *server) removeByForm(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	expected, err := formETag(form)
	if err != nil {
		return err
	}
	err = s.removePost(c, v, in, expected)
	if errors.Is(err, domain.ErrConflict) && !replacedNow(err) {
		return explain(err, "The post was edited in between",
			"You have not seen what it says now, so it was not deleted. Look at it, and delete it if you still want to.",
			templates.Link{Label: "The post as it is now", URL: c.Request().URL.EscapedPath()})
	}
	return s.done(c, err, "post-deleted", cmp.Or(localPath(form.Get("next")), templates.ChannelPath(in.Name)))
}

// preview shows a text as its post would show it. It saves nothing.
func (s *server) preview(c echo.Context, v visitor, form url.Values) error {
	draft, err := domain.ParseDraft(draftOf(form))
	if err != nil {
		refused, _ := formOf(err, "post")
		return again(c, err, templates.PreviewPage(s.page(c, v), templates.Preview{Form: refused}))
	}
	view := templates.Preview{Draft: draft}
	err = s.costly(c, s.writing, func() error {
		view.Rendered = markdown.Render(draft.Text, markdown.BelowList)
		return nil
	})
	return show(s, c, v, err, templates.PreviewPage, view)
}

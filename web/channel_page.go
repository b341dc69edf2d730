package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

type channelPageStore interface {
	channelReader
	Blogs(ctx context.Context, ref domain.ChannelRef, q storage.BlogQuery) (storage.BlogPage, error)
	BlogsByRating(ctx context.Context, ref domain.ChannelRef, q storage.RatingQuery) (storage.BlogPage, error)
	VotedOn(ctx context.Context, ref domain.ChannelRef, posts []domain.Blog, by domain.UserName) (map[domain.BlogID]bool, error)
	Post(ctx context.Context, p storage.Posting) (domain.Blog, bool, error)
	Subscribers(ctx context.Context, ref domain.ChannelRef) (n int, more bool, err error)
	Subscribed(ctx context.Context, ref domain.ChannelRef, user domain.UserName) (bool, error)
	Subscribe(ctx context.Context, channel domain.Channel, user domain.UserName) error
	Unsubscribe(ctx context.Context, ref domain.ChannelRef, user domain.UserName) error
}

// channelPages show a channel, and take posts and subscriptions to it.
type channelPages struct {
	*pages
	store channelPageStore
	// teach leads everybody to the rows behind the channel.
	teach bool
}

func (h *channelPages) routes(r router) {
	get(r, "/channels/:name", h.open(h.show))
	r.Add(http.MethodPost, "/channels/:name", h.drafting(templates.PostDraft, h.act))
}

func (h *channelPages) show(c echo.Context, v visitor) error {
	channel, err := namedChannel(c, h.store)
	if err != nil {
		return err
	}
	order, err := queryView(c)
	if err != nil {
		return explain(err, "", "", linkTo(channel))
	}
	view, err := h.view(c, v, channel, order, c.QueryParam("after"))
	if err != nil {
		return err
	}
	if v.SignedIn() {
		view.Draft.Key = rand.Text()
	}
	return render(c, http.StatusOK, templates.ChannelPage(h.page(c, v), view))
}

// act handles the forms on a channel's page. The form for a post names no action.
func (h *channelPages) act(c echo.Context, v visitor) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	switch form.Get("action") {
	case "":
		return h.post(c, v, form)
	case refillAction:
		return h.refill(c, v, form)
	case "subscribe":
		return elsewhere(h.subscribe(c, v, form),
			"You do not subscribe to it", "You asked to subscribe to the old one.")
	case "unsubscribe":
		return elsewhere(h.unsubscribe(c, v, form),
			"Your subscription has ended already", "You asked to leave the old one, and your subscription ended with it.")
	}
	return unknownAction()
}

// subscribe subscribes the visitor to the channel. A visitor who has reached
// domain.MaxSubscriptions sees the page again, with the reason.
func (h *channelPages) subscribe(c echo.Context, v visitor, form url.Values) error {
	channel, err := formChannel(c, h.store, form)
	if err != nil {
		return err
	}
	if err := h.sessions.takeWrite(c, v); err != nil {
		return explain(err, "", "", linkTo(channel))
	}
	err = h.store.Subscribe(c.Request().Context(), channel, v.User)
	if err == nil {
		return h.done(c, noticeSubscribed, templates.ChannelPath(string(channel.Name)))
	}
	if _, refused := formOf(err); !refused {
		return err
	}
	view, readErr := h.view(c, v, channel, templates.View{}, "")
	if readErr != nil {
		return readErr
	}
	view.Draft.Key = rand.Text()
	view.Readership.Refusal = fmt.Sprintf("You subscribe to %d channels, and cannot subscribe to more. "+
		"Unsubscribe from another one first.", domain.MaxSubscriptions)
	return again(c, err, templates.ChannelPage(h.page(c, v), view))
}

func (h *channelPages) unsubscribe(c echo.Context, v visitor, form url.Values) error {
	channel, err := formChannel(c, h.store, form)
	if err != nil {
		return err
	}
	err = h.sessions.takeWrite(c, v)
	if err == nil {
		err = h.store.Unsubscribe(c.Request().Context(), channel.Ref(), v.User)
	}
	if err != nil {
		return explain(err, "", "", linkTo(channel))
	}
	return h.done(c, noticeUnsubscribed, templates.ChannelPath(string(channel.Name)))
}

// post makes one post from a form, even if the form is sent several times.
func (h *channelPages) post(c echo.Context, v visitor, form url.Values) error {
	channel, err := formChannel(c, h.store, form)
	if err != nil {
		return err
	}
	key := cmp.Or(form.Get("key"), rand.Text())
	draft, draftErr := domain.NewDraft(form.Get("title"), form.Get("text"))
	err = domain.JoinInvalid(checkIdempotencyKey("key", key), draftErr)
	if err == nil {
		err = h.sessions.takeWrite(c, v)
	}
	if err == nil {
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
	view, readErr := h.view(c, v, channel, templates.View{}, "")
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

// refill shows the channel with a text in its form that was written for another channel.
func (h *channelPages) refill(c echo.Context, v visitor, form url.Values) error {
	channel, err := namedChannel(c, h.store)
	if err != nil {
		return err
	}
	view, err := h.view(c, v, channel, templates.View{}, "")
	if err != nil {
		return err
	}
	view.Draft = templates.Draft{Title: shown(form.Get("title")), Text: shown(form.Get("text")), Key: rand.Text()}
	page := h.page(c, v)
	page.Notice = refilled
	return render(c, http.StatusOK, templates.ChannelPage(page, view))
}

// freshKey returns the idempotency key for a form that was refused. It keeps the
// form's key as long as the key has made no post and is valid.
func freshKey(key string, err error) string {
	spent := errors.Is(err, domain.ErrKeyReused) || errors.Is(err, domain.ErrPostGone)
	if spent || checkIdempotencyKey("key", key) != nil {
		return rand.Text()
	}
	return key
}

// queryView reads from the query which posts of a channel to list, and in what order.
func queryView(c echo.Context) (templates.View, error) {
	rating, rated, err := queryRating(c)
	return templates.View{TopRated: rated && rating == nil, Rating: rating}, err
}

// view is a page of the channel's posts, with an empty form for a new post.
func (h *channelPages) view(c echo.Context, v visitor, channel domain.Channel, order templates.View, after string) (templates.Channel, error) {
	blogs, err := h.blogs(c.Request().Context(), channel.Ref(), order, after)
	if err != nil {
		return templates.Channel{}, explain(err, "", "", linkTo(channel))
	}
	var voted map[domain.BlogID]bool
	if v.SignedIn() {
		voted, err = h.store.VotedOn(c.Request().Context(), channel.Ref(), blogs.Items, v.User)
		if err != nil {
			return templates.Channel{}, err
		}
	}
	readership, err := h.readership(c.Request().Context(), channel.Ref(), v)
	return templates.Channel{
		Name:        string(channel.Name),
		Owner:       string(channel.Owner),
		Description: channel.Description,
		Rendered:    h.texts.description(channel),
		CreatedOn:   channel.CreatedOn,
		Incarnation: string(channel.Incarnation),
		CanManage:   v.User == channel.Owner,
		CanSeeRows:  h.teach || v.User == channel.Owner,
		Readership:  readership,
		View:        order,
		Posts:       votedPosts(h.texts.posts(blogs.Items, inList), voted),
		After:       after,
		Next:        blogs.Next,
	}, err
}

// votedPosts marks the posts that the visitor votes for.
func votedPosts(posts []templates.Post, voted map[domain.BlogID]bool) []templates.Post {
	for i := range posts {
		posts[i].Voted = voted[domain.BlogID(posts[i].ID)]
	}
	return posts
}

func (h *channelPages) blogs(ctx context.Context, ref domain.ChannelRef, order templates.View, after string) (storage.BlogPage, error) {
	if order.Newest() {
		return h.store.Blogs(ctx, ref, storage.BlogQuery{After: after, Limit: pageSize})
	}
	return h.store.BlogsByRating(ctx, ref, storage.RatingQuery{Rating: order.Rating, After: after, Limit: pageSize})
}

func (h *channelPages) readership(ctx context.Context, ref domain.ChannelRef, v visitor) (templates.Readership, error) {
	n, more, err := h.store.Subscribers(ctx, ref)
	readership := templates.Readership{Subscribers: n, More: more}
	if err == nil && v.SignedIn() {
		readership.Subscribed, err = h.store.Subscribed(ctx, ref, v.User)
	}
	return readership, err
}

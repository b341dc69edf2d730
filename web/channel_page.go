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

// channelPages show a channel, and take posts and subscriptions to it.
type channelPages struct {
	*pages
	store  *storage.Store
	views  *channelViews
	shared *sharedPages
	// teach leads everybody to the rows behind the channel.
	teach bool
}

func (h *channelPages) routes(r router) {
	get(r, "/channels/:name", h.openBeside(h.show))
	r.Add(http.MethodPost, "/channels/:name", h.drafting(templates.PostDraft, h.act))
}

func (h *channelPages) show(c echo.Context, who awaited) error {
	if who.stranger() && h.shared.may(c.Request()) {
		return h.shared.answer(c, echo.MIMETextHTMLCharsetUTF8, func() sharedQuery { return h.sharedQuery(c) })
	}
	name, err := channelName(c)
	if err != nil {
		return err
	}
	q, order := h.query(c)
	kept, mine, v, err := h.readBeside(c, who, name.Key(), q)
	if err != nil {
		return err
	}
	linkCanonical(c, kept.Channel)
	page, view := h.page(c, v), mine.on(h.of(c, v, kept.Channel, kept.Value, order))
	if v.SignedIn() {
		// A post changes the version. So the key is spent only once the page is another.
		view.Draft.Key = cmp.Or(string(kept.Version), rand.Text())
	}
	return render(c, http.StatusOK, templates.ChannelPage(page, view))
}

func (h *channelPages) sharedQuery(c echo.Context) sharedQuery {
	q, order := h.query(c)
	return sharedQuery{view: q, make: func(channel domain.Channel, view *channelView) ([]byte, error) {
		return rendered(c, templates.ChannelPage(h.page(c, visitor{}), h.of(c, visitor{}, channel, view, order)))
	}}
}

// query says which posts the request asks for. If it cannot be answered, the reading fails
// once the channel is known.
func (h *channelPages) query(c echo.Context) (viewQuery, templates.View) {
	if c.Request().URL.RawQuery == "" {
		return h.views.postsView(templates.View{}, ""), templates.View{}
	}
	order, err := queryView(c)
	if err != nil {
		return viewQuery{read: func(_ context.Context, channel domain.Channel, _ storage.Version) (*channelView, error) {
			return nil, explain(err, "", "", linkTo(channel))
		}}, order
	}
	return h.views.postsView(order, c.QueryParam("after")), order
}

// readBeside reads a view of the channel and what of it is the visitor's, while the
// session is read.
func (h *channelPages) readBeside(c echo.Context, who awaited, key domain.ChannelKey, q viewQuery) (
	kept storage.Kept[*channelView], mine ownView, v visitor, err error,
) {
	ctx := c.Request().Context()
	read := []func(context.Context) error{func(ctx context.Context) (err error) {
		kept, err = h.views.read(ctx, key, q)
		return err
	}}
	before, _ := h.views.slot(key, q).Get("")
	likely := who.likely()
	if likely != "" && before.Value != nil {
		read = append(read, h.readOwn(before.Channel.Ref(), before.Value, likely, &mine)...)
	}
	if err = h.store.AtOnce(ctx, read[0], read[1:]...); err != nil {
		return kept, mine, v, err
	}
	if v, err = who.wait(); err != nil || !v.SignedIn() {
		return kept, ownView{}, v, err
	}
	// What is the reader's own does not depend on the version. After most changes, what was
	// read beside the version is what would be read now.
	ahead := v.User == likely && before.Value != nil && before.Channel.Ref() == kept.Channel.Ref()
	if !ahead || !storage.SameVotes(before.Value.posts.Items, kept.Value.posts.Items) {
		mine, err = h.own(ctx, v, kept.Channel.Ref(), kept.Value)
	}
	return kept, mine, v, err
}

// An ownView is what of a view is the reader's own.
type ownView struct {
	subscribed bool
	voted      map[domain.BlogID]bool
}

// on adds it to a page.
func (o ownView) on(view templates.Channel) templates.Channel {
	view.Readership.Subscribed = o.subscribed
	votedPosts(view.Posts, o.voted)
	return view
}

// own reads what of a view is the visitor's. A stranger has nothing.
func (h *channelPages) own(ctx context.Context, v visitor, ref domain.ChannelRef, view *channelView) (own ownView, err error) {
	if !v.SignedIn() {
		return ownView{}, nil
	}
	read := h.readOwn(ref, view, v.User, &own)
	err = h.store.AtOnce(ctx, read[0], read[1:]...)
	return own, err
}

// readOwn returns the calls that read what of a view is a user's.
func (h *channelPages) readOwn(ref domain.ChannelRef, view *channelView, user domain.UserName, own *ownView) []func(context.Context) error {
	return []func(context.Context) error{func(ctx context.Context) (err error) {
		own.voted, err = h.store.VotedOn(ctx, ref, view.posts.Items, user)
		return err
	}, func(ctx context.Context) (err error) {
		own.subscribed, err = h.store.Subscribed(ctx, ref, user)
		return err
	}}
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
	view, readErr := h.newest(c, v, channel)
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
	view, readErr := h.newest(c, v, channel)
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
	view, err := h.newest(c, v, channel)
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

// newest is the first page of the channel's posts, with an empty form for a new post. It
// is for a form that was refused.
func (h *channelPages) newest(c echo.Context, v visitor, channel domain.Channel) (templates.Channel, error) {
	ctx := c.Request().Context()
	view, err := h.views.postsView(templates.View{}, "").read(ctx, channel, "")
	if err != nil {
		return templates.Channel{}, err
	}
	mine, err := h.own(ctx, v, channel.Ref(), view)
	return mine.on(h.of(c, v, channel, view, templates.View{})), err
}

// of is the page of a view.
func (h *channelPages) of(c echo.Context, v visitor, channel domain.Channel, view *channelView, order templates.View) templates.Channel {
	after := ""
	if c.Request().URL.RawQuery != "" {
		after = c.QueryParam("after")
	}
	return templates.Channel{
		Name:        string(channel.Name),
		Owner:       string(channel.Owner),
		Description: channel.Description,
		Rendered:    h.texts.description(channel),
		CreatedOn:   channel.CreatedOn,
		Incarnation: string(channel.Incarnation),
		CanManage:   v.User == channel.Owner,
		CanSeeRows:  h.teach || v.User == channel.Owner,
		Readership:  templates.Readership{Subscribers: view.subscribers, More: view.more},
		View:        order,
		Posts:       h.texts.posts(view.posts.Items, inList),
		After:       after,
		Next:        view.posts.Next,
	}
}

// votedPosts marks the posts that the visitor votes for.
func votedPosts(posts []templates.Post, voted map[domain.BlogID]bool) {
	for i := range posts {
		posts[i].Voted = voted[domain.BlogID(posts[i].ID)]
	}
}

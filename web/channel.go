package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

const headerLink = "Link"

// namedChannel reads the channel that the path names, for a page. If the path
// spells the name in another way than the channel's creator did, the response gets
// a Link to the canonical address.
func (s *server) namedChannel(c echo.Context) (domain.Channel, error) {
	name, err := channelName(c)
	if err != nil {
		return domain.Channel{}, err
	}
	channel, err := s.channelAt(c, named(c))
	if err == nil {
		linkCanonical(c.Response().Header(), name, channel)
	}
	return channel, err
}

// linkCanonical sets a Link to the canonical address if the path spells the channel's name
// in another way.
func linkCanonical(h http.Header, spelled domain.ChannelName, channel domain.Channel) {
	if spelled != channel.Name {
		h.Set(headerLink, "<"+templates.ChannelPath(channel.Name)+`>; rel="canonical"`)
	}
}

// ownedChannel is namedChannel for the channel's owner. For other visitors it
// returns domain.ErrForbidden.
func (s *server) ownedChannel(c echo.Context, v visitor) (domain.Channel, error) {
	channel, err := s.namedChannel(c)
	if err == nil && channel.Owner != v.User {
		err = domain.ErrForbidden
	}
	return channel, err
}

// channelAt reads the channel at an address. If the request fails, its page leads back there.
func (s *server) channelAt(c echo.Context, at target) (domain.Channel, error) {
	if at.err != nil {
		return domain.Channel{}, at.err
	}
	channel, err := s.store.ChannelAt(c.Request().Context(), at.ChannelAddress)
	if err == nil {
		c.Set(channelKey, channel)
	}
	return channel, err
}

// A target is the channel that a request is for, or why that cannot be said.
type target struct {
	domain.ChannelAddress
	err error
}

// named is the channel that the path names, in whatever incarnation.
func named(c echo.Context) target {
	name, err := channelName(c)
	return target{anyIncarnation(name.Key()), err}
}

// apiTarget is the channel that the path names, in an incarnation that If-Match accepts.
func apiTarget(c echo.Context) target {
	at := named(c)
	expected, _, err := ifMatch(c.Request().Header, incarnationOf)
	return target{domain.ChannelAddress{Key: at.Key, Expected: expected}, cmp.Or(err, at.err)}
}

// formTarget is the channel with a name, in the incarnation that the form was shown for and in
// no other.
func formTarget(name domain.ChannelName, err error, form url.Values) target {
	made := domain.Incarnation(form.Get("incarnation"))
	if err == nil && made == "" {
		err = withoutVersion()
	}
	return target{domain.ChannelRef{Key: name.Key(), Incarnation: made}.Address(), err}
}

// pageTarget is the channel of the page that the form was on.
func pageTarget(c echo.Context, form url.Values) target {
	name, err := channelName(c)
	return formTarget(name, err, form)
}

// inChannel does something with the channel that a request is for. What do writes must depend on
// the incarnation of the channel that it is given. If another channel took the name meanwhile whose
// incarnation the sender accepts too, the condition has not failed: this channel is gone.
func (s *server) inChannel(c echo.Context, at target, do func(ctx context.Context, channel domain.Channel) error) error {
	channel, err := s.channelAt(c, at)
	if err == nil {
		err = do(c.Request().Context(), channel)
	}
	return goneIfAccepted(at, err)
}

func goneIfAccepted(at target, err error) error {
	if replaced, ok := errors.AsType[*domain.ReplacedError](err); ok && at.Expected.Holds(replaced.Current.Incarnation) {
		return domain.ErrNotFound
	}
	return err
}

// apiChannelPath is the path of a channel in the API.
func apiChannelPath(name domain.ChannelName) string {
	return apiPrefix + "/channels/" + url.PathEscape(string(name))
}

// showChannel is the page of a channel.
func (s *server) showChannel(c echo.Context, v visitor) error {
	order, err := queryView(c)
	after := c.QueryParam("after")
	d := s.postsOf(order, after)
	if err != nil { // the answer once it is known that there is such a channel
		d.view = "none"
		d.read = func(context.Context, domain.Channel, storage.Version) (*channelView, error) { return nil, err }
	}
	d.mediaType = echo.MIMETextHTMLCharsetUTF8
	d.write = func(body *bytes.Buffer, v visitor, shown storage.Kept[*channelView], own ownView) error {
		view := s.channelPage(v, shown, own)
		view.View, view.After = order, after
		if v.SignedIn() {
			// A post changes the version. So the key is spent only once the page is another.
			view.Draft.Key = keyOr(string(shown.Version))
		}
		return write(c, body, templates.ChannelPage(s.page(c, v), view))
	}
	return s.answer(c, v, d)
}

// postsOf is a page of a channel's posts with the number of subscribers.
func (s *server) postsOf(order templates.View, after string) document {
	return document{
		view: order.Link("").URL + " " + after,
		read: func(ctx context.Context, channel domain.Channel, version storage.Version) (*channelView, error) {
			view := &channelView{}
			err := s.store.AtOnce(ctx, func(ctx context.Context) (err error) {
				if order.Newest() {
					view.posts, err = s.store.Blogs(ctx, channel.Ref(), storage.BlogQuery{After: after, Limit: pageSize})
				} else {
					query := storage.RatingQuery{Rating: order.Rating, After: after, Limit: pageSize}
					view.posts, err = s.store.BlogsByRating(ctx, channel.Ref(), query)
				}
				return err
			}, func(ctx context.Context) (err error) {
				view.subscribers, view.more, err = s.store.Subscribers(ctx, channel.Ref())
				return err
			})
			return view, err
		},
		own: func(ctx context.Context, ref domain.ChannelRef, view *channelView, user domain.UserName) (own ownView, err error) {
			err = s.store.AtOnce(ctx, func(ctx context.Context) (err error) {
				own.voted, err = s.store.VotedOn(ctx, ref, view.posts.Items, user)
				return err
			}, func(ctx context.Context) (err error) {
				own.subscribed, err = s.store.Subscribed(ctx, ref, user)
				return err
			})
			return own, err
		},
	}
}

// queryView reads from the query which posts of a channel to list, and in what order.
func queryView(c echo.Context) (templates.View, error) {
	rating, rated, err := queryRating(c)
	return templates.View{TopRated: rated && rating == nil, Rating: rating}, err
}

func (s *server) channelPage(v visitor, shown storage.Kept[*channelView], own ownView) templates.Channel {
	channel, view := shown.Channel, shown.Value
	page := templates.Channel{
		Channel:    channel,
		Rendered:   s.texts.description(channel),
		CanManage:  v.User == channel.Owner,
		CanSeeRows: s.Teach || v.User == channel.Owner,
		Readership: templates.Readership{Subscribers: view.subscribers, More: view.more, Subscribed: own.subscribed},
		Posts:      s.texts.posts(channel.Name, view.posts.Items, inList),
	}
	page.Next = view.posts.Next
	for i := range page.Posts {
		page.Posts[i].Voted = own.voted[page.Posts[i].ID]
	}
	return page
}

// channelWith is the first page of a channel with a draft in its form.
func (s *server) channelWith(c echo.Context, v visitor, channel domain.Channel, draft templates.Draft) (templates.Channel, error) {
	ctx, newest := c.Request().Context(), s.postsOf(templates.View{}, "")
	view, err := newest.read(ctx, channel, "")
	if err != nil {
		return templates.Channel{}, err
	}
	own, err := newest.own(ctx, channel.Ref(), view, v.User)
	page := s.channelPage(v, storage.Kept[*channelView]{Channel: channel, Value: view}, own)
	page.Draft = draft
	return page, err
}

// actOnChannel handles the forms on a channel's page. The form for a post names no action.
func (s *server) actOnChannel(c echo.Context, v visitor, form url.Values) error {
	switch form.Get("action") {
	case "":
		return s.postByForm(c, v, form)
	case "subscribe":
		return elsewhere(s.subscribeByForm(c, v, form),
			"You do not subscribe to it", "You asked to subscribe to the old one.")
	case "unsubscribe":
		return elsewhere(s.unsubscribeByForm(c, v, form),
			"Your subscription has ended already", "You asked to leave the old one, and your subscription ended with it.")
	}
	return unknownAction()
}

func (s *server) readChannel(c echo.Context, _ visitor) error {
	channel, err := s.channelAt(c, named(c))
	if err != nil {
		return err
	}
	c.Response().Header().Set(headerETag, channelETag(channel))
	return respond(c, http.StatusOK, newChannelJSON(channel))
}

// directory lists the channels. A stranger sees this list at / too.
func (s *server) directory(c echo.Context, v visitor) error {
	text, err := queryContains(c)
	if err != nil {
		return err
	}
	after := c.QueryParam("after")
	channels, err := s.store.Channels(c.Request().Context(), text, after, pageSize)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.DirectoryPage(s.page(c, v), templates.Directory{
		Contains: text, Channels: channels.Items, Part: templates.Part{After: after, Next: channels.Next},
	}))
}

func (s *server) listChannels(c echo.Context, _ visitor) error {
	limit, limitErr := queryLimit(c)
	text, textErr := queryContains(c)
	if err := domain.JoinInvalid(limitErr, textErr); err != nil {
		return err
	}
	page, err := s.store.Channels(c.Request().Context(), text, c.QueryParam("after"), limit)
	if err != nil {
		return err
	}
	return respondList(c, page.Items, page.Next, newChannelJSON)
}

// showUser shows to everybody since when a user has an account, and their channels.
func (s *server) showUser(c echo.Context, v visitor) error {
	name, err := domain.ParseUserName(pathParam(c, "user"))
	if err != nil {
		return domain.ErrNotFound // nobody can have this name
	}
	after := c.QueryParam("after")
	var user domain.User
	var channels storage.ChannelPage
	err = s.store.AtOnce(c.Request().Context(), func(ctx context.Context) (err error) {
		user, err = s.store.User(ctx, name)
		return err
	}, func(ctx context.Context) (err error) {
		channels, err = s.store.ChannelsOf(ctx, name, after, pageSize)
		return err
	})
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, templates.UserPage(s.page(c, v), templates.User{
		User: user, Channels: channels.Items, Part: templates.Part{After: after, Next: channels.Next},
	}))
}

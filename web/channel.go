package web

import (
	"bytes"
	"cmp"
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

// ownedChannel reads the channel that the path names, for its owner. For other visitors it
// returns domain.ErrForbidden.
func (s *server) ownedChannel(c echo.Context, v visitor) (domain.Channel, error) {
	channel, err := s.channelAt(c, named(c))
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
	if c.QueryParams().Has("newer") {
		return s.showNewer(c)
	}
	order, invalid := pageView(c)
	return s.answer(c, v, document{
		mediaType: echo.MIMETextHTMLCharsetUTF8,
		write: func(ctx context.Context, body *bytes.Buffer, v visitor, channel domain.Channel, version storage.Version) error {
			if invalid != nil {
				return invalid // now that it is known that there is such a channel
			}
			page, err := s.channelPage(ctx, v, channel, order, c.QueryParam("after"))
			if err != nil {
				return err
			}
			if v.SignedIn() {
				// A post changes the version. So the key is spent only once the page is another.
				page.Draft.Key = keyOr(string(version))
			}
			return write(c, body, templates.ChannelPage(s.page(c, v), page))
		},
	})
}

// showNewer leads from a page of a channel's posts to the page before, which ends right before the
// post in the query.
func (s *server) showNewer(c echo.Context) error {
	channel, err := s.channelAt(c, named(c))
	if err != nil {
		return err
	}
	than, err := domain.ParseBlogID(c.QueryParam("newer"))
	if err != nil {
		return err
	}
	after, err := s.store.PageBefore(c.Request().Context(), channel.Ref(), than, pageSize)
	if err != nil {
		return err
	}
	return seeOther(c, templates.OlderPath(channel.Name, after))
}

// channelPage reads a page of a channel's posts, and what of it is the visitor's own.
func (s *server) channelPage(
	ctx context.Context, v visitor, channel domain.Channel, order templates.View, after string,
) (templates.Channel, error) {
	page := templates.Channel{
		Channel:    channel,
		Rendered:   s.texts.description(channel),
		CanManage:  v.User == channel.Owner,
		CanSeeRows: s.Teach || v.User == channel.Owner,
		View:       order,
	}
	var found storage.BlogsFound
	err := s.store.AtOnce(ctx, func(ctx context.Context) (err error) {
		q := storage.BlogQuery{After: after, Limit: pageSize}
		if !order.Day.IsZero() {
			q.Until = order.Day.AddDate(0, 0, 1)
		}
		found, err = s.ordered(ctx, channel.Ref(), order, q)
		return err
	}, func(ctx context.Context) (err error) {
		page.Readership.Subscribers, page.Readership.More, err = s.store.Subscribers(ctx, channel.Ref())
		return err
	}, func(ctx context.Context) (err error) {
		if v.SignedIn() {
			page.Readership.Subscribed, err = s.store.Subscribed(ctx, channel.Ref(), v.User)
		}
		return err
	})
	var voted map[domain.BlogID]bool
	if err == nil && v.SignedIn() {
		voted, err = s.store.VotedOn(ctx, channel.Ref(), found.Items, v.User)
	}
	page.Part = templates.Part{After: after, Next: found.Next}
	page.Posts, page.Searched, page.Back = s.texts.posts(channel.Name, found.Items, inList), found.Searched, found.Back
	for i := range page.Posts {
		page.Posts[i].Voted = voted[page.Posts[i].ID]
	}
	return page, err
}

// ordered lists posts of a channel in an order. The index by rating has no times. There is nothing
// to read for the forms with which to find a post.
func (s *server) ordered(
	ctx context.Context, ref domain.ChannelRef, order templates.View, q storage.BlogQuery,
) (found storage.BlogsFound, err error) {
	switch {
	case order.Find != nil && *order.Find != "":
		return s.store.Find(ctx, ref, *order.Find, q)
	case order.TopRated || order.Rating != nil:
		found.Of, err = s.store.BlogsByRating(ctx, ref, storage.RatingQuery{Rating: order.Rating, After: q.After, Limit: q.Limit})
	case order.Find == nil:
		found.Of, err = s.store.Blogs(ctx, ref, q)
	}
	return found, err
}

// actOnChannel handles the forms on a channel's page. The form for a post names no action.
func (s *server) actOnChannel(c echo.Context, v visitor, form url.Values) error {
	switch form.Get("action") {
	case "":
		return s.postByForm(c, v, form)
	case "subscribe":
		return s.subscribeByForm(c, v, form)
	case "unsubscribe":
		return s.unsubscribeByForm(c, v, form)
	}
	return unknownAction()
}

func (s *server) readChannel(c echo.Context, _ visitor) error {
	channel, err := s.channelAt(c, named(c))
	return respondChannel(c, err, http.StatusOK, channel)
}

// directory lists the channels.
func (s *server) directory(c echo.Context, v visitor) error {
	// The form above every page has a field of another name: a field “contains” would hide the
	// form's method contains from each script.
	if q := c.QueryParam("q"); q != "" {
		return seeOther(c, templates.ChannelsPath+"?contains="+url.QueryEscape(q))
	}
	text, err := queryContains(c)
	if err != nil {
		return err
	}
	after := c.QueryParam("after")
	var channels storage.Page[domain.Channel]
	var person domain.User
	err = s.store.AtOnce(c.Request().Context(), func(ctx context.Context) (err error) {
		channels, err = s.store.Channels(ctx, text, after, pageSize)
		return err
	}, func(ctx context.Context) error {
		name, err := domain.ParseUserName(strings.TrimPrefix(text, "@"))
		if err != nil || after != "" {
			return nil // nobody can have this name, or the page before said who has
		}
		person, err = s.store.User(ctx, name)
		if errors.Is(err, domain.ErrNotFound) {
			return nil
		}
		return err
	})
	return show(s, c, v, err, templates.DirectoryPage, templates.Directory{
		Contains: text, Person: person.Name, Channels: channels.Items, Part: templates.Part{After: after, Next: channels.Next},
	})
}

func (s *server) listChannels(c echo.Context, _ visitor) error {
	limit, limitErr := queryLimit(c)
	text, textErr := queryContains(c)
	order := c.QueryParam("order")
	if order != "" && (order != "activity" || text != "") {
		textErr = domain.Invalid("order", "must be \"activity\", without contains")
	}
	if err := domain.JoinInvalid(limitErr, textErr); err != nil {
		return err
	}
	if order != "" {
		return s.listByActivity(c, limit)
	}
	found, err := s.store.Channels(c.Request().Context(), text, c.QueryParam("after"), limit)
	return respondList(c, err, found, newChannelJSON)
}

package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/channel"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

// A channelView is what one page, or the feeds, of a channel show, for every reader. It
// is never changed.
type channelView struct {
	posts       storage.BlogsFound
	replies     storage.Page[domain.Reply]
	after       string // where replies begins, empty if that is the first
	subscribers int
	more        bool
	postingRule storage.PostingRule
}

// postOverhead is what a post takes besides its texts, about.
const postOverhead = 400

func (v *channelView) bytes() int {
	return len(fmt.Sprint(*v)) + postOverhead*len(v.posts.Items) + replyOverhead*len(v.replies.Items)
}

// An ownView is what of a view is the reader's own.
type ownView struct {
	subscribed bool
	voted      map[domain.BlogID]bool
	// mayNotPost says why the reader may not post. blocked tells the owner which authors on the page of a post are.
	mayNotPost string
	blocked    []domain.User
	// composer is the form for a post, on a page of several channels. What the reader may do in the channel used last
	// is in version.
	composer templates.Composer
	version  storage.Version
}

// apiChannelPath is the path of a channel in the API.
func apiChannelPath(name domain.ChannelName) string {
	return apiPrefix + "/channels/" + url.PathEscape(string(name))
}

// showChannel is the page of a channel.
func (s *server) showChannel(c echo.Context, v visitor) error {
	keepQuery(c, "order", "rating", "find", "day", "after", "newer")
	if c.QueryParams().Has("newer") {
		return about(s.activeChannel, s.showNewer)(c, v)
	}
	order, err := pageView(c)
	after := c.QueryParam("after")
	d := s.postsOf(c, v, order, after)
	if err != nil { // the answer once it is known that there is such a channel
		d.view = "none"
		d.read = func(context.Context, domain.Channel, storage.Version) (*channelView, error) { return nil, err }
	}
	d.mediaType = echo.MIMETextHTMLCharsetUTF8
	d.write = func(body *bytes.Buffer, page templates.Page, shown storage.Kept[*channelView], own ownView) error {
		view := s.channelPage(page.Actor(), shown, own, placeOf(order))
		if view.View, view.After = order, after; order.Finds() {
			err := s.costly(c, s.finding, func() error { mark(c.Request().Context(), view.Posts, *order.Find); return nil })
			if err != nil {
				return err
			}
		}
		if page.User != "" {
			// A post changes the version. So the key is spent only once the page is another.
			view.Draft.Key = cmp.Or(string(shown.Version), rand.Text())
			view.List = s.keptList(c, shown, own, page, view.Posts)
		}
		return write(c, body, templates.ChannelPage(page, view))
	}
	return s.answer(c, v, d)
}

// keptList is the list of posts on a page for a reader who is signed in. It is kept for all who have the same votes,
// and no post that they may edit or delete, because to render it costs more than the rest of the page.
func (s *server) keptList(c echo.Context, shown storage.Kept[*channelView], own ownView, page templates.Page, posts []templates.Post) templ.Component {
	key := "posts " + c.Request().RequestURI + " " + fmt.Sprint(own.voted) + " " + own.mayNotPost
	if slices.ContainsFunc(posts, func(p templates.Post) bool { return p.CanDelete }) {
		key += " " + string(page.User)
	}
	list := templates.Posts(page, posts, false)
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		kept, err := channel.ReadCachedAt(ctx, s.pages, shown.Channel, shown.Version, key,
			func(ctx context.Context, _ domain.Channel, _ storage.Version) (*sharedPage, error) {
				var body bytes.Buffer
				err := list.Render(ctx, &body)
				return &sharedPage{body: body.Bytes()}, err
			})
		if err == nil {
			_, err = w.Write(kept.Value.body)
		}
		return err
	})
}

// showNewer leads from a page of a channel's posts to the page before, which ends right before the
// post in the query.
func (s *server) showNewer(c echo.Context, v visitor, in domain.Channel) error {
	than, err := domain.ParseBlogID(c.QueryParam("newer"))
	if err != nil {
		return err
	}
	var after string
	err = s.costly(c, s.newer, func() error {
		after, err = s.store.Posts.PageBefore(c.Request().Context(), in.Ref(), than, pageSize)
		return err
	})
	if err != nil {
		return err
	}
	return seeOther(c, templates.OlderPath(in.Name, after))
}

// postsOf is a page of a channel's posts with the number of subscribers.
func (s *server) postsOf(c echo.Context, v visitor, order templates.View, after string) document {
	return document{
		view: order.Link("").URL + " " + after,
		read: func(ctx context.Context, channel domain.Channel, version storage.Version) (*channelView, error) {
			view := &channelView{}
			err := s.store.Concurrently(ctx, func(ctx context.Context) (err error) {
				q := storage.BlogQuery{After: after, Limit: pageSize}
				if !order.Day.IsZero() {
					q.Until = order.Day.AddDate(0, 0, 1)
				}
				view.posts, err = s.ordered(ctx, c, v, channel.Ref(), order, q, s.texts.bytesIn(placeOf(order)))
				return err
			}, func(ctx context.Context) (err error) {
				view.subscribers, view.more, err = s.store.Subscriptions.Count(ctx, channel.Ref())
				return err
			}, func(ctx context.Context) (err error) {
				view.postingRule, err = s.store.Posts.PostingRule(ctx, channel)
				return err
			})
			return view, err
		},
		own: func(ctx context.Context, in domain.Channel, view *channelView, user domain.UserName) (own ownView, err error) {
			err = s.store.Concurrently(ctx, func(ctx context.Context) (err error) {
				own.voted, err = s.store.Posts.VotedOn(ctx, in.Ref(), view.posts.Items, user)
				return err
			}, func(ctx context.Context) (err error) {
				own.subscribed, err = s.store.Subscriptions.Has(ctx, in.Ref(), user)
				return err
			}, func(ctx context.Context) (err error) {
				own.mayNotPost, err = s.mayNotPost(ctx, in, view.postingRule, user)
				return err
			})
			return own, err
		},
	}
}

// placeOf is where the texts of a view of a channel are on its page.
func placeOf(order templates.View) place {
	if order.Find != nil {
		return inFound
	}
	return inList
}

// ordered lists posts of a channel in an order, of so many bytes each. The index by rating has no times. There is nothing
// to read for the forms with which to find a post.
func (s *server) ordered(
	ctx context.Context, c echo.Context, v visitor, ref domain.ChannelRef, order templates.View, q storage.BlogQuery, bytes func(domain.Blog) int,
) (storage.BlogsFound, error) {
	return fitting(q.Limit, func(limit int) (storage.BlogsFound, error) {
		q.Limit = limit
		return s.readOrdered(ctx, c, v, ref, order, q)
	}, func(found storage.BlogsFound) []domain.Blog { return found.Items }, bytes)
}

func (s *server) readOrdered(
	ctx context.Context, c echo.Context, v visitor, ref domain.ChannelRef, order templates.View, q storage.BlogQuery,
) (found storage.BlogsFound, err error) {
	switch {
	case order.Finds():
		err = s.costly(c, s.finding, func() error {
			find := markdown.NewFinder(*order.Find)
			found, err = s.store.Posts.Find(ctx, ref, find.Text, func(d domain.Draft) bool { return find.In(d.Title, d.Text) }, q)
			return err
		})
	case order.TopRated || order.Rating != nil:
		found.ListPage, err = s.store.Posts.ListByRating(ctx, ref, storage.RatingQuery{Rating: order.Rating, After: q.After, Limit: q.Limit})
	case order.Find == nil:
		found.ListPage, err = s.store.Posts.List(ctx, ref, q)
	}
	return found, err
}

func (s *server) channelPage(reader domain.Actor, shown storage.Kept[*channelView], own ownView, place place) templates.Channel {
	channel, view, user := shown.Channel, shown.Value, reader.User
	mayNotPost := refusalOf(channel, view.postingRule, user, own)
	page := templates.Channel{
		Channel:   channel,
		Rendered:  s.texts.description(channel),
		CanManage: reader.May(domain.ManageChannel, domain.Object{Owner: channel.Owner}),
		CanClose:  reader.ByOperator(domain.DeleteChannel, domain.Object{Owner: channel.Owner}) != "", Undo: s.Undo,
		MayNotPost: mayNotPost,
		CanSeeRows: s.Teach || user == channel.Owner,
		Readership: templates.Readership{Subscribers: view.subscribers, More: view.more, Subscribed: own.subscribed},
		Posts:      offer(s.texts.posts(channel.Name, view.posts.Items, place, own.voted), reader, channel.Owner, mayNotPost),
		Searched:   view.posts.Searched,
		Back:       view.posts.Back,
	}
	page.Next, page.Posters = view.posts.Next, view.postingRule.Posters
	return page
}

// refusalOf says why a reader may not post to a channel. It is empty if they may, or may once they have signed in.
func refusalOf(in domain.Channel, rule storage.PostingRule, user domain.UserName, own ownView) string {
	switch {
	case user != "":
		return own.mayNotPost
	case rule.Posters == domain.PostersOwner:
		return templates.MayNotPost(in, domain.ErrOwnerPosts)
	case rule.Posters == domain.PostersMembers:
		return templates.MayNotPost(in, domain.ErrMembersPost)
	}
	return ""
}

// channelWith is the first page of a channel with a draft in its form.
func (s *server) channelWith(c echo.Context, v visitor, channel domain.Channel, draft templates.Draft) (templates.Channel, error) {
	ctx, newest := c.Request().Context(), s.postsOf(c, v, templates.View{}, "")
	view, err := newest.read(ctx, channel, "")
	if err != nil {
		return templates.Channel{}, err
	}
	own, err := newest.own(ctx, channel, view, v.User)
	page := s.channelPage(v.actor(), storage.Kept[*channelView]{Channel: channel, Value: view}, own, inList)
	page.Draft = draft
	return page, err
}

// actOnChannel handles the forms on a channel's page. The form for a post names no action.
func (s *server) actOnChannel(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	switch form.Get("action") {
	case "":
		return s.postByForm(c, v, in, form)
	case "subscribe":
		return s.subscribeByForm(c, v, in, form)
	case "unsubscribe":
		return s.unsubscribeByForm(c, v, in, form)
	}
	return unknownAction()
}

func (s *server) readChannel(c echo.Context, _ visitor, in domain.Channel) error {
	return s.respondChannel(c, nil, http.StatusOK, in)
}

// shownPeople is how many people whose names contain a text are shown with the channels.
const shownPeople = 10

// directory lists the channels.
func (s *server) directory(c echo.Context, v visitor) error {
	text, err := queryContains(c)
	if err != nil {
		return err
	}
	view := templates.Directory{Contains: text, ByName: text != "" || c.QueryParam("order") == "name",
		Part: templates.Part{After: c.QueryParam("after")}}
	var people storage.Page[domain.UserName]
	var following []domain.Subscription
	err = s.store.Concurrently(c.Request().Context(), func(ctx context.Context) (err error) {
		if !view.ByName {
			view.Channels, view.Next, err = s.activeAndNew(ctx, view.After)
			return err
		}
		named, err := s.store.Channels.List(ctx, text, view.After, pageSize)
		view.Next = named.Next
		for _, channel := range named.Items {
			view.Channels = append(view.Channels, templates.ListedChannel{Channel: channel})
		}
		return err
	}, func(ctx context.Context) (err error) {
		if text != "" && view.After == "" { // else the page before has them
			people, err = s.store.Accounts.List(ctx, text, "", shownPeople)
		}
		return err
	}, func(ctx context.Context) (err error) {
		following, err = s.following(ctx, v)
		return err
	})
	view.People, view.MorePeople = people.Items, people.Next != ""
	for i := range view.Channels {
		view.Channels[i].Subscribed = subscribes(following, view.Channels[i].Channel)
	}
	return show(s, c, v, err, templates.DirectoryPage, view)
}

// activeAndNew are the channels with the latest posts. If they leave room on the first page, it ends with channels that have
// no post of late, so that a new one is on the page immediately.
func (s *server) activeAndNew(ctx context.Context, after string) (list []templates.ListedChannel, next string, err error) {
	active, err := s.store.Feeds.ByActivity(ctx, after, pageSize)
	for _, channel := range active.Items {
		list = append(list, templates.ListedChannel{Channel: channel.Channel, On: channel.LastBlogOn})
	}
	if err != nil || after != "" || active.Next != "" {
		return list, active.Next, err
	}
	named, err := s.store.Channels.List(ctx, "", "", pageSize)
	for _, channel := range named.Items {
		listed := func(l templates.ListedChannel) bool { return l.Key() == channel.Key() }
		if len(list) < pageSize && !slices.ContainsFunc(list, listed) {
			list = append(list, templates.ListedChannel{Channel: channel})
		}
	}
	return list, "", err
}

// following are the subscriptions of a visitor. An anonymous client has none.
func (s *server) following(ctx context.Context, v visitor) ([]domain.Subscription, error) {
	if !v.SignedIn() {
		return nil, nil
	}
	return s.store.Subscriptions.Joined(ctx, v.User)
}

// subscribes reports whether a channel is among those that a visitor follows.
func subscribes(following []domain.Subscription, to domain.Channel) bool {
	return slices.ContainsFunc(following, func(f domain.Subscription) bool { return f.Channel == to.Ref() })
}

func (s *server) listChannels(c echo.Context, _ visitor) error {
	limit, limitErr := queryLimit(c, "contains", "order")
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
	found, err := s.store.Channels.List(c.Request().Context(), text, c.QueryParam("after"), limit)
	return respondList(c, err, found, newChannelJSON)
}

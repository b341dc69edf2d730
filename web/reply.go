package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// repliesSize is how many replies one page of a post has.
const repliesSize = 50

// replyOverhead is what a reply takes besides its text, about.
const replyOverhead = 300

// threadOf is the page of a post with a part of its replies.
func (s *server) threadOf(c echo.Context, id domain.BlogID, after string) document {
	return document{
		mediaType: echo.MIMETextHTMLCharsetUTF8,
		view:      "post " + string(id) + " " + after,
		read: func(ctx context.Context, channel domain.Channel, _ storage.Version) (*channelView, error) {
			view := &channelView{}
			view.posts.Items = make([]domain.Blog, 1)
			err := s.store.Concurrently(ctx, func(ctx context.Context) (err error) {
				view.posts.Items[0], err = s.store.Posts.Get(ctx, channel.Ref(), id)
				return err
			}, func(ctx context.Context) (err error) {
				view.postingRule, err = s.store.Posts.PostingRule(ctx, channel)
				return err
			}, func(ctx context.Context) (err error) {
				view.replies, view.after, err = s.partOfReplies(ctx, channel.Ref(), id, after)
				return err
			})
			return view, err
		},
		own: func(ctx context.Context, in domain.Channel, view *channelView, user domain.UserName) (own ownView, err error) {
			err = s.store.Concurrently(ctx, func(ctx context.Context) error {
				voted, err := s.store.Posts.Voted(ctx, in.Ref(), id, user)
				own.voted = map[domain.BlogID]bool{id: voted}
				return err
			}, func(ctx context.Context) (err error) {
				if user == in.Owner {
					own.blocked, err = s.blockedAuthors(ctx, view)
				} else {
					own.mayNotPost, err = s.mayNotPost(ctx, in, view.postingRule, user)
				}
				return err
			})
			return own, err
		},
		write: func(body *bytes.Buffer, page templates.Page, shown storage.Kept[*channelView], own ownView) error {
			view := s.thread(page.Actor(), shown, own)
			view.Draft.Key = cmp.Or(string(shown.Version), rand.Text()) + string(id) // pages of one version must not share it
			return write(c, body, templates.BlogPage(page, view))
		},
	}
}

// blockedAuthors returns which authors on the page of a post are blocked in its channel.
func (s *server) blockedAuthors(ctx context.Context, view *channelView) ([]domain.User, error) {
	authors := map[domain.UserName]bool{view.posts.Items[0].UserID: true}
	for _, reply := range view.replies.Items {
		authors[reply.UserID] = true
	}
	var blocked []domain.User
	for _, account := range view.postingRule.Blocked {
		if authors[account.Name] {
			blocked = append(blocked, account)
		}
	}
	return s.store.Posts.WithAccounts(ctx, blocked)
}

// replies reads a page of the replies to a post, of so many bytes each.
func (s *server) replies(
	ctx context.Context, in domain.ChannelRef, post domain.BlogID, after string, limit int, bytes func(domain.Reply) int,
) (storage.Page[domain.Reply], error) {
	return fitting(limit, func(limit int) (storage.Page[domain.Reply], error) {
		return s.store.Posts.Replies(ctx, in, post, after, limit)
	}, func(page storage.Page[domain.Reply]) []domain.Reply { return page.Items }, bytes)
}

// partOfReplies reads the replies on the page of a post that begins after a cursor or, for templates.LastPart, the newest. It
// returns after, or an empty string if these are all replies.
func (s *server) partOfReplies(ctx context.Context, in domain.ChannelRef, post domain.BlogID, after string) (storage.Page[domain.Reply], string, error) {
	if after != templates.LastPart {
		part, err := s.replies(ctx, in, post, after, repliesSize, s.texts.bytesOfReply)
		return part, after, err
	}
	var newest []domain.Reply
	all, next := 0, ""
	for more := true; more; more = next != "" { // the store lists the oldest first
		part, err := s.store.Posts.Replies(ctx, in, post, next, 5*repliesSize)
		if err != nil {
			return part, after, err
		}
		newest = append(newest, part.Items...)
		newest = newest[max(0, len(newest)-repliesSize):]
		all, next = all+len(part.Items), part.Next
	}
	last, err := fitting(repliesSize, func(limit int) (storage.Page[domain.Reply], error) {
		return storage.Page[domain.Reply]{Items: newest[max(0, len(newest)-limit):]}, nil
	}, func(page storage.Page[domain.Reply]) []domain.Reply { return page.Items }, s.texts.bytesOfReply)
	if len(last.Items) == all {
		after = ""
	}
	return last, after, err
}

// showBlog is the page of one post.
func (s *server) showBlog(c echo.Context, v visitor) error {
	keepQuery(c, "after")
	id, invalid := blogID(c)
	d := s.threadOf(c, id, c.QueryParam("after"))
	if invalid != nil {
		d.read = func(context.Context, domain.Channel, storage.Version) (*channelView, error) { return nil, invalid }
	}
	return s.answer(c, v, d)
}

// thread is a post with a page of its replies, as a reader sees them.
func (s *server) thread(reader domain.Actor, shown storage.Kept[*channelView], own ownView) templates.Thread {
	channel, post := shown.Channel, shown.Value.posts.Items[0]
	p := offer([]templates.Post{s.texts.post(channel.Name, post, alone)}, reader, channel.Owner, own.mayNotPost)[0]
	p.Voted = own.voted[post.ID]
	_, blocked := domain.Named(own.blocked, p.UserID)
	p.CanBlock, p.CanUnblock = p.CanBlock && !blocked, p.CanBlock && blocked
	view := templates.Thread{
		Post: p, Part: templates.Part{After: shown.Value.after, Next: shown.Value.replies.Next},
		MayNotPost: refusalOf(channel, shown.Value.postingRule, reader.User, own),
	}
	for _, reply := range shown.Value.replies.Items {
		_, blocked := domain.Named(own.blocked, reply.UserID)
		view.Replies = append(view.Replies, s.shownReply(reply, reader, channel.Owner, blocked))
	}
	return view
}

// shownReply is a reply as a reader sees it, whose author is blocked or not.
func (s *server) shownReply(reply domain.Reply, reader domain.Actor, owner domain.UserName, blocked bool) templates.Reply {
	of := domain.Object{Author: reply.UserID, Owner: owner}
	return templates.Reply{
		Reply: reply, Rendered: s.texts.reply(reply),
		CanDelete: reader.May(domain.RemovePost, of), AsOperator: reader.ByOperator(domain.RemovePost, of) != "",
		CanBlock: mayBlock(reader, of) && !blocked, CanUnblock: mayBlock(reader, of) && blocked,
	}
}

// reply makes a reply to the post that the path names, unless its author or their address has stored too much. A post that
// its readers do not find is domain.ErrPostGone: its author may be leaving, or the id is none of a post.
func (s *server) reply(c echo.Context, v visitor, n storage.NewReply) (domain.Reply, bool, error) {
	post, err := s.namedPost(c, n.Channel)
	if errors.Is(err, domain.ErrNotFound) {
		err = domain.ErrPostGone
	}
	if err == nil {
		err = s.takePost(c, v, replyBytes(n.Text))
	}
	if err != nil {
		return domain.Reply{}, false, err
	}
	n.Post = post.ID
	return s.store.Posts.Reply(c.Request().Context(), n)
}

// replyByForm makes a reply to the post whose page has the form. A form that was refused is shown again on that page.
func (s *server) replyByForm(c echo.Context, v visitor, in domain.Channel, form url.Values) error {
	key := cmp.Or(form.Get("key"), rand.Text())
	text, textErr := domain.ParseText(form.Get("text"))
	var reply domain.Reply
	err := domain.JoinInvalid(checkIdempotencyKey("key", key), textErr)
	if err == nil {
		reply, _, err = s.reply(c, v, storage.NewReply{Channel: in, By: v.User, Key: key, Text: text})
	}
	if err == nil {
		return s.replied(c, v, in, form, reply)
	}
	view, readErr := s.readThread(c, v, in, form)
	refused, ok := formOf(err, "reply")
	switch {
	case errors.Is(err, domain.ErrPostGone), ok && errors.Is(readErr, domain.ErrNotFound):
		return explain(domain.ErrPostGone, "The post has been deleted", "It was deleted while you wrote, so your reply was refused. What you wrote is below.",
			templates.Link{Label: "Back to “" + string(in.Name) + "”", URL: templates.ChannelPath(in.Name)})
	case !ok:
		return err
	case readErr != nil:
		return readErr
	}
	view.Draft = templates.Draft{Form: refused, Draft: domain.Draft{Text: typedText(form.Get("text"))}, Key: freshKey(key, err)}
	return again(c, err, templates.BlogPage(s.page(c, v), view))
}

// readThread is the page of a post that a form was on.
func (s *server) readThread(c echo.Context, v visitor, in domain.Channel, form url.Values) (templates.Thread, error) {
	post, err := blogID(c)
	if err != nil {
		return templates.Thread{}, err
	}
	d, ctx := s.threadOf(c, post, partOf(localPath(form.Get("next")))), c.Request().Context()
	view, err := d.read(ctx, in, "")
	if err != nil {
		return templates.Thread{}, err
	}
	own, err := d.own(ctx, in, view, v.User)
	return s.thread(v.actor(), storage.Kept[*channelView]{Channel: in, Value: view}, own), err
}

// partOf is which part of a list the page at a path shows.
func partOf(path string) string {
	page, err := url.Parse(path)
	if err != nil {
		return ""
	}
	return page.Query().Get("after")
}

// replied answers the form for a reply that is published: with the page that it was on or, if others have filled that, with
// the last one. A script that asks for it gets the reply as that page shows it, and where it is.
func (s *server) replied(c echo.Context, v visitor, in domain.Channel, form url.Values, reply domain.Reply) error {
	path := c.Request().URL.EscapedPath()
	page := cmp.Or(localPath(form.Get("next")), path)
	part, _, err := s.partOfReplies(c.Request().Context(), in.Ref(), reply.Post, partOf(page))
	if err == nil && !slices.ContainsFunc(part.Items, func(r domain.Reply) bool { return r.ID == reply.ID }) {
		page = templates.LastReplies(path)
	}
	at := page + "#" + templates.ReplyAnchor(reply.ID)
	if c.Request().Header.Get(headerPrefer) != preferRepresentation {
		return s.done(c, nil, "replied", at)
	}
	shown := s.shownReply(reply, v.actor(), in.Owner, false)
	c.Response().Header().Set(headerPreferred, preferRepresentation)
	c.Response().Header().Set(echo.HeaderLocation, at)
	return render(c, http.StatusOK, templates.ReplyArticle(&shown, path, page))
}

// removeReply deletes a reply.
func (s *server) removeReply(c echo.Context, v visitor, in domain.Channel, typed string) error {
	post, err := blogID(c)
	if err != nil {
		return err
	}
	id, err := domain.ParseReplyID(typed)
	if err != nil {
		return err
	}
	reply, err := s.store.Posts.DeleteReply(c.Request().Context(), in, post, id, v.actor())
	if by := v.actor().ByOperator(domain.RemovePost, domain.Object{Author: reply.UserID, Owner: in.Owner}); err == nil && by != "" {
		s.logAct(c, by, "remove reply", reply.UserID, "channel", in.Name, "post", post, "reply", id)
	}
	return err
}

type replyJSON struct {
	ID        domain.ReplyID  `json:"id"`
	Text      string          `json:"text"`
	UserID    domain.UserName `json:"userId"`
	CreatedOn apiTime         `json:"createdOn"`
}

func newReplyJSON(r domain.Reply) replyJSON {
	return replyJSON{r.ID, r.Text, r.UserID, apiTime(r.CreatedOn)}
}

// listReplies lists the replies to a post. It reads the post too, because replies may be left of one that was deleted.
func (s *server) listReplies(c echo.Context, _ visitor, in domain.Channel) error {
	limit, err := queryLimit(c)
	if err != nil {
		return err
	}
	id, err := blogID(c)
	if err != nil {
		return err
	}
	var found storage.Page[domain.Reply]
	err = s.store.Concurrently(c.Request().Context(), func(ctx context.Context) error {
		_, err := s.store.Posts.Get(ctx, in.Ref(), id)
		return err
	}, func(ctx context.Context) (err error) {
		found, err = s.replies(ctx, in.Ref(), id, c.QueryParam("after"), limit, func(r domain.Reply) int { return 2*len(r.Text) + replyOverhead })
		return err
	})
	return respondList(c, err, found, newReplyJSON)
}

// createReply makes one reply, even if the request is sent several times.
func (s *server) createReply(c echo.Context, v visitor, in domain.Channel) error {
	var text string
	key, keyErr := idempotencyKey(c.Request().Header)
	textErr := readFields(c, required("text", &text))
	if textErr == nil {
		text, textErr = domain.ParseText(text)
	}
	if err := domain.JoinInvalid(keyErr, textErr); err != nil {
		return err
	}
	reply, made, err := s.reply(c, v, storage.NewReply{Channel: in, By: v.User, Key: cmp.Or(key, rand.Text()), Text: text})
	if errors.Is(err, domain.ErrPostGone) {
		return explain(err, http.StatusText(http.StatusGone), "There is no such post, or not any more. Nothing was saved.")
	}
	if err == nil {
		c.Response().Header().Set(echo.HeaderLocation, apiChannelPath(in.Name)+"/blogs/"+string(reply.Post)+"/replies/"+string(reply.ID))
	}
	return respond(c, err, madeStatus(made), newReplyJSON(reply))
}

// showYours lists what the visitor wrote, and what they replied to, the latest answered first.
func (s *server) showYours(c echo.Context, v visitor) error {
	var written storage.Page[storage.FeedItem]
	var answered []storage.FeedItem
	err := s.store.Concurrently(c.Request().Context(), func(ctx context.Context) (err error) {
		written, err = s.store.Feeds.BlogsBy(ctx, v.User, "", templates.MaxYours)
		return err
	}, func(ctx context.Context) (err error) {
		answered, err = s.store.Feeds.RepliedTo(ctx, v.User, templates.MaxYours)
		return err
	})
	var posts []templates.Post
	for i, item := range slices.Concat(written.Items, answered) {
		if i < len(written.Items) || item.UserID != v.User { // else the page has it, or it is older
			posts = append(posts, templates.Post{Blog: item.Blog, In: item.Name})
		}
	}
	slices.SortStableFunc(posts, func(a, b templates.Post) int { return b.RepliedOn.Compare(a.RepliedOn) })
	return show(s, c, v, err, templates.YoursPage, posts)
}

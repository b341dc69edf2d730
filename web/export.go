package web

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"mime"
	"net/http"
	"regexp"
	"time"

	"github.com/labstack/echo/v4"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/templates"
)

// exportPage is how many posts, channels or votes an export has in memory together.
const exportPage = 100

// exportRetry is the Retry-After of an export while others run.
const exportRetry = 30 * time.Second

// exportTime is how long an export may take: a line of 1 Mbit/s gets 450 MB in it, which is more than a GB of texts.
// Otherwise clients that read slowly would keep the places of all exports for ever.
const exportTime = time.Hour

// export sends all that the visitor has here as a zip, which is made while it is sent. If the store
// fails on the way, or the session or the time ends, the connection is cut, so that a part is not taken for the whole.
func (s *server) export(c echo.Context, v visitor) error {
	if !s.exports.take(v.User, 1) {
		return refuseFor(exportRetry, http.StatusServiceUnavailable, "Your export is still running",
			"You can run one export at a time, and each holds all your data. Wait until it has finished.")
	}
	defer s.exports.give(v.User, 1)
	client := s.admission.clientAddress(c.Request())
	if !s.exporting.take(client, 1) {
		return refuseFor(exportRetry, http.StatusServiceUnavailable, "Too many exports are running",
			"Others are downloading their data, here or at your address. Yours has not begun.")
	}
	defer s.exporting.give(client, 1)
	user, err := s.store.Accounts.Get(c.Request().Context(), v.User)
	if err != nil {
		return err
	}
	if user.Leaves() { // nothing of theirs can be read
		return explain(domain.ErrAccountEnds, "Your account is being deleted", "Undo that first, and then download your data.",
			templates.Link{Label: "Undo the deletion", URL: templates.EraseAccountPath})
	}
	name := fmt.Sprintf("microblogging-%s-%s.zip", user.Name, time.Now().UTC().Format(time.DateOnly))
	c.Response().Header().Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	ctx, cancel := context.WithTimeout(exchangeOf(c).unlimited, exportTime)
	defer cancel()
	to := s.openStream(ctx, c, v, "application/zip")
	if c.Request().Method == http.MethodHead {
		return nil
	}
	e := export{store: s.store, user: user, origin: s.origin(c.Request()), to: to, zip: zip.NewWriter(to)}
	if err := e.write(ctx); err != nil {
		s.Logger.LogAttrs(ctx, slog.LevelWarn, "could not complete an export", slog.Any("error", err))
		panic(http.ErrAbortHandler)
	}
	return nil
}

// An export writes what one user has. Posts and votes are read page by page. In memory as a whole are
// subscriptions, the channels that the user wrote to, and the IDs of the posts there: about 130 bytes
// for each post.
type export struct {
	store  *storage.Store
	to     *stream
	zip    *zip.Writer
	user   domain.User
	origin string
}

func (e export) write(ctx context.Context) error {
	for _, part := range []func(context.Context) error{e.profile, e.subscriptions, e.votes, e.replies, e.channels, e.posts} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return e.zip.Close()
}

func (e export) profile(context.Context) error {
	return e.json("profile.json", userJSON{e.user.Name, apiTime(e.user.CreatedOn)})
}

func (e export) subscriptions(ctx context.Context) error {
	subscriptions, err := e.store.Subscriptions.ListAll(ctx, e.user.Name)
	if err != nil {
		return err
	}
	list := []subscriptionJSON{}
	for _, s := range subscriptions {
		list = append(list, newSubscriptionJSON(s))
	}
	return e.json("subscriptions.json", list)
}

// create adds a file of now. It looks at the session before: the rows of the file are read after that.
func (e export) create(name string) (io.Writer, error) {
	if err := e.to.look(); err != nil {
		return nil, err
	}
	return e.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Now()})
}

// json adds a file with one value.
func (e export) json(name string, value any) error {
	w, err := e.create(name)
	if err == nil {
		err = json.NewEncoder(w).Encode(value)
	}
	return err
}

// A voteJSON is a post that the user has voted on.
type voteJSON struct {
	Channel domain.ChannelName `json:"channel"`
	ID      domain.BlogID      `json:"id"`
	URL     string             `json:"url"`
}

func (e export) votes(ctx context.Context) error {
	votes := pages(func(after string) (storage.Page[storage.FeedItem], error) {
		return e.store.Feeds.VotesBy(ctx, e.user.Name, after, exportPage)
	})
	return exportList(e, "votes.json", "[", votes, ",", "]\n", func(on storage.FeedItem) (string, error) {
		return jsonLine(voteJSON{on.Name, on.ID, e.origin + templates.BlogPath(on.Name, on.Blog)})
	})
}

// A writtenReplyJSON is a reply that the user wrote, with the post that it answers.
type writtenReplyJSON struct {
	Channel domain.ChannelName `json:"channel"`
	Post    domain.BlogID      `json:"post"`
	URL     string             `json:"url"`
	replyJSON
}

func (e export) replies(ctx context.Context) error {
	replies := pages(func(after string) (storage.Page[storage.WrittenReply], error) {
		return e.store.Feeds.RepliesBy(ctx, e.user.Name, after, exportPage)
	})
	return exportList(e, "replies.json", "[", replies, ",", "]\n", func(r storage.WrittenReply) (string, error) {
		return jsonLine(writtenReplyJSON{r.To.Name, r.Post, e.origin + templates.BlogPath(r.To.Name, r.To.Blog), newReplyJSON(r.Reply)})
	})
}

// channels adds each channel that the user owns, with everybody's posts and the replies to them.
func (e export) channels(ctx context.Context) error {
	for owned, err := range pages(func(after string) (storage.Page[domain.Channel], error) {
		return e.store.Channels.ListOwned(ctx, e.user.Name, after, exportPage)
	}) {
		if err != nil {
			return err
		}
		for _, channel := range owned {
			about := emptyFeedOf(channel, e.origin)
			about.FeedURL = e.origin + templates.ChannelJSONFeedPath(channel.Name)
			err := e.feed(ctx, "channels/", channel, about, e.withReplies(ctx, pages(func(after string) (storage.Page[domain.Blog], error) {
				return e.store.Posts.List(ctx, channel.Ref(), storage.BlogQuery{After: after, Limit: exportPage})
			})))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// An exported is a post, or a reply to it.
type exported struct {
	post  domain.Blog
	reply *domain.Reply
}

// withReplies yields posts, each with the replies to it after it.
func (e export) withReplies(ctx context.Context, posts iter.Seq2[[]domain.Blog, error]) iter.Seq2[[]exported, error] {
	return func(yield func([]exported, error) bool) {
		for some, err := range posts {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, post := range some {
				if !yield([]exported{{post: post}}, nil) {
					return
				}
				if post.RepliedOn.IsZero() {
					continue
				}
				for replies, err := range pages(func(after string) (storage.Page[domain.Reply], error) {
					return e.store.Posts.Replies(ctx, post.Channel, post.ID, after, exportPage)
				}) {
					page := make([]exported, len(replies))
					for i := range replies {
						page[i] = exported{post, &replies[i]}
					}
					if !yield(page, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// posts adds what the user wrote in the channels of others, a file for each channel.
func (e export) posts(ctx context.Context) error {
	wrote, err := e.store.Feeds.WroteTo(ctx, e.user.Name)
	if err != nil {
		return err
	}
	for _, in := range wrote {
		channel, err := e.store.Channels.Get(ctx, in.Channel.Key.Address())
		switch {
		case errors.Is(err, domain.ErrNotFound), errors.Is(err, domain.ErrGone):
			continue
		case err != nil:
			return err
		case channel.Incarnation != in.Channel.Incarnation || channel.Owner == e.user.Name:
			continue
		}
		channel.About = domain.About{} // the owner's words
		about := emptyFeedOf(channel, e.origin)
		about.Title = fmt.Sprintf("Posts of @%s in %s", e.user.Name, channel.Name)
		written := func(yield func([]exported, error) bool) { // the replies are in replies.json, or of others
			for items, err := range e.store.Feeds.WrittenTo(ctx, e.user.Name, in) {
				page := make([]exported, len(items))
				for i, item := range items {
					page[i].post = item.Blog
				}
				if !yield(page, err) {
					return
				}
			}
		}
		if err := e.feed(ctx, "posts/", channel, about, written); err != nil {
			return err
		}
	}
	return nil
}

// feed adds two files with the posts of a channel, newest first: a JSON Feed, which import reads,
// and Markdown, for people. Each is read for itself, so a post that comes meanwhile may be in one.
// A channel whose deletion begins meanwhile may have lost posts that were not read yet. So it is
// read again, and then the export fails.
func (e export) feed(ctx context.Context, folder string, channel domain.Channel, about feed, posts iter.Seq2[[]exported, error]) error {
	name := exportFile(channel)
	head, err := json.Marshal(about)
	if err != nil {
		return err
	}
	head = bytes.TrimSuffix(head, []byte("]}")) // the items are its last member
	err = exportList(e, folder+name+".json", string(head), posts, ",", "]}\n", func(x exported) (string, error) {
		item := feedItemOf(channel.Name, x.post, e.origin)
		if x.reply != nil {
			item = feedItemOfReply(*x.reply, item, e.origin)
		}
		item.Markdown = &struct{}{}
		return jsonLine(item)
	})
	if err != nil {
		return err
	}
	begin := "# " + asTyped(about.Title) + "\n"
	for _, field := range channel.Fields() {
		if *field.Text != "" {
			begin += "\n" + asCode(*field.Text) + "\n"
		}
	}
	err = exportList(e, folder+name+".md", begin, posts, "", "", func(x exported) (string, error) {
		post, title := x.post, ""
		switch {
		case x.reply != nil:
			title = "### Reply to " + asTyped(post.UserID.Handle()) + "\n\n"
			post.Text, post.UserID, post.CreatedOn = x.reply.Text, x.reply.UserID, x.reply.CreatedOn
		case post.Title != "":
			title = "## " + asTyped(post.Title) + "\n\n"
		}
		return fmt.Sprintf("\n%s%s\n\n%s, %s\n\n---\n", title, asCode(post.Text), asTyped(post.UserID.Handle()), feedTime(post.CreatedOn)), nil
	})
	if err != nil {
		return err
	}
	now, err := e.store.Channels.Get(ctx, channel.Key().Address())
	if err == nil && now.Incarnation != channel.Incarnation {
		err = domain.ErrGone
	}
	return err
}

// deviceName is a name that Windows keeps for a device, whatever follows the first dot. It has no such file.
var deviceName = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// maxFileName is how many bytes of a channel's name fit into the name of a file: most systems allow 255, with the ending.
const maxFileName = 240

// exportFile is the name of a channel's files, without their endings. It is that of the channel where every system can have such a
// file; else it begins with "_", as no channel's name does. Two files also differ for a system that ignores case or normalization,
// because their channels have different keys.
func exportFile(channel domain.Channel) string {
	switch name := string(channel.Name); {
	case len(name) > maxFileName:
		return "_" + string(channel.Incarnation)
	case deviceName.MatchString(name):
		return "_" + name
	default:
		return name
	}
}

// lineEnd is what a program may take for the end of a line, of the characters that a text can have.
var lineEnd = regexp.MustCompile("[\n\u2028\u2029]")

// asCode shows a text as it was typed in the Markdown of an export: as a block of code. Each line of a text is indented, and no
// other line of the file is. Otherwise a post could show what looks like further posts of other users: with lines as those between
// posts, or with HTML, which many programs show.
func asCode(text string) string { return "    " + lineEnd.ReplaceAllString(text, "$0    ") }

// inlineMark is a character that Markdown may take for a mark within a line.
var inlineMark = regexp.MustCompile("[\\\\`*_~<&#$\\[\\]{}]")

// asTyped shows a title or a name as it was typed in the Markdown of an export.
func asTyped(line string) string { return inlineMark.ReplaceAllString(line, `\$0`) }

// exportList adds a file that holds items, with something between each two, between two texts.
func exportList[T any](e export, name, begin string, items iter.Seq2[[]T, error], between, end string, written func(T) (string, error)) error {
	file, err := e.create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file) // keeps the first error for Flush
	_, _ = w.WriteString(begin)
	begun := false
	for some, err := range items {
		if err != nil {
			return err
		}
		for _, item := range some {
			text, err := written(item)
			if err != nil {
				return err
			}
			if begun {
				_, _ = w.WriteString(between)
			}
			begun = true
			_, _ = w.WriteString(text)
		}
	}
	_, _ = w.WriteString(end)
	return w.Flush()
}

// jsonLine is an element of a JSON array, on a line of its own.
func jsonLine(element any) (string, error) {
	encoded, err := json.Marshal(element)
	return "\n" + string(encoded), err
}

// pages yields the pages of a list, until its end or an error. read reads the page after another.
func pages[T any](read func(after string) (storage.Page[T], error)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		after := ""
		for {
			page, err := read(after)
			if !yield(page.Items, err) || err != nil || page.Next == "" {
				return
			}
			after = page.Next
		}
	}
}

package templates

import (
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// A Draft is the form for a new post.
type Draft struct {
	Form
	domain.Draft
	// Key is the idempotency key: a form that is sent twice makes one post. Each
	// new form has a new key; a refused form keeps its key.
	Key string
}

// A Blog is the permalink page of one post. Its forms post incarnation to [BlogPath],
// and action=vote or action=unvote; action=delete and etag.
type Blog struct {
	Post      Post
	CanEdit   bool
	CanDelete bool
	// CanBlock and CanUnblock say that the reader may keep the author from posting to the channel,
	// or let them again. Those forms post action=block or action=unblock, and person.
	CanBlock, CanUnblock bool
}

func (v Blog) frame(page Page) Frame {
	return Frame{
		Title:   Headline(v.Post.Title, v.Post.Text) + " · " + string(v.Post.In),
		About:   excerpt(v.Post.Text),
		Path:    v.Post.path(),
		Kind:    "article",
		Channel: v.Post.In,
		Scripts: listScripts(page),
	}
}

// A Post is one post as a reader sees it. In a list it has a form that posts action=vote or
// action=unvote, next and incarnation to [BlogPath]. If the page does not know whether the
// reader votes for it, the form gives the vote: to give it twice changes nothing.
type Post struct {
	domain.Blog
	// In is the name of its channel.
	In domain.ChannelName
	// Rendered is Text as HTML, or its beginning if it is Folded.
	Rendered markdown.HTML
	Folded   bool
	// Voted reports whether the reader is known to vote for it.
	Voted bool
}

// ETag is the version of the post, which the form that deletes it sends as etag. It holds the revision,
// which an edit changes, and the rating, which a vote changes.
func (p *Post) ETag() string { return BlogETag(p.Blog) }

// BlogETag is the entity tag of a post.
func BlogETag(b domain.Blog) string {
	return `"` + string(b.Revision) + "-" + strconv.FormatInt(b.Rating, 10) + `"`
}

func (p *Post) path() string { return BlogPath(p.In, p.Blog) }

// sign shows how many have voted for the post, and whether the reader has.
func (p *Post) sign() string {
	sign := "△"
	if p.Voted {
		sign = "▲"
	}
	if p.Rating == 0 {
		return sign
	}
	return sign + " " + count(p.Rating)
}

// vote returns what the button next to a post does, and its label for screen readers.
func (p *Post) vote() (action, label string) {
	if p.Voted {
		return "unvote", "Take back your vote for " + called(p)
	}
	return "vote", "Vote for " + called(p)
}

// maxHeadline is the greatest length of a headline that is made of a text, in characters.
const maxHeadline = 60

// Headline is a post's title in a feed, and of its page. If the post has none, it is the first words
// of its text.
func Headline(title, text string) string {
	if title != "" {
		return title
	}
	return cut(text, maxHeadline)
}

// listScripts are the scripts of a page with a list of posts.
func listScripts(page Page) []string {
	if page.User == "" {
		return nil
	}
	return []string{"vote.js"}
}

// Anchor is the fragment of the post in a list.
func Anchor(id domain.BlogID) string { return "post-" + string(id) }

// called names a post within a sentence.
func called(p *Post) string {
	if title := strings.TrimSpace(p.Title); title != "" {
		return "“" + title + "”"
	}
	return "the post by @" + string(p.UserID)
}

// A Preview is a text as its post would show it. The forms for posts send title and text to
// [PreviewPath], into a tab of its own, so that the form stays as it is.
type Preview struct {
	Form
	Title    string
	Rendered markdown.HTML
}

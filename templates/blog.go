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
	// First reports whether the text has the focus.
	First bool
}

// A Post is one post as a reader sees it. Its forms post incarnation to [BlogPath], and action=vote or
// action=unvote, and next; action=delete, and etag; action=block or action=unblock, and person. If the page
// does not know whether the reader votes for it, the form gives the vote: to give it twice changes nothing.
type Post struct {
	domain.Blog
	// In is the name of its channel.
	In domain.ChannelName
	// Rendered is Text as HTML, or its beginning if it is Folded.
	Rendered markdown.HTML
	Folded   bool
	// Marked is Title with marks, where the post was found.
	Marked markdown.HTML
	// Voted reports whether the reader is known to vote for it.
	Voted bool
	// New reports whether it is of another user, and newer than what the reader of a feed has seen.
	New bool
	// MayNotReply reports whether the reader is known not to be allowed to reply.
	MayNotReply bool
	// CanEdit and CanDelete say what the reader may do with it.
	CanEdit, CanDelete bool
	// AsOperator reports whether they may delete it only because they act for the site.
	AsOperator bool
	// CanBlock and CanUnblock say that the reader may keep the author from posting to the channel,
	// or let them again.
	CanBlock, CanUnblock bool
}

// ETag is the version of the post, which the form that deletes it sends as etag. It holds the revision,
// which an edit changes, the rating, which a vote changes, and when it was last replied to.
func (p *Post) ETag() string { return BlogETag(p.Blog) }

// BlogETag is the entity tag of a post.
func BlogETag(b domain.Blog) string {
	tag := string(b.Revision) + "-" + strconv.FormatInt(b.Rating, 10)
	if !b.RepliedOn.IsZero() {
		tag += "-" + strconv.FormatInt(b.RepliedOn.UnixNano(), 36)
	}
	return `"` + tag + `"`
}

func (p *Post) path() string { return BlogPath(p.In, p.Blog) }

// menu reports whether the reader may do something with the post besides voting for it.
func (p *Post) menu() bool { return p.CanEdit || p.CanDelete || p.CanBlock || p.CanUnblock }

// number is how many vote for the post. It is empty if none does.
func (p *Post) number() string {
	if p.Rating == 0 {
		return ""
	}
	return count(p.Rating)
}

// vote returns what the button next to a post does, and its label for screen readers.
func (p *Post) vote() (action, label string) {
	if p.Voted {
		return "unvote", p.votes("Take back your vote for " + called(p))
	}
	return "vote", p.votes("Vote for " + called(p))
}

// votes adds to a label how many vote for the post.
func (p *Post) votes(label string) string {
	if p.Rating == 0 {
		return label
	}
	return label + ", " + counted(p.Rating, "vote")
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
	return []string{"post.js"}
}

// writes adds to the frame of a list of posts what the form for a post needs, if the page has it.
func writes(f Frame, page Page, composer bool) Frame {
	f.Scripts = listScripts(page)
	if f.Writes = composer; composer {
		f.Scripts = append(f.Scripts, draftScripts...)
	}
	return f
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

// A Preview is a draft as its post would show it. The forms for posts send it to
// [PreviewPath], into a tab of its own, so that the form stays as it is.
type Preview struct {
	Form
	domain.Draft
	// Rendered is Text as HTML.
	Rendered markdown.HTML
}

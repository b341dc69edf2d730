package templates

import (
	"strings"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// A Draft is the form for a new post.
type Draft struct {
	Form
	Title string
	Text  string
	// Key is the idempotency key: a form that is sent twice makes one post. Each
	// new form has a new key; a refused form keeps its key.
	Key string
}

// draft is like Form.draft, for a form that may also be filled in without an error.
func (d Draft) draft() string {
	if d.begun() {
		return "sent"
	}
	return ""
}

// begun says that the form has something to show: words, or why it was refused.
func (d Draft) begun() bool { return d.failed() || d.Title != "" || d.Text != "" }

// A Blog is the permalink page of one post. Its forms post incarnation to [BlogPath],
// and action=vote or action=unvote; action=delete and etag.
type Blog struct {
	Channel domain.ChannelName
	Post    Post
	// Voted says that the reader votes for the post.
	Voted bool
	// ETag is the version on the page. The form deletes only this version.
	ETag      string
	CanEdit   bool
	CanDelete bool
}

func (v Blog) frame() frame {
	return frame{
		Title:   postTitle(v.Post) + " · " + string(v.Channel),
		About:   excerpt(v.Post.Text),
		Path:    BlogPath(v.Channel, v.Post.ID),
		Article: true,
		Channel: v.Channel,
	}
}

// A Post is one post as a reader sees it.
type Post struct {
	domain.Blog
	// Rendered is Text as HTML, or its beginning if it is Folded.
	Rendered markdown.HTML
	Folded   bool
	// Voted says that the reader is known to vote for it.
	Voted bool
}

// postTitle names a post in the document's title.
func postTitle(p Post) string {
	if p.Title != "" {
		return p.Title
	}
	return "Post by @" + string(p.UserID)
}

// listScripts are the scripts of a page with a list of posts.
func listScripts(page Page) []string {
	if page.User == "" {
		return nil
	}
	return []string{"vote.js"}
}

// A byline is a post in a list, or at the head of its own page: its heading, who wrote
// it, when, when it was edited, and how many people vote for it.
type byline struct {
	post *Post
	// channel is the path of the post's channel.
	channel string
	// name is the name of the post's channel. It is empty if the page shows only
	// one channel.
	name domain.ChannelName
	// alone says that this is the post's own page.
	alone bool
	// level is the level of the heading, 2 or 3.
	level int
	// voter says that the reader can vote in the list.
	voter bool
	// here is the path of the page, to which a vote returns.
	here string
}

// link is the path of the post.
func (v *byline) link() string { return v.channel + "/blogs/" + string(v.post.ID) }

// A Vote is a form in a list of posts, and how many people vote for the post. It posts
// action=vote or action=unvote, next and incarnation to [BlogPath]. If the page does not
// know whether the reader votes for the post, the form gives the vote: to give it twice
// changes nothing.
type Vote struct {
	Channel domain.ChannelName
	Post    Post
	// Here is the path of the list.
	Here string
	// Said is the sentence that confirms what the last request did. It may be empty.
	Said string
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

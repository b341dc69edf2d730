package templates

import (
	"time"

	"microblogging/templates/markdown"
)

// A Post is one post as a reader sees it.
type Post struct {
	ID string
	// Incarnation is that of the post's channel.
	Incarnation string
	// Title is empty if the post has none.
	Title string
	Text  string
	// Rendered is Text as HTML, or its beginning if it is Folded.
	Rendered markdown.HTML
	Folded   bool
	Author   string
	// Rating is how many people vote for it.
	Rating int64
	// Voted says that the reader is known to be one of them.
	Voted     bool
	CreatedOn time.Time
	// EditedOn is zero if the post was never edited.
	EditedOn time.Time
}

// postTitle names a post in the document's title.
func postTitle(p Post) string {
	if p.Title != "" {
		return p.Title
	}
	return "Post by @" + p.Author
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
	name string
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
func (v *byline) link() string { return v.channel + "/blogs/" + v.post.ID }

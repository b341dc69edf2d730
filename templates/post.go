package templates

import (
	"microblogging/domain"
	"microblogging/templates/markdown"
)

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

package templates

import (
	"strings"

	"microblogging/domain"
)

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

package templates

import (
	"strings"

	"github.com/a-h/templ"
)

// A Vote is a form in a list of posts, and how many people vote for the post. It posts
// action=vote or action=unvote, next and incarnation to [BlogPath]. If the page does not
// know whether the reader votes for the post, the form gives the vote: to give it twice
// changes nothing.
type Vote struct {
	Channel string
	Post    Post
	// Here is the path of the list.
	Here string
	// Said is the sentence that confirms what the last request did. It may be empty.
	Said string
}

// VoteForm is the form alone. The script puts it in the place of the one that was sent.
func VoteForm(v Vote) templ.Component {
	line := &byline{post: &v.Post, channel: ChannelPath(v.Channel), here: v.Here}
	return new(scratch).component(func(b []byte) []byte { return line.appendForm(b, v.Said) })
}

// Anchor is the fragment of the post in a list.
func Anchor(id string) string { return "post-" + id }

func (v *byline) appendVote(b []byte) []byte { return v.appendForm(b, "") }

func (v *byline) appendForm(b []byte, said string) []byte {
	b = append(b, `<form class="vote" method="post" action="`...)
	b = appendEscaped(b, v.channel)
	b = append(b, "/blogs/"...)
	b = appendEscaped(b, v.post.ID)
	if said != "" {
		b = append(b, `" data-said="`...)
		b = appendEscaped(b, said)
	}
	b = append(b, `"> · `...) // within the form: paper shows neither
	if v.post.Rating != 0 {
		b = append(b, votes(v.post.Rating)...)
		b = append(b, " · "...)
	}
	action, label := "vote", "Vote"
	if v.post.Voted {
		action, label = "unvote", "Take back your vote"
	}
	b = appendHidden(b, "action", action)
	b = appendHidden(b, "next", v.here)
	b = appendHidden(b, "incarnation", v.post.Incarnation)
	b = append(b, `<button class="plain">`...)
	b = append(b, label...)
	b = append(b, `<span class="unseen"> for `...)
	b = appendEscaped(b, called(v.post))
	return append(b, "</span></button></form>"...)
}

// called names a post within a sentence.
func called(p *Post) string {
	if title := strings.TrimSpace(p.Title); title != "" {
		return "“" + title + "”"
	}
	return "the post by @" + p.Author
}

func appendHidden(b []byte, name, value string) []byte {
	b = append(b, `<input type="hidden" name="`...)
	b = append(b, name...)
	b = append(b, `" value="`...)
	b = appendEscaped(b, value)
	return append(b, `">`...)
}

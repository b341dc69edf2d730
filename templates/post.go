package templates

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"microblogging/markdown"
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
	Rating    int64
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

// A byline says who wrote a post, when, when it was edited, and how many people
// vote for it.
type byline struct {
	post *Post
	now  time.Time
	// channel is the path of the post's channel.
	channel string
	// name is the name of the post's channel. It is empty if the page shows only
	// one channel.
	name string
	// alone says that this is the post's own page. On other pages the time is a
	// link to it.
	alone bool
}

func (s *scratch) byline(v *byline) templ.Component { return s.component(v.append) }

func (v *byline) append(b []byte) []byte {
	b = append(b, `<p class="meta"><b><a href="/users/`...)
	b = appendEscaped(b, v.post.Author)
	b = append(b, `">@`...)
	b = appendEscaped(b, v.post.Author)
	b = append(b, "</a></b>"...)
	if v.name != "" {
		b = append(b, " in "...)
		b = v.appendLink(b)
		b = append(b, `"><bdi>`...)
		b = appendEscaped(b, v.name)
		b = append(b, "</bdi></a>"...)
	}
	b = append(b, " · "...)
	if !v.alone {
		b = v.appendLink(b)
		b = append(b, "/blogs/"...)
		b = appendEscaped(b, v.post.ID)
		b = append(b, `">`...)
	}
	b = appendTime(b, v.post.CreatedOn, v.now)
	if !v.alone {
		b = append(b, "</a>"...)
	}
	if !v.post.EditedOn.IsZero() {
		b = append(b, " · edited "...)
		b = appendTime(b, v.post.EditedOn, v.now)
	}
	if v.post.Rating != 0 {
		b = append(b, " · "...)
		b = v.appendLink(b)
		b = append(b, "?rating="...)
		b = strconv.AppendInt(b, v.post.Rating, 10)
		b = append(b, `">`...)
		b = append(b, votes(v.post.Rating)...)
		b = append(b, "</a>"...)
	}
	return append(b, "</p>"...)
}

// appendLink appends the beginning of a link: the path of the channel, to which
// the caller may add.
func (v *byline) appendLink(b []byte) []byte {
	b = append(b, `<a href="`...)
	return appendEscaped(b, v.channel)
}

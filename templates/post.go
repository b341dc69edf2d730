package templates

import (
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// A Post is one post as a reader sees it.
type Post struct {
	ID string
	// Title may be empty.
	Title  string
	Text   string
	Author string
	// Rating is how many vote for it.
	Rating    int64
	CreatedOn time.Time
	// EditedOn is zero if the post was never edited.
	EditedOn time.Time
}

// postTitle names a post in the title of a document.
func postTitle(p Post) string {
	if p.Title != "" {
		return p.Title
	}
	return "Post by " + p.Author
}

// A byline says who wrote a post, when, whether it was edited since, and how
// many vote for it.
type byline struct {
	post *Post
	now  time.Time
	// channel is the path of the post's channel.
	channel string
	// name is the channel's, where posts of several channels meet; empty where
	// the page says it.
	name string
	// alone is set on the post's own page: elsewhere the time leads there.
	alone bool
}

func (s *scratch) byline(v *byline) templ.Component { return s.component(v.append) }

func (v *byline) append(b []byte) []byte {
	b = append(b, `<p class="meta"><b>`...)
	b = appendEscaped(b, v.post.Author)
	b = append(b, "</b>"...)
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

// appendLink begins a link to the channel, or to what is below it.
func (v *byline) appendLink(b []byte) []byte {
	b = append(b, `<a href="`...)
	return appendEscaped(b, v.channel)
}

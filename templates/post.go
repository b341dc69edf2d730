package templates

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

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
	now  time.Time
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

func (s *scratch) byline(v *byline) templ.Component { return s.component(v.append) }

func (s *scratch) heading(v *byline) templ.Component { return s.component(v.appendHeading) }

// appendHeading appends the title, which is a link to the post. A post without one gets
// a heading for those who jump from heading to heading.
func (v *byline) appendHeading(b []byte) []byte {
	level := strconv.Itoa(v.level)
	b = append(b, "<h"...)
	b = append(b, level...)
	if v.voter {
		b = append(b, ` id="`...)
		b = appendEscaped(b, Anchor(v.post.ID))
		b = append(b, '"')
	}
	if v.post.Title != "" {
		b = append(b, ` dir="auto">`...)
		b = v.appendPostLink(b)
		b = appendEscaped(b, v.post.Title)
		b = append(b, "</a>"...)
	} else {
		b = append(b, ` class="unseen">Post by @`...)
		b = appendEscaped(b, v.post.Author)
		b = append(b, ", "...)
		b = append(b, relative(v.now.Sub(v.post.CreatedOn))...)
	}
	b = append(b, "</h"...)
	b = append(b, level...)
	return append(b, '>')
}

func (v *byline) append(b []byte) []byte {
	element := "p"
	if v.voter {
		element = "div" // a paragraph holds no form
	}
	b = append(b, '<')
	b = append(b, element...)
	b = append(b, ` class="meta"><b><a href="/users/`...)
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
	// The title is the link to the post, if there is one.
	if linked := !v.alone && v.post.Title == ""; linked {
		b = v.appendPostLink(b)
		b = appendTime(b, v.post.CreatedOn, v.now)
		b = append(b, "</a>"...)
	} else {
		b = v.appendTime(b, v.post.CreatedOn)
	}
	if !v.post.EditedOn.IsZero() {
		b = append(b, " · edited "...)
		b = v.appendTime(b, v.post.EditedOn)
	}
	if v.voter {
		b = v.appendVote(b)
	} else if v.post.Rating != 0 {
		b = append(b, " · "...)
		b = append(b, votes(v.post.Rating)...)
	}
	b = append(b, "</"...)
	b = append(b, element...)
	return append(b, '>')
}

// appendTime appends an instant, on the post's own page exactly.
func (v *byline) appendTime(b []byte, t time.Time) []byte {
	if !v.alone {
		return appendTime(b, t, v.now)
	}
	b = append(appendExact(b, t), " ("...)
	return append(appendTime(b, t, v.now), ')')
}

// appendLink appends the beginning of a link: the path of the channel, to which
// the caller may add.
func (v *byline) appendLink(b []byte) []byte {
	b = append(b, `<a href="`...)
	return appendEscaped(b, v.channel)
}

// appendPostLink appends the beginning of a link to the post.
func (v *byline) appendPostLink(b []byte) []byte {
	b = v.appendLink(b)
	b = append(b, "/blogs/"...)
	b = appendEscaped(b, v.post.ID)
	return append(b, `">`...)
}

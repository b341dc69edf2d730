package templates

import (
	"time"

	"github.com/a-h/templ"
)

// A Post is one post as a reader sees it.
type Post struct {
	ID string
	// Title may be empty.
	Title     string
	Text      string
	Author    string
	CreatedOn time.Time
	// EditedOn is zero if the post was never edited.
	EditedOn time.Time
}

// A Draft is a post that is being written: title, text, and key, which makes
// sending the form twice one post.
type Draft struct {
	Form
	Title string
	Text  string
	// Key is the idempotency key, minted afresh for each new form, and kept
	// when a refused one comes back.
	Key string
}

// A Blog is the permalink page of one post. Deleting it posts action=delete and
// etag to [BlogPath].
type Blog struct {
	Channel string
	Post    Post
	// ETag is the version that is shown: what is deleted is what was read.
	ETag      string
	CanEdit   bool
	CanDelete bool
}

// An EditBlog is the form that edits a post. It posts title, text and etag to
// [EditBlogPath].
type EditBlog struct {
	Form
	Channel string
	ID      string
	Title   string
	Text    string
	// ETag is the version that saving will replace. If Current is set, it is
	// that one's, so that saving again means it.
	ETag string
	// Current is the post as somebody else saved it in between; nil if nobody
	// did. Title and Text are then what this author typed.
	Current *Post
}

// postTitle names a post in the title of a document.
func postTitle(p Post) string {
	if p.Title != "" {
		return p.Title
	}
	return "Post by " + p.Author
}

// byline says who wrote a post, when, and whether it was edited since. The time
// is the permalink, made of the base and the post's id, unless the base is empty.
func (s *scratch) byline(base string, p *Post, now time.Time) templ.Component {
	return s.component(func(b []byte) []byte {
		b = append(b, `<p class="meta"><b>`...)
		b = appendEscaped(b, p.Author)
		b = append(b, "</b> · "...)
		if base != "" {
			b = append(b, `<a href="`...)
			b = appendEscaped(b, base)
			b = appendEscaped(b, p.ID)
			b = append(b, `">`...)
		}
		b = appendTime(b, p.CreatedOn, now)
		if base != "" {
			b = append(b, "</a>"...)
		}
		if !p.EditedOn.IsZero() {
			b = append(b, " · edited "...)
			b = appendTime(b, p.EditedOn, now)
		}
		return append(b, "</p>"...)
	})
}

func byline(p *Post, now time.Time) templ.Component { return new(scratch).byline("", p, now) }

package web

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"

	"microblogging/domain"
	"microblogging/templates"
	"microblogging/templates/markdown"
)

const (
	// maxTexts is how many bytes the texts that were rendered may take, about.
	maxTexts = 16 << 20
	// textOverhead is what a text takes besides its HTML, about.
	textOverhead = 400
	// foldedText is how many characters of a text a list shows.
	foldedText = 1200
)

// texts renders texts and keeps those that are used often, because to render one costs
// more than all the rest of it. A text is kept under its incarnation, id and revision. A
// revision never belongs to another text, so what is kept is never stale. A texts is safe
// for concurrent use.
type texts struct{ kept *memory }

// A textKey says which text was rendered, and for which place.
type textKey struct {
	incarnation domain.Incarnation
	id          domain.BlogID
	// revision is that of a post. For a description, which has none, it is the
	// description.
	revision string
	place    place
}

// A place is where a text is on a page.
type place uint8

const (
	inList place = iota
	inDigest
	// inFound is a list whose texts are whole, so that each match is there.
	inFound
	alone
	inFeed
	inThread
)

type text struct {
	html   markdown.HTML
	folded bool
}

func newTexts(limit uint64) texts {
	return texts{otter.Must(&otter.Options[any, any]{
		MaximumWeight: limit,
		Weigher:       func(_, t any) uint32 { return uint32(len(t.(text).html.String()) + textOverhead) },
	})}
}

// post is a post on a page. A list shows the beginning of a long text.
func (t texts) post(in domain.ChannelName, blog domain.Blog, place place) templates.Post {
	rendered := t.blog(blog, place)
	return templates.Post{Blog: blog, In: in, Rendered: rendered.html, Folded: rendered.folded}
}

// posts are posts of a channel, as a reader sees them who votes for some.
func (t texts) posts(in domain.ChannelName, blogs []domain.Blog, place place, voted map[domain.BlogID]bool) []templates.Post {
	posts := make([]templates.Post, len(blogs))
	for i, blog := range blogs {
		posts[i] = t.post(in, blog, place)
		posts[i].Voted = voted[blog.ID]
	}
	return posts
}

// markTime is how long it may take to mark what was found, or to cut out the words around it, since a text can take
// a hundred times as long as another one of its length. The posts after that are shown without.
const markTime = time.Second

// mark marks in posts what was found.
func mark(ctx context.Context, posts []templates.Post, text string) {
	ctx, cancel := context.WithTimeout(ctx, markTime)
	defer cancel()
	find := markdown.NewFinder(text)
	for i := range posts {
		if ctx.Err() != nil {
			return
		}
		p := &posts[i]
		p.Rendered, p.Marked = find.Mark(p.Rendered), find.Mark(markdown.Literal(p.Title))
	}
}

// around sets in posts the words around what was found.
func around(ctx context.Context, posts []blogJSON, text string) {
	ctx, cancel := context.WithTimeout(ctx, markTime)
	defer cancel()
	find := markdown.NewFinder(text)
	for i := range posts {
		if ctx.Err() != nil {
			return
		}
		posts[i].Match = find.Around(posts[i].Title, posts[i].Text)
	}
}

// offer sets what a reader may do with posts of a channel. An edit and a reply also need that mayNotPost is empty.
func offer(posts []templates.Post, reader domain.Actor, owner domain.UserName, mayNotPost string) []templates.Post {
	for i := range posts {
		p := &posts[i]
		of := domain.Object{Author: p.UserID, Owner: owner}
		p.CanEdit, p.CanDelete = reader.May(domain.EditPost, of) && mayNotPost == "", reader.May(domain.RemovePost, of)
		p.AsOperator = reader.ByOperator(domain.RemovePost, of) != ""
		p.CanBlock, p.MayNotReply = mayBlock(reader, of), mayNotPost != ""
	}
	return posts
}

// mayBlock reports whether a reader may keep the author of something from posting to its channel.
func mayBlock(reader domain.Actor, of domain.Object) bool {
	return reader.May(domain.ManageChannel, of) && of.Author != reader.User && of.Author != domain.DeletedUser
}

// content is the HTML of a post for a feed.
func (t texts) content(blog domain.Blog) string { return t.blog(blog, inFeed).html.String() }

func (t texts) blog(blog domain.Blog, place place) text {
	return t.rendered(textKey{blog.Channel.Incarnation, blog.ID, string(blog.Revision), place}, blog.Text)
}

// reply is the HTML of a reply. Its ID is like that of no post.
func (t texts) reply(r domain.Reply) markdown.HTML {
	return t.rendered(textKey{incarnation: r.Channel.Incarnation, id: domain.BlogID(r.ID), place: inThread}, r.Text).html
}

// bytesOfReply is how many bytes of a page a reply takes, about.
func (t texts) bytesOfReply(r domain.Reply) int { return len(t.reply(r).String()) + postMarkup }

// postMarkup is how many bytes of a page a post takes besides its text, about.
const postMarkup = 4 << 10

// bytesIn returns how many bytes a post takes in a place on a page, about.
func (t texts) bytesIn(place place) func(domain.Blog) int {
	return func(blog domain.Blog) int { return len(t.blog(blog, place).html.String()) + postMarkup }
}

// description is the HTML of a channel's description.
func (t texts) description(channel domain.Channel) markdown.HTML {
	return t.rendered(textKey{incarnation: channel.Incarnation, revision: channel.Description, place: alone}, channel.Description).html
}

func (t texts) rendered(key textKey, source string) text {
	if kept, ok := t.kept.GetIfPresent(key); ok {
		return kept.(text)
	}
	level, folded := markdown.BelowTitle, false
	switch key.place {
	case inThread:
		level = markdown.BelowDigest
	case inList:
		level = markdown.BelowList
		source, folded = markdown.Cut(source, foldedText)
	case inFound:
		level = markdown.BelowList
	case inDigest:
		level = markdown.BelowDigest
		source, folded = markdown.Cut(source, foldedText)
	}
	rendered := text{markdown.Render(source, level), folded}
	t.kept.Set(key, rendered)
	return rendered
}

package templates

import (
	"time"

	"microblogging/domain"
	"microblogging/templates/markdown"
)

// YoursPath lists the MaxYours newest posts of the reader, and as many of others that they replied to, the latest answered first.
const (
	YoursPath = "/yours"
	MaxYours  = 100
)

// LastPart is the continuation token of the newest replies to a post, as many as a page has. All others are cursors.
const LastPart = "last"

// LastReplies is the page of the post at a path that has its newest replies, and the form.
func LastReplies(path string) string { return continued(path, LastPart) }

// A Reply is a reply to a post as a reader sees it. Its forms post incarnation and next to [BlogPath], with
// action=delete-reply and reply, or with action=block or action=unblock, and person.
type Reply struct {
	domain.Reply
	// Rendered is Text as HTML.
	Rendered markdown.HTML
	// CanDelete says that the reader may delete it, and AsOperator that they may only because they act for the site.
	CanDelete, AsOperator bool
	// CanBlock and CanUnblock say that the reader may keep its author from posting to the channel, or let them again.
	CanBlock, CanUnblock bool
}

// A Thread is a post at its permalink, with a part of its replies, the oldest first. The form for a reply is below the last
// part. It posts text, key, user, next and incarnation to [BlogPath].
type Thread struct {
	Post
	Replies []Reply
	Part
	// MayNotPost says why the reader may not reply. It is empty if they may.
	MayNotPost string
	// Draft is the form. Its title is not used.
	Draft Draft
}

// frame is that of the permalink page.
func (v Thread) frame(page Page) Frame {
	f := Frame{
		Title:   v.Draft.title(Headline(v.Title, v.Text) + " · " + string(v.In)),
		About:   excerpt(v.Text),
		Path:    v.here(),
		Kind:    "article",
		Channel: v.In,
		Scripts: listScripts(page),
		Styles:  []string{"reply.css"},
	}
	if page.User != "" && v.takesReply() {
		f.Scripts = append(f.Scripts, draftScripts...)
	}
	return f
}

// here is the address of the page.
func (v Thread) here() string { return continued(v.path(), v.After) }

// takesReply reports whether the page has the form.
func (v Thread) takesReply() bool { return v.Next == "" && v.MayNotPost == "" }

// filling reports whether the post has several parts of replies, so that its limit matters.
func (v Thread) filling() bool { return v.Part != (Part{}) }

// field is the text of the form.
func (v Thread) field() field {
	text := ReplyDraft.fields(typed(v.Draft.Fields()), "3")[0]
	text.Placeholder = "Your reply"
	return v.Draft.marked(text)
}

// ReplyAnchor is the fragment of a reply on its page of the post.
func ReplyAnchor(id domain.ReplyID) string { return "reply-" + string(id) }

// called names a reply within a sentence.
func (r *Reply) called() string { return "the reply by " + r.UserID.Handle() }

// menu reports whether the reader may do something with the reply.
func (r *Reply) menu() bool { return r.CanDelete || r.CanBlock || r.CanUnblock }

// leadsToReplies reports whether a list leads from a post to its replies, or to the form for the first one.
func (p *Post) leadsToReplies(page Page) bool {
	return !p.RepliedOn.IsZero() || page.User != "" && !p.MayNotReply
}

// replied is when a post was last replied to, for the script that tells its author of new replies. It is empty if it never
// was.
func (p *Post) replied() string {
	if p.RepliedOn.IsZero() {
		return ""
	}
	return p.RepliedOn.UTC().Format(time.RFC3339) // as each time on a page: the script compares them
}

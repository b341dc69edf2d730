package templates

import "microblogging/domain"

// A Draft is the form for a new post.
type Draft struct {
	Form
	Title string
	Text  string
	// Key is the idempotency key: a form that is sent twice makes one post. Each
	// new form has a new key; a refused form keeps its key.
	Key string
}

// draft is like Form.draft, for a form that may also be filled in without an error.
func (d Draft) draft() string {
	if d.begun() {
		return "sent"
	}
	return ""
}

// begun says that the form has something to show: words, or why it was refused.
func (d Draft) begun() bool { return d.failed() || d.Title != "" || d.Text != "" }

// A Blog is the permalink page of one post. Its forms post incarnation to [BlogPath],
// and action=vote or action=unvote; action=delete and etag.
type Blog struct {
	Channel domain.ChannelName
	Post    Post
	// Voted says that the reader votes for the post.
	Voted bool
	// ETag is the version on the page. The form deletes only this version.
	ETag      string
	CanEdit   bool
	CanDelete bool
}

func (v Blog) frame() frame {
	return frame{
		Title:   postTitle(v.Post) + " · " + string(v.Channel),
		About:   excerpt(v.Post.Text),
		Path:    BlogPath(v.Channel, v.Post.ID),
		Article: true,
		Channel: v.Channel,
	}
}

package templates

// An EditBlog is the form that edits a post. It posts title, text and etag to
// [EditBlogPath], and base as well if there is a conflict.
type EditBlog struct {
	Form
	Channel string
	ID      string
	Title   string
	Text    string
	// ETag is the version that saving will replace. If there is a conflict, it is
	// that of the version that stands, so that saving again means it.
	ETag string
	// Conflict is set if somebody saved in between. Title and Text are then what
	// this author typed.
	Conflict *Conflict
}

// A Conflict is two versions of a post that were made from the same one, of
// which the other was saved first.
type Conflict struct {
	// Theirs is the post as it stands, and Revision what that version is called.
	Theirs   Post
	Revision string
	// Base is what the version is called that this author's was made from; empty
	// if it is not known.
	Base string
}

// shortRevision is as much of a revision as tells it from others at a glance.
func shortRevision(revision string) string {
	const enough = 6
	letters := []rune(revision) // a form can claim any
	return string(letters[:min(len(letters), enough)])
}

package templates

import "microblogging/templates/merge"

// An EditBlog is the form that edits a post. It posts title, text, etag, base and
// incarnation to [EditBlogPath]. The form that merges also posts merging=yes.
type EditBlog struct {
	Form
	Channel string
	ID      string
	// Incarnation is that of the post's channel.
	Incarnation string
	Title       string
	Text        string
	// ETag is the version that saving replaces. After a conflict it is the current
	// version, so that saving again overwrites it on purpose.
	ETag string
	// Base is that version, packed. It is empty if it would make the form too large.
	Base string
	// Conflict is not nil if somebody saved another version in between. Then Title
	// and Text are what this author typed.
	Conflict *Conflict
}

// A Conflict is the other version of a post: somebody saved it while this author
// was editing.
type Conflict struct {
	// Theirs is the post as it is now, and Revision is its revision.
	Theirs   Post
	Revision string
	// Base is the revision from which this author started. It is empty if unknown.
	Base string
	// Merged is both changes together. It is nil if the text of Base is unknown.
	Merged *Merged
}

// A Merged has both changes of a post together.
type Merged struct {
	BaseTitle, BaseText string
	Title, Text         merge.Merge
}

// shortRevision is the beginning of a revision, long enough for people to tell two
// apart.
func shortRevision(revision string) string {
	const enough = 6
	letters := []rune(revision) // a form can hold any text
	return string(letters[:min(len(letters), enough)])
}

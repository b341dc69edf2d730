package templates

import (
	"microblogging/domain"
	"microblogging/templates/merge"
)

// An EditBlog is the form that edits a post. It posts title, text, etag, base and
// incarnation to [EditBlogPath]. The form that merges also posts merging=yes.
type EditBlog struct {
	Form
	Channel domain.Channel
	ID      domain.BlogID
	domain.Draft
	// ETag is the version that saving replaces. After a conflict it is the current
	// version, so that saving again overwrites it on purpose.
	ETag string
	// Base is that version: its title, a newline and its text.
	Base string
	// Conflict is not nil if somebody saved another version in between. Then Title
	// and Text are what this author typed.
	Conflict *Conflict
}

// A Conflict is the other version of a post: somebody saved it while this author
// was editing.
type Conflict struct {
	// Theirs is the post as it is now.
	Theirs domain.Blog
	// Base is the revision from which this author started. It is empty if unknown.
	Base domain.Revision
	// Merged is both changes together. It is nil if the text of Base is unknown.
	Merged *Merged
}

// A Merged has both changes of a post together.
type Merged struct {
	Base        domain.Draft
	Title, Text merge.Merge
}

// shortRevision is the beginning of a revision, long enough for people to tell two
// apart.
func shortRevision(revision domain.Revision) string {
	const enough = 6
	letters := []rune(string(revision)) // a form can hold any text
	return string(letters[:min(len(letters), enough)])
}

package templates

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

// A Blog is the permalink page of one post. Voting for it posts action=vote or
// action=unvote to [BlogPath], and deleting it action=delete and etag.
type Blog struct {
	Channel string
	Post    Post
	// Voted says that the reader votes for the post.
	Voted bool
	// ETag is the version that is shown: what is deleted is what was read.
	ETag      string
	CanEdit   bool
	CanDelete bool
}

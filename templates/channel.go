package templates

import (
	"strings"
	"time"
)

// A Directory is the list of channels, at / and at /channels. Its filter is a
// GET form to /channels with the field prefix.
type Directory struct {
	// Prefix is the filter as typed.
	Prefix   string
	Channels []ChannelItem
	// After is the continuation that this page was read from, empty on the first.
	After string
	// Next is the continuation of the next page, empty on the last.
	Next string
}

// A ChannelItem is a channel in the directory.
type ChannelItem struct {
	Name        string
	Owner       string
	Description string
	CreatedOn   time.Time
}

// A Channel is the page of one channel. Whoever is signed in finds a form there
// that posts title, text and key to [ChannelPath].
type Channel struct {
	Name        string
	Owner       string
	Description string
	CreatedOn   time.Time
	// CanManage says that the reader owns the channel.
	CanManage bool

	// Posts are newest first.
	Posts []Post
	// After is the continuation that this page was read from, empty on the
	// newest.
	After string
	// Next is the continuation of the page with older posts, empty on the oldest.
	Next string

	Draft Draft
}

// A NewChannel is the form that creates a channel. It posts name and
// description to [NewChannelPath].
type NewChannel struct {
	Form
	Name        string
	Description string
}

// An EditChannel is the form that changes a channel's description. It posts
// description to [EditChannelPath].
type EditChannel struct {
	Form
	Name        string
	Description string
}

// A DeleteChannel asks the owner to confirm. It posts incarnation to
// [DeleteChannelPath]: what is confirmed is the deletion of this life of the
// channel, not of whatever has the name by then.
type DeleteChannel struct {
	Form
	Name        string
	Description string
	CreatedOn   time.Time
	Incarnation string
}

// firstLine is what the directory shows of a description.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

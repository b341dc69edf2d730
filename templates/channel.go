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
	CanManage  bool
	Readership Readership

	// View says which posts there are, and in which order.
	View  View
	Posts []Post
	// After is the continuation that this page was read from, empty on the
	// first.
	After string
	// Next is the continuation of the next page, empty on the last.
	Next string

	Draft Draft
}

// A View selects and orders the posts of a channel. The zero value is all of
// them, newest first.
type View struct {
	// TopRated puts the most popular first.
	TopRated bool
	// Rating is the one number of votes wanted, and nil for any.
	Rating *int64
}

// Newest says that posts are as they came.
func (v View) Newest() bool { return !v.TopRated && v.Rating == nil }

// label says what is shown, beside the channel's name: "Top rated".
func (v View) label() string {
	switch {
	case v.Rating != nil:
		return "Posts with " + votes(*v.Rating)
	case v.TopRated:
		return "Top rated"
	}
	return "Newest"
}

// path is where the first page of the view is.
func (v View) path(channel string) string {
	switch {
	case v.Rating != nil:
		return RatedPath(channel, *v.Rating)
	case v.TopRated:
		return TopRatedPath(channel)
	}
	return ChannelPath(channel)
}

func (v Channel) bylines(now time.Time) []byline {
	path := ChannelPath(v.Name)
	lines := make([]byline, len(v.Posts))
	for i := range v.Posts {
		lines[i] = byline{post: &v.Posts[i], now: now, channel: path}
	}
	return lines
}

// title names the page in the title of a document.
func (v Channel) title() string {
	if v.Readership.Refusal != "" {
		return "Error: " + v.Name
	}
	if v.View.Newest() {
		return v.Name
	}
	return v.View.label() + " · " + v.Name
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

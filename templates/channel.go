package templates

import "time"

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

// A Readership is how many subscribe to a channel, and whether the reader does.
// Whoever is signed in finds a form there that posts action=subscribe or
// action=unsubscribe to [ChannelPath].
type Readership struct {
	Subscribers int
	// More says that there are more than Subscribers.
	More bool
	// Subscribed says that the reader is one of them.
	Subscribed bool
	// Refusal says why the reader could not subscribe; empty for no reason.
	Refusal string
}

func (v Readership) words() string {
	n := count(int64(v.Subscribers))
	switch {
	case v.More:
		return n + "+ subscribers"
	case v.Subscribers == 1:
		return "1 subscriber"
	}
	return n + " subscribers"
}

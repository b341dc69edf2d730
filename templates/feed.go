package templates

import (
	"time"

	"microblogging/domain"
)

// A Latest is a page of the newest posts of all channels, at [LatestPath] and for anonymous clients at
// [HomePath].
type Latest struct {
	// Posts are newest first.
	Posts []Post
	Part
	// Channels are those with the newest activity. They are on the first page.
	Channels []ActiveChannel
}

// An ActiveChannel is a channel, and about when its last post was made.
type ActiveChannel struct {
	Name domain.ChannelName
	On   time.Time
}

const latestAbout = "The newest short posts of all channels. Anyone may read them."

func (v Latest) frame(page Page) Frame {
	return Frame{Title: "Latest", About: latestAbout, Path: continued(LatestPath, v.After), Scripts: listScripts(page)}
}

// A Feed is a page of the posts of all channels that the reader subscribes to.
type Feed struct {
	// Posts are newest first.
	Posts []Post
	Part
	// Subscriptions is how many channels the reader subscribes to. Only a feed
	// without posts uses it.
	Subscriptions int
	// Composer is the form for a post in the channel that the reader has used last, of which only
	// the channel and the draft count. It is nil if there is none.
	Composer *Channel
}

func (v Feed) frame(page Page) Frame {
	f := Frame{Title: "Feed", Scripts: listScripts(page)}
	if v.Composer != nil {
		f.Styles = []string{"compose.css"}
		f.Scripts = append(append(f.Scripts, "compose.js"), draftScripts...)
	}
	return f
}

// Subscriptions are the channels that the reader subscribes to. Each has a form
// that posts action=unsubscribe, channel and incarnation to [SubscriptionsPath].
type Subscriptions []domain.Subscription

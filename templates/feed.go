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
	Channels []ListedChannel
	// Composer is the form for a post, on the first page of a reader who is signed in.
	Composer *Composer
}

// A ListedChannel is a channel in a list.
type ListedChannel struct {
	domain.Channel
	// On is about when its last post was made. It is zero in a list by name.
	On time.Time
	// Subscribed reports whether the reader subscribes to it. If the reader is signed in, a form posts incarnation,
	// next, and action=subscribe or action=unsubscribe, to [ChannelPath].
	Subscribed bool
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
	// Seen is until when the reader has read on this device before this visit. It is zero if that is not known.
	Seen time.Time
	// Channels are those with the newest activity, for a reader whose feed has no posts.
	Channels []ListedChannel
	// Composer is the form for a post, on the first page.
	Composer *Composer
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

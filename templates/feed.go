package templates

import (
	"strconv"
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
	// On is about when it was last active: up to five minutes earlier, if its newest post is not on the page of a
	// feed. It is zero in a list by name, and of a channel that has no post of late.
	On time.Time
	// Subscribed reports whether the reader subscribes to it. If the reader is signed in, a form posts incarnation,
	// next, and action=subscribe or action=unsubscribe, to [ChannelPath].
	Subscribed bool
}

const latestAbout = "The newest short posts of all channels. Anyone may read them."

func (v Latest) frame(page Page) Frame {
	return writes(Frame{Title: "Latest", About: latestAbout, Path: continued(LatestPath, v.After)}, page, v.Composer != nil)
}

// A Feed is a page of the posts of all channels that the reader subscribes to.
type Feed struct {
	// Posts are newest first.
	Posts []Post
	Part
	// Starts reports whether the feed has no posts at all. Then Posts and Next are those of a Latest.
	Starts bool
	// Newcomer reports whether a reader whose feed starts has not posted on this device and owns no channel.
	Newcomer bool
	// Seen is until when the reader has read on this device before this visit. It is zero if that is not known.
	Seen time.Time
	// Channels are those of others with the newest activity, for a reader whose feed has no posts of theirs.
	Channels []ListedChannel
	// Composer is the form for a post, on the first page.
	Composer *Composer
}

func (v Feed) frame(page Page) Frame { return writes(Frame{Title: "Feed"}, page, v.Composer != nil) }

// news is how many posts of the page are new. It is empty if none is.
func (v Feed) news() string {
	n := 0
	for _, p := range v.Posts {
		if p.New {
			n++
		}
	}
	switch {
	case n == 0:
		return ""
	case v.Next != "" && v.Posts[len(v.Posts)-1].CreatedOn.After(v.Seen): // there may be more on the next page
		return strconv.Itoa(n) + "+"
	}
	return strconv.Itoa(n)
}

// seenFrom reports whether the post is the first of those that the reader has seen, and others are not.
func (v Feed) seenFrom(i int) bool {
	return i > 0 && v.Posts[i-1].CreatedOn.After(v.Seen) && !v.Posts[i].CreatedOn.After(v.Seen)
}

// Subscriptions are the channels that the reader subscribes to. Each has a form
// that posts action=unsubscribe, channel and incarnation to [SubscriptionsPath].
type Subscriptions []domain.Subscription

package templates

import "microblogging/domain"

// A ChannelFeed is the page that explains the feeds of a channel.
type ChannelFeed struct {
	Channel domain.ChannelName
	// Posts is how many posts a feed holds at most.
	Posts int
}

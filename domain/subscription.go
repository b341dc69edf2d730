package domain

import "time"

// MaxSubscriptions is how many channels one user can subscribe to: each is read
// for each page of the feed.
const MaxSubscriptions = 2000

// A Role is why somebody subscribes.
type Role string

// The roles.
const (
	RoleOwner  Role = "owner"
	RoleReader Role = "reader"
)

// A Subscription is one user's interest in one life of a channel.
type Subscription struct {
	Channel      ChannelRef
	Name         ChannelName
	Role         Role
	SubscribedOn time.Time
}

package domain

import "time"

// ChannelState reports whether a channel can be read and posted to.
type ChannelState string

// The states of a channel. A deleted channel has no row. From ChannelPending on, no page shows
// it; ChannelDeleting is past the point of no return (the pivot).
const (
	ChannelActive   ChannelState = "active"
	ChannelPending  ChannelState = "pending"
	ChannelDeleting ChannelState = "deleting"
)

// A Channel is one incarnation of a named place for posts.
type Channel struct {
	Name  ChannelName
	Owner UserName
	About
	CreatedOn   time.Time
	Incarnation Incarnation
	State       ChannelState
	// UndoCount is how many undos it had. It is the number of the next request.
	UndoCount int64
	// UndoableUntil is until when no worker takes a pending channel past the pivot. It is zero in
	// any other state.
	UndoableUntil time.Time
	// First says who may post while no posting rule does. It is empty unless the channel was read with its gate,
	// which has it.
	First Posters
}

// Key is the channel's partition key.
func (c Channel) Key() ChannelKey { return c.Name.Key() }

// Ref names this incarnation of the channel.
func (c Channel) Ref() ChannelRef { return ChannelRef{Key: c.Key(), Incarnation: c.Incarnation} }

// NewChannel checks a request to create a channel and makes its incarnation. The
// error is an InvalidError on the field "name" and those of [ParseAbout].
func NewChannel(name string, about About, owner UserName) (Channel, error) {
	parsedName, nameErr := ParseNewChannelName(name)
	about, aboutErr := ParseAbout(about)
	if err := JoinInvalid(nameErr, aboutErr); err != nil {
		return Channel{}, err
	}
	return Channel{
		Name:        parsedName,
		Owner:       owner,
		About:       about,
		CreatedOn:   Now(),
		Incarnation: NewIncarnation(),
		State:       ChannelActive,
	}, nil
}

// A ChannelRef names one incarnation of a channel. Every row that belongs to a
// channel is addressed by a ChannelRef, never by the name alone.
type ChannelRef struct {
	Key         ChannelKey
	Incarnation Incarnation
}

// Address is the address of this incarnation and of no other.
func (r ChannelRef) Address() ChannelAddress {
	return ChannelAddress{Key: r.Key, Expected: OneOf(r.Incarnation)}
}

// Address is the address of the channel that has the key, whatever its incarnation.
func (k ChannelKey) Address() ChannelAddress {
	return ChannelAddress{Key: k, Expected: Any[Incarnation]()}
}

// A ChannelAddress names the channel that a request was made for: by its key, and by the
// incarnations that its sender accepts. A page or a program that has read a channel
// accepts that incarnation only. A request that was made for no channel that was read
// accepts any.
type ChannelAddress struct {
	Key      ChannelKey
	Expected Precondition[Incarnation]
}

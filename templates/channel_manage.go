package templates

import "time"

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

package templates

import "microblogging/domain"

// A NewChannel is the form that creates a channel. It posts name and
// description to [NewChannelPath].
type NewChannel struct {
	Form
	Name        string
	Description string
	// Key is the idempotency key: a form that is sent twice creates one channel.
	Key string
}

// An EditChannel is the form that changes a channel's description. It posts
// description and incarnation to [EditChannelPath].
type EditChannel struct {
	Form
	domain.Channel
}

// A DeleteChannel asks the owner to confirm a deletion. It posts incarnation, and pause if
// the workers are to pause before each step, to [DeleteChannelPath]. The owner confirms the deletion of this incarnation; a later
// channel of the same name is not deleted.
type DeleteChannel struct {
	Form
	domain.Channel
	// Teach offers to pause before each step.
	Teach bool
}

// styles has those of the check box, if the page has it.
func (v DeleteChannel) styles() []string {
	if !v.Teach {
		return nil
	}
	return []string{"deletion.css"}
}

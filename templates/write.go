package templates

import (
	"slices"

	"microblogging/domain"
)

// WritePath is where a reader writes a post and chooses its channel.
const WritePath = "/write"

// A Composer is the form for a post on a page that is of no channel. It posts a draft, key, user, next and
// channel to [WritePath]: the Value of a choice, or nothing for a new channel, and then its name.
type Composer struct {
	Draft
	// Channels are, in this order, the one used last, those that the reader owns, and others of the page or of the
	// site in which the reader may post.
	Channels []Choice
	// Chosen is the value of the choice that was sent, or empty. New reports whether a new channel was chosen, and Name
	// is its name, as it was typed.
	Chosen, Name string
	New          bool
	// Next is the page to return to after the post. If it is empty, that is the channel.
	Next string
}

// A Choice is a channel that a post can be for.
type Choice struct {
	Name        domain.ChannelName
	Incarnation domain.Incarnation
	// First says who may post while no posting rule does.
	First domain.Posters
	// Own reports whether the reader owns it.
	Own bool
	// Last reports whether it was used last on this device.
	Last bool
}

// Value is what a form sends for the choice.
func (c Choice) Value() string { return string(c.Incarnation) + " " + string(c.Name) }

// selected is the value that the form begins with: what was sent, or else the channel that was used last, or one of the
// reader's own. A channel of others is never a guess.
func (v Composer) selected() string {
	if !v.failed() && len(v.Channels) > 0 && (v.Channels[0].Own || v.Channels[0].Last) {
		return v.Channels[0].Value()
	}
	return v.Chosen
}

// unchosen reports whether the reader must choose a channel: the form offers some, and none of them is meant, or it does
// not offer the one that was sent.
func (v Composer) unchosen() bool {
	if v.selected() == "" {
		return len(v.Channels) > 0 && !v.New
	}
	return !slices.ContainsFunc(v.Channels, func(c Choice) bool { return c.Value() == v.selected() })
}

// newName is the field for the name of a new channel.
func (v Composer) newName() field {
	return v.marked(field{
		Name: "name", Label: "Name", Value: v.Name, Allowed: hyphenated(v.Name), Holder: ChannelPath(domain.ChannelName(v.Name)), Placeholder: "Name of the channel",
	})
}

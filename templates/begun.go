package templates

import (
	"strings"

	"microblogging/domain"
)

// A Begun is what an anonymous client began, and is done once they have signed in: to vote for a post of a channel or, without a
// post, to subscribe to the channel. The zero value is nothing.
type Begun struct {
	Channel     domain.ChannelName
	Incarnation domain.Incarnation
	Post        domain.BlogID
}

// String is what links and forms have of it in the field then.
func (b Begun) String() string {
	return strings.TrimSpace(string(b.Incarnation) + " " + string(b.Channel) + " " + string(b.Post))
}

// ParseBegun reads what String returns. All else is nothing.
func ParseBegun(s string) Begun {
	parts := strings.Split(s, " ")
	if len(parts) < 2 || len(parts) > 3 {
		return Begun{}
	}
	incarnation, err := domain.ParseIncarnation(parts[0])
	name, nameErr := domain.ParseChannelName(parts[1])
	b := Begun{Channel: name, Incarnation: incarnation}
	if err != nil || nameErr != nil {
		return Begun{}
	}
	if len(parts) == 3 {
		if b.Post, err = domain.ParseBlogID(parts[2]); err != nil {
			return Begun{}
		}
	}
	return b
}

package domain

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MaxReplies is how many replies a post can have, about: those of one moment may pass it.
const MaxReplies = 1000

// A ReplyID names a reply to a post: 19 digits that count up with the time, "-", and a random ID. Ids sort
// oldest first, and no two replies ever have the same id.
type ReplyID string

// NewReplyID makes the id of a reply with the date t.
func NewReplyID(t time.Time) ReplyID {
	return ReplyID(fmt.Sprintf("%0*d-%s", recentFirstDigits, TicksOf(t), newRandomID()))
}

// ParseReplyID accepts only what NewReplyID can make, and returns ErrNotFound for anything else.
func ParseReplyID(s string) (ReplyID, error) {
	digits, random, _ := strings.Cut(s, "-")
	ticks, err := strconv.ParseUint(digits, 10, 64) // no sign
	if err != nil || len(digits) != recentFirstDigits || ticks > maxTicks || !isRandomID(random) {
		return "", ErrNotFound
	}
	return ReplyID(s), nil
}

// A Reply is an answer to a post. It is never edited, and has no replies.
type Reply struct {
	Channel ChannelRef
	// Post is the post that it answers. Without that, there is no reply.
	Post      BlogID
	ID        ReplyID
	Text      string
	UserID    UserName
	CreatedOn time.Time
}

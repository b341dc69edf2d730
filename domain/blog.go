package domain

import (
	"strings"
	"time"
)

// A BlogID names a post within its channel: 19 recent-first digits (see
// [RecentFirst]), "!", and a random ID. Ids sort newest first, and no two posts
// ever have the same id.
type BlogID string

// NewBlogID makes the id of a post with the date t.
func NewBlogID(t time.Time) BlogID { return BlogID(RecentFirst(t) + "!" + newRandomID()) }

// ParseBlogID accepts only what NewBlogID can make, and returns ErrNotFound for
// anything else: such an id names no post and must not become part of a key.
func ParseBlogID(s string) (BlogID, error) {
	id := BlogID(s)
	_, random, ok := strings.Cut(s, "!")
	if _, err := id.Date(); err != nil || !ok || !isRandomID(random) {
		return "", ErrNotFound
	}
	return id, nil
}

// Date is the date of the post that has the id. What begins as no id does is an error.
func (id BlogID) Date() (time.Time, error) {
	digits, _, _ := strings.Cut(string(id), "!")
	return ParseRecentFirst(digits)
}

// A Blog is one post.
type Blog struct {
	Channel ChannelRef
	ID      BlogID
	Draft
	UserID   UserName
	Rating   int64
	Revision Revision
	// CreatedOn is when the post was made. For an imported post it is the date
	// that its feed gives.
	CreatedOn time.Time
	// EditedOn is zero if the post was never edited.
	EditedOn time.Time
	// RepliedOn is when the post was last replied to. It is zero if it never was, and stays if the reply is deleted.
	RepliedOn time.Time
}

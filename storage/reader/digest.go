package reader

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/page"
	"microblogging/storage/schema"
)

// MaxDigest is the largest number of posts of one channel in a digest.
const MaxDigest = 200

// DigestQuery selects a page of a digest.
type DigestQuery struct {
	Day domain.Day
	// After is the Next of the page before. It is empty for the first page.
	After string
	// Limit is the largest number of posts on the page, 1 to 100.
	Limit int
}

// DigestPage is part of the digest of a day.
type DigestPage struct {
	Channels []DigestChannel
	// Next is the cursor of the next page. It is empty on the last page.
	Next string
}

// DigestChannel holds what was posted to one channel in a day, or a part of it.
type DigestChannel struct {
	Name domain.ChannelName
	// Items are the most popular first, and the newest first among equals.
	Items []domain.Blog
	// First is the rank of the first of Items among the posts of the day, from 1.
	First int
	// Total is the number of posts of the day. A digest lists at most MaxDigest of them.
	Total int
}

// Digest lists what was posted in a day to the channels that a user subscribes to, in
// the order of their keys. Channels without a post that day are left out. A channel
// that does not fit on a page continues on the next one. A cursor of another user, day
// or time zone is an InvalidError.
//
// It reads the ratings of all posts of the day, and then the posts of the page, and verifies each
// channel that has a post, as Feed does. A page starts at the channel, the rating and the post
// where the page before ended: posts that come and go in between make no other post come twice or
// be missed. A post whose rating changes in between can be missed or met twice.
func (s *Readers) Digest(ctx context.Context, user domain.UserName, q DigestQuery) (digest DigestPage, err error) {
	list := page.List{Name: "digest/" + schema.UserPartition(user) + "/" + q.Day.Date + "/" + q.Day.Zone, After: q.After, Limit: q.Limit}
	position, err := list.Position()
	if err != nil {
		return digest, err
	}
	after, err := parseDigestPosition(position)
	if err != nil {
		return digest, err
	}
	byDay, err := s.rankSubscribed(ctx, user, []domain.Day{q.Day}, after.channel.Key, MaxDigest)
	if err != nil {
		return digest, err
	}
	posts := slices.DeleteFunc(byDay[0], func(p rankedPost) bool { return position != "" && !after.before(p.pickedPost) })
	posts, digest.Next = page.Cut(list, posts, func(p rankedPost) string { return p.position() })
	blogs, err := readPicked(ctx, s, picked(posts), whole)
	if err != nil {
		return digest, err
	}
	for _, p := range posts {
		blog, there := blogs[p.id]
		if !there {
			continue // it was deleted meanwhile
		}
		if n := len(digest.Channels); n == 0 || digest.Channels[n-1].Name != p.name {
			digest.Channels = append(digest.Channels, DigestChannel{Name: p.name, First: p.rank + 1, Total: p.total})
		}
		last := &digest.Channels[len(digest.Channels)-1]
		last.Items = append(last.Items, blog)
	}
	return digest, nil
}

// position is where a page of a digest ends: at a post of a channel.
func (p pickedPost) position() string {
	return string(p.channel.Key) + "!" + schema.RateRow(p.rating, p.id)
}

// before tells whether p is listed before another post of a digest.
func (p pickedPost) before(other pickedPost) bool {
	return cmp.Or(cmp.Compare(p.channel.Key, other.channel.Key), p.compare(other.pick)) < 0
}

// parseDigestPosition is the inverse of position. Of "", it is before all posts.
func parseDigestPosition(position string) (p pickedPost, err error) {
	if position == "" {
		return p, nil
	}
	key, row, _ := strings.Cut(position, "!")
	rating, id, ok := schema.ParseRateRow(row)
	if !ok {
		return p, domain.Invalid("after", "is not a continuation of this list")
	}
	return pickedPost{domain.ChannelRef{Key: domain.ChannelKey(key)}, pick{id: id, rating: rating}}, nil
}

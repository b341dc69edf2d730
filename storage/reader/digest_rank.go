package reader

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/driver"
	"microblogging/storage/flight"
	"microblogging/storage/schema"
)

// rankPage is how many ratings one request asks for. flight.Points channels are ranked at once, so
// that a larger page would take megabytes.
const rankPage = 250

// A pick is a post as a ranking knows it: without its title and text.
type pick struct {
	id     domain.BlogID
	rating int64
}

// compare orders the more popular first, and the newer among equals.
func (p pick) compare(other pick) int {
	return cmp.Or(cmp.Compare(other.rating, p.rating), cmp.Compare(p.id, other.id))
}

// A rankedPost is one of the posts of a channel and a day.
type rankedPost struct {
	name domain.ChannelName
	pickedPost
	// rank is its rank among them, from 0, and total is how many there are.
	rank, total int
}

// picked are the posts without their ranks.
func picked(posts []rankedPost) []pickedPost {
	list := make([]pickedPost, len(posts))
	for i, p := range posts {
		list[i] = p.pickedPost
	}
	return list
}

// rankSubscribed ranks, for each of some successive days, newest first, the posts of the channels
// that a user subscribes to, from this key on: the first most posts of each. They are in the order
// of keys and ranks.
func (s *Readers) rankSubscribed(ctx context.Context, user domain.UserName, days []domain.Day, from domain.ChannelKey, most int) ([][]rankedPost, error) {
	following, err := s.readSubscriptions(ctx, user)
	if err != nil {
		return nil, err
	}
	following = slices.DeleteFunc(following, func(row Row) bool { return row.state != stateJoined || row.Channel.Key < from })
	byChannel, err := flight.Gather(ctx, s.Reads, following, func(ctx context.Context, row Row) ([][]rankedPost, bool, error) {
		ranked, err := s.rankDays(ctx, row.Channel, days, most)
		if err != nil || !slices.ContainsFunc(ranked, func(r *ranking) bool { return r.total > 0 }) {
			return nil, false, err
		}
		channel, valid, err := s.RepairSubscription(ctx, row, user)
		posts := make([][]rankedPost, len(days))
		for day, r := range ranked {
			for rank, pick := range r.best() {
				posts[day] = append(posts[day], rankedPost{channel.Name, pickedPost{row.Channel, pick}, rank, r.total})
			}
		}
		return posts, valid, err
	})
	byDay := make([][]rankedPost, len(days))
	for _, posts := range byChannel {
		for day := range days {
			byDay[day] = append(byDay[day], posts[day]...)
		}
	}
	return byDay, err
}

// rankDays ranks the posts of a channel on each of some successive days, newest first.
// It reads ratings, and no texts. The index by rating would not do: it has no days, so
// that all posts of a channel's whole life would have to be passed.
func (s *Readers) rankDays(ctx context.Context, channel domain.ChannelRef, days []domain.Day, most int) ([]*ranking, error) {
	from, to := schema.BlogRange(days[len(days)-1].From, days[0].Until)
	q := driver.Range{Partition: schema.ChannelPartition(channel.Key), From: from, To: to,
		Paging: driver.Paging{Limit: rankPage, Select: []string{schema.PropRating, schema.PropCreatedOn, schema.PropIncarnation}}}
	ranked := make([]*ranking, len(days))
	for i := range ranked {
		ranked[i] = &ranking{most: most}
	}
	for row, err := range s.blogs.Within(ctx, q) {
		if err != nil {
			return nil, fmt.Errorf("posts of channel %s: %w", channel.Key, err)
		}
		if blog := blog.Decode(row); blog.Channel.Incarnation == channel.Incarnation {
			ranked[dayOf(blog.CreatedOn, days)].add(pick{blog.ID, blog.Rating})
		}
	}
	return ranked, nil
}

// dayOf returns the index of the day that contains t. The days are newest first.
func dayOf(t time.Time, days []domain.Day) int {
	for i, day := range days {
		if !t.Before(day.From) {
			return i
		}
	}
	return len(days) - 1
}

// A ranking collects the posts of the highest ratings, from posts that come newest
// first.
type ranking struct {
	most  int
	picks []pick
	total int
	// enough says that there are as many picks as wanted. No post that comes later and
	// is rated least or lower is one of them.
	enough bool
	least  int64
}

func (r *ranking) add(p pick) {
	r.total++
	if r.enough && p.rating <= r.least {
		return
	}
	// A key that was read may be part of a whole page, which it would keep in memory.
	p.id = domain.BlogID(strings.Clone(string(p.id)))
	if r.picks = append(r.picks, p); len(r.picks) >= 2*r.most {
		r.least, r.enough = r.best()[r.most-1].rating, true
	}
}

// best returns the posts of the highest ratings, in that order.
func (r *ranking) best() []pick {
	slices.SortFunc(r.picks, pick.compare)
	r.picks = r.picks[:min(len(r.picks), r.most)]
	return r.picks
}

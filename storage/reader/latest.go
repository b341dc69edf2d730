package reader

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/channel"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

const (
	// activeRows is how many rows of the index a page of the newest posts reads of each
	// partition, and mostActive in how many channels it looks for posts.
	activeRows = 64
	mostActive = 32
)

// An ActiveChannel is a channel with the date of its newest post, if it is listed by activity. NotedOn is
// the date of a post up to five minutes older than the newest.
type ActiveChannel struct {
	domain.Channel
	LastBlogOn, NotedOn time.Time

	version channel.Version
}

// Active are the channels in which the posts of one page are.
type Active struct {
	// Channels are active. The one with the newest activity comes first.
	Channels []ActiveChannel
	// Version names what Latest shows of them, as a channel.Version names what one channel shows.
	// It is empty if one of them has no version.
	Version channel.Version

	list driver.List
	// from is the first row key of a post that may be on the page. A post from before the floor
	// may not be, since other channels may have such posts. A zero floor is none.
	from  string
	floor time.Time
}

// Active finds in which channels the newest posts of the site are, for the page after a page. It
// reads the index of active channels (package blog), and verifies each channel by its row and its
// gate: so none is among them whose deletion was accepted before. The channels that the caller
// expects are verified while the index is read: if they are the ones, no more is read. After is the Next of
// the page before; a cursor of another list is an InvalidError on the field "after".
//
// Of more than 32 channels with posts in one hour, it finds 32 with the latest posts, about.
func (s *Feeds) Active(ctx context.Context, after string, expected []domain.ChannelRef) (Active, error) {
	return s.activeOf(ctx, driver.List{Name: "latest", After: after, Prefix: schema.Blog.Prefix()}, expected)
}

// activeOf finds in which channels the posts are that are on a list behind its cursor.
func (s *Feeds) activeOf(ctx context.Context, list driver.List, expected []domain.ChannelRef) (active Active, err error) {
	active.list = list
	index := ""
	if position, err := active.list.Position(); err != nil {
		return active, err
	} else if position != "" {
		last, err := domain.BlogID(position).Date()
		if err != nil {
			return active, domain.Invalid("after", "is not a continuation of this list")
		}
		index = schema.ActiveRow(last, "")
	}
	if active.from, err = active.list.From(active.list.Prefix); err != nil {
		return active, err
	}
	var candidates []driver.Entity
	known := make([]ActiveChannel, len(expected))
	reads := []func(context.Context) error{func(ctx context.Context) (err error) {
		candidates, active.floor, err = s.activeCandidates(ctx, index)
		return err
	}}
	for i, ref := range expected {
		reads = append(reads, func(ctx context.Context) error {
			known[i], _ = s.verifyActive(ctx, ref.Key, ref.Incarnation) // it is looked at again
			return nil
		})
	}
	if err := s.fence.Concurrently(ctx, reads...); err != nil {
		return active, err
	}
	active.Channels, err = concurrent.Gather(ctx, s.fence.Reads, candidates, func(ctx context.Context, candidate driver.Entity) (ActiveChannel, bool, error) {
		_, key, _ := schema.ParseActiveRow(candidate.Row)
		if at := slices.IndexFunc(known, func(c ActiveChannel) bool { return c.Name != "" && c.Key() == key }); at >= 0 {
			return known[at].by(candidate), true, nil
		}
		return s.followCandidate(ctx, candidate)
	})
	active.Version = versionOf(active)
	return active, err
}

// activeCandidates reads the rows of the index that lead to the posts of a page: one of each channel,
// the newest first. Posts from before the floor may be in other channels too.
func (s *Feeds) activeCandidates(ctx context.Context, from string) (candidates []driver.Entity, floor time.Time, err error) {
	rows, end, err := s.posts.ActiveRows(ctx, from, activeRows)
	if err != nil || len(rows) == 0 {
		return nil, floor, err
	}
	first, _, _ := schema.ParseActiveRow(rows[0].Row)
	last, _, _ := schema.ParseActiveRow(rows[len(rows)-1].Row)
	noted := func(row driver.Entity) time.Time { return row.Properties.Time(schema.PropCreatedOn) }
	slices.SortStableFunc(rows, func(a, b driver.Entity) int { return noted(b).Compare(noted(a)) })
	candidates, next := firstOfEach(rows, mostActive)
	if next < len(rows) {
		last, _, _ = schema.ParseActiveRow(rows[next].Row)
		end = false
	}
	switch {
	case end:
	case last.Before(first):
		floor = last.Add(time.Hour) // the hour is left to the next page, whole
	default:
		floor = last
	}
	return candidates, floor, nil
}

// firstOfEach returns the first row of each of so many channels, and the index of the first row of another.
func firstOfEach(rows []driver.Entity, most int) (met []driver.Entity, next int) {
	seen := map[domain.ChannelKey]bool{}
	for i, row := range rows {
		_, key, err := schema.ParseActiveRow(row.Row)
		if err != nil || seen[key] {
			continue
		}
		if len(met) == most {
			return met, i
		}
		seen[key] = true
		met = append(met, row)
	}
	return met, len(rows)
}

// by is the channel with what the row of the index says.
func (c ActiveChannel) by(candidate driver.Entity) ActiveChannel {
	c.NotedOn = candidate.Properties.Time(schema.PropCreatedOn)
	return c
}

// verifyActive reads a channel with its version, if it is active. The argument remembered is the incarnation that
// it may have, or empty.
func (s *Feeds) verifyActive(ctx context.Context, key domain.ChannelKey, remembered domain.Incarnation) (c ActiveChannel, err error) {
	c.Channel, c.version, err = s.channels.GetVersion(ctx, key.Address(), remembered)
	return c, err
}

// followCandidate verifies the channel to which a row of the index leads, and removes a row that leads
// to none.
func (s *Feeds) followCandidate(ctx context.Context, candidate driver.Entity) (c ActiveChannel, active bool, err error) {
	_, key, _ := schema.ParseActiveRow(candidate.Row)
	if !schema.LeadsToChannel(domain.ChannelRef{Key: key}) {
		return c, false, nil // a check reports what no operation writes
	}
	c, err = s.verifyActive(ctx, key, "")
	c = c.by(candidate)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return c, false, s.posts.ForgetActive(ctx, candidate)
	case errors.Is(err, domain.ErrGone):
		return c, false, nil
	}
	return c, err == nil, err
}

func versionOf(active Active) channel.Version {
	parts := []string{active.from, active.floor.String()}
	for _, c := range active.Channels {
		if c.version == "" {
			return ""
		}
		parts = append(parts, string(c.Key()), c.NotedOn.String(), string(c.version))
	}
	return channel.VersionOf(parts...)
}

// beyond is the cursor of what is older than the floor. It is empty if there is no floor.
func (a Active) beyond() string {
	if a.floor.IsZero() {
		return ""
	}
	return driver.Cursor(a.list.Name, domain.RecentFirst(a.floor.Add(-domain.Tick)))
}

// Latest lists up to limit posts of the active channels, newest first, as List does. They are read
// after the channels were verified. A page that is not full may have a Next.
func (s *Feeds) Latest(ctx context.Context, active Active, limit int) (latest driver.ListPage[FeedItem], err error) {
	active.list.Limit = limit
	_, end := schema.BlogRange(active.floor, time.Time{})
	newest := newest{most: limit + 1, end: end}
	_, err = concurrent.Gather(ctx, s.fence.Reads, active.Channels, func(ctx context.Context, c ActiveChannel) (none struct{}, _ bool, err error) {
		_, err = s.addNewest(ctx, &newest, &Row{Subscription: domain.Subscription{Channel: c.Ref(), Name: c.Name}}, active.from)
		return none, false, err
	})
	if err != nil {
		return latest, err
	}
	posts, next := driver.Cut(active.list, newest.posts, func(post found) string { return schema.BlogRow(post.id) })
	if latest.Next = next; next == "" {
		latest.Next = active.beyond()
	}
	blogs, err := s.readFound(ctx, posts)
	latest.Items = feedItems(posts, blogs)
	return latest, err
}

// ByActivity lists active channels with posts, those with the newest post first. Among channels with posts in one
// hour, that is the order of each page only. A channel is listed where the index has the hour of its newest post. The index has rows of other hours,
// so a page reads up to 1,000 rows of each partition, may have fewer channels than limit, or none, and
// asks for the newest post of each channel that it meets. A cursor of another list is an InvalidError
// on the field "after".
func (s *Feeds) ByActivity(ctx context.Context, after string, limit int) (found driver.ListPage[ActiveChannel], err error) {
	list := driver.List{Name: "active", After: after, Limit: limit}
	from, err := list.From("")
	if err != nil {
		return found, err
	}
	rows, end, err := s.posts.ActiveRows(ctx, from, driver.MaxPage)
	if err != nil || len(rows) == 0 {
		return found, err
	}
	met, next := firstOfEach(rows, limit)
	last := rows[next-1].Row
	if !end || next < len(rows) {
		found.Next = list.Next(last)
	}
	found.Items, err = concurrent.Gather(ctx, s.fence.Reads, met, func(ctx context.Context, candidate driver.Entity) (c ActiveChannel, listed bool, err error) {
		if c, listed, err = s.followCandidate(ctx, candidate); !listed {
			return c, false, err
		}
		newest := newest{most: 1}
		_, err = s.addNewest(ctx, &newest, &Row{Subscription: domain.Subscription{Channel: c.Ref(), Name: c.Name}}, schema.Blog.Prefix())
		if err != nil || len(newest.posts) == 0 {
			return c, false, err
		}
		c.LastBlogOn, err = newest.posts[0].id.Date()
		at := schema.ActiveRow(c.LastBlogOn, c.Key())
		return c, from <= at && at <= last, err
	})
	slices.SortFunc(found.Items, func(a, b ActiveChannel) int {
		return cmp.Or(b.LastBlogOn.Compare(a.LastBlogOn), cmp.Compare(a.Key(), b.Key()))
	})
	return found, err
}

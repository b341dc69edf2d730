package reader

import (
	"context"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

const (
	// maxSearchReads is how many channels a search verifies and ranges of posts it reads, about, and
	// searchRows how many posts it holds in memory.
	maxSearchReads = 512
	searchRows     = 640
	// searchTime is after how long it goes no further back, so that a slow store gives a shorter answer and no error.
	searchTime = 3 * time.Second
)

// A SearchPage is a page of the posts of all channels that match. It may have no items and a Next.
type SearchPage struct {
	driver.ListPage[FeedItem]
	// Back is until when the posts were looked at. It is zero if there was none.
	Back time.Time
}

// Search lists up to limit posts of the active channels that match, newest first. The name of the search is
// different for each matches. It looks where Latest does, with the same limits, span by span: the channels of a span
// are verified before their posts are read, so nothing is shown of one whose deletion was
// accepted before. A request looks at blog.MaxSearched posts at most, and no further back than
// maxSearchReads and searchTime allow. A cursor of another list or search is an InvalidError on the field "after".
func (s *Feeds) Search(ctx context.Context, name string, matches func(domain.Draft) bool, after string, limit int) (found SearchPage, err error) {
	list := driver.List{Name: "search/" + name, After: after, Limit: limit, Prefix: schema.Blog.Prefix()}
	last, searched, bytes, reads, began := "", 0, 0, 0, time.Now()
	for {
		reads += mostActive
		active, err := s.activeOf(ctx, list, nil)
		if err != nil {
			return SearchPage{}, err
		}
		posts := s.mergePosts(active)
		for {
			row, in, err := posts.next(ctx)
			if err != nil {
				return SearchPage{}, err
			}
			if in == nil {
				break
			}
			if last != "" && (len(found.Items) == limit || searched == blog.MaxSearched || bytes >= blog.MaxSearchedText ||
				reads+posts.reads >= maxSearchReads || time.Since(began) >= searchTime) {
				found.Next = list.Next(last)
				return found, nil
			}
			post := blog.Decode(row)
			last, found.Back = row.Row, post.CreatedOn
			searched++
			bytes += len(post.Title) + len(post.Text)
			shown, is := s.fence.Leaving.Shown(post.Blog)
			if is && post.Channel.Incarnation == in.Incarnation && matches(post.Draft) {
				found.Items = append(found.Items, FeedItem{Blog: shown, Name: in.Name})
			}
		}
		reads += posts.reads
		if list.After = active.beyond(); list.After == "" {
			return found, nil
		}
		found.Back = active.floor
		if reads >= maxSearchReads || time.Since(began) >= searchTime {
			found.Next = list.After
			return found, nil
		}
	}
}

// A postMerge yields the posts of several channels, the newest first. It reads each channel in parts, of
// searchRows posts together.
type postMerge struct {
	feeds    *Feeds
	channels []channelPosts
	end      string
	// reads counts the ranges that were read.
	reads int
}

// channelPosts are the posts of a channel that were read and not yielded, and the row key from which on
// there may be more. It is empty if there are none.
type channelPosts struct {
	of   *domain.Channel
	rows []driver.Entity
	from string
}

func (s *Feeds) mergePosts(active Active) *postMerge {
	_, end := schema.BlogRange(active.floor, time.Time{})
	m := &postMerge{feeds: s, end: end}
	for i := range active.Channels {
		m.channels = append(m.channels, channelPosts{of: &active.Channels[i].Channel, from: active.from})
	}
	return m
}

// next returns the newest post that it has not yielded, and its channel, which is nil if there is no more.
func (m *postMerge) next(ctx context.Context) (row driver.Entity, in *domain.Channel, err error) {
	if err := m.fill(ctx); err != nil {
		return row, nil, err
	}
	var newest *channelPosts
	for i := range m.channels {
		c := &m.channels[i]
		if len(c.rows) > 0 && (newest == nil || c.rows[0].Row < newest.rows[0].Row) {
			newest = c
		}
	}
	if newest == nil {
		return row, nil, nil
	}
	row = newest.rows[0]
	newest.rows[0] = driver.Entity{} // its text need not stay in memory
	newest.rows = newest.rows[1:]
	return row, newest.of, nil
}

// fill reads on in each channel of which no post is left to yield.
func (m *postMerge) fill(ctx context.Context) error {
	var empty []*channelPosts
	room := searchRows
	for i := range m.channels {
		c := &m.channels[i]
		if room -= len(c.rows); len(c.rows) == 0 && c.from != "" {
			empty = append(empty, c)
		}
	}
	if len(empty) == 0 {
		return nil
	}
	m.reads += len(empty)
	each := max(room/len(empty), 1)
	_, err := concurrent.Gather(ctx, m.feeds.fence.Reads, empty, func(ctx context.Context, c *channelPosts) (none struct{}, _ bool, err error) {
		//lab: Read posts of a channel that is active, to search them.
		c.rows, err = m.feeds.blogs.First(ctx, each, driver.Range{Partition: schema.ChannelPartition(c.of.Key()), From: c.from, To: m.end})
		if err != nil {
			return none, false, fmt.Errorf("searching channel %s: %w", c.of.Key(), err)
		}
		c.from = ""
		if len(c.rows) == each {
			c.from = driver.Successor(c.rows[each-1].Row)
		}
		return none, false, nil
	})
	return err
}

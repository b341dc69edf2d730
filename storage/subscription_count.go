package storage

import (
	"context"
	"sync"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// maxCounted is the largest number that Subscribers counts.
const maxCounted = 1000

// Subscribers counts the subscribers of a channel, up to 1,000. It reports in more
// whether there are more than that.
func (s *Store) Subscribers(ctx context.Context, ref domain.ChannelRef) (n int, more bool, err error) {
	//lab: Count the subscribers of the channel.
	rows, err := s.blogs.First(ctx, maxCounted+1, driver.Range{
		Partition: schema.ChannelPartition(ref.Key), From: schema.Sub.Prefix(), To: schema.PrefixEnd(schema.Sub.Prefix()), Paging: driver.Paging{KeysOnly: true}})
	return min(len(rows), maxCounted), len(rows) > maxCounted, err
}

// SubscribersAt is Subscribers for a version of the channel: each process counts once for
// a version, since subscribers come and go with the gate. The version must have been read
// before (ReadCached passes such a one). Without a version, SubscribersAt counts.
func (s *Store) SubscribersAt(ctx context.Context, ref domain.ChannelRef, version Version) (n int, more bool, err error) {
	if kept, ok := s.counts.get(ref.Key, version); ok {
		return kept.n, kept.more, nil
	}
	n, more, err = s.Subscribers(ctx, ref)
	if err == nil {
		s.counts.set(ref.Key, count{version, n, more})
	}
	return n, more, err
}

// maxCounts bounds the counts that a process keeps.
const maxCounts = 4096

// counts are the numbers of subscribers that a process knows, by channel.
type counts struct {
	mu   sync.Mutex
	kept map[domain.ChannelKey]count
}

type count struct {
	version Version
	n       int
	more    bool
}

func (c *counts) get(key domain.ChannelKey, version Version) (count, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.kept[key]
	return kept, ok && version != "" && kept.version == version
}

// set keeps a count. If there are too many, it drops any other.
func (c *counts) set(key domain.ChannelKey, kept count) {
	if kept.version == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.kept[key]; !known && len(c.kept) >= maxCounts {
		for other := range c.kept {
			delete(c.kept, other)
			break
		}
	}
	if c.kept == nil {
		c.kept = make(map[domain.ChannelKey]count)
	}
	c.kept[key] = kept
}

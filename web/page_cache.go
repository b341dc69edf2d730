package web

import (
	"strings"

	"github.com/maypok86/otter/v2"

	"microblogging/storage"
)

// A pageCache keeps what the pages and feeds of channels show, and for readers who are not
// signed in the pages themselves. Whatever it keeps is under a storage.Version, and is used
// only after that version was read again: so nobody has to take anything out of it, and no
// process has to hear of what another one wrote. It keeps what is asked for often rather
// than what was asked for last, so that a robot that reads everything once evicts nothing.
//
// It is safe for concurrent use. A nil *pageCache keeps nothing.
type pageCache struct {
	kept *otter.Cache[cacheKey, weighed]
}

// A cacheKey names what is kept. It does not change with the version, so that what is kept
// for a new version takes the place of the old.
type cacheKey struct {
	// view names what is shown, for all readers; see channelView. It is empty for a page.
	view string
	// A page is for the address that was asked for, which is in its links.
	secure    bool
	host, uri string
	gzip      bool
}

// weighed is what is kept, with how many bytes it takes, about.
type weighed interface{ bytes() int }

// keptOverhead is how many bytes whatever is kept takes besides what it counts itself: its
// key, its channel and what the cache remembers of it.
const keptOverhead = 1 << 10

// newPageCache returns a cache of so many bytes, or nil if that is not positive.
func newPageCache(limit int64) *pageCache {
	if limit <= 0 {
		return nil
	}
	kept, err := otter.New(&otter.Options[cacheKey, weighed]{
		MaximumWeight: uint64(limit),
		Weigher: func(key cacheKey, value weighed) uint32 {
			return uint32(min(value.bytes()+len(key.view)+len(key.host)+len(key.uri)+keptOverhead, 1<<31))
		},
	})
	if err != nil {
		panic(err) // only if the options contradict each other
	}
	return &pageCache{kept}
}

// A slot is the place of one thing in a pageCache. It implements storage.Cache; the key of
// its methods is not used.
type slot[T interface{ bytes() int }] struct {
	cache *pageCache
	key   cacheKey
}

// occupied is a kept value in the cache.
type occupied[T interface{ bytes() int }] storage.Kept[T]

func (o *occupied[T]) bytes() int { return o.Value.bytes() + len(o.Channel.Description) }

// Get implements storage.Cache.
func (s slot[T]) Get(string) (storage.Kept[T], bool) {
	if s.cache == nil {
		return storage.Kept[T]{}, false
	}
	value, _ := s.cache.kept.GetIfPresent(s.key)
	found, ok := value.(*occupied[T])
	if !ok {
		return storage.Kept[T]{}, false
	}
	return storage.Kept[T](*found), true
}

// Set implements storage.Cache.
func (s slot[T]) Set(_ string, kept storage.Kept[T]) {
	if s.cache == nil {
		return
	}
	// What is kept must not hold on to the buffer of a request.
	s.key.host, s.key.uri = strings.Clone(s.key.host), strings.Clone(s.key.uri)
	value := occupied[T](kept)
	s.cache.kept.Set(s.key, &value)
}

package lab

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"microblogging/domain"
	"microblogging/storage"
)

// A shelf is the cache of one process. Each execution of an actor's code has its own, so
// that what the code does depends only on the answers that it got.
type shelf map[string]storage.Kept[string]

// Get implements storage.Cache, as does Set.
func (s shelf) Get(key string) (storage.Kept[string], bool) {
	kept, ok := s[key]
	return kept, ok
}

// Set implements storage.Cache.
func (s shelf) Set(key string, kept storage.Kept[string]) { s[key] = kept }

// A pageReader reads the channel's page in a process that keeps what it has read.
type pageReader func(ctx context.Context, s *storage.Store, kept shelf) (storage.Kept[string], error)

// versionFirst reads pages as package web does.
func versionFirst(ctx context.Context, s *storage.Store, kept shelf) (storage.Kept[string], error) {
	return storage.ReadCached(ctx, s, kept, anyNews(), "page", func(ctx context.Context, c domain.Channel, v storage.Version) (string, error) {
		return readPage(ctx, s, c, v)
	})
}

// contentFirst reads the content before the version that it keeps it under.
func contentFirst(ctx context.Context, s *storage.Store, kept shelf) (storage.Kept[string], error) {
	channel, err := s.ChannelAt(ctx, anyNews())
	if err != nil {
		return storage.Kept[string]{}, err
	}
	page, err := readPage(ctx, s, channel, "")
	if err != nil {
		return storage.Kept[string]{}, err
	}
	return storage.ReadCached(ctx, s, kept, anyNews(), "page", func(context.Context, domain.Channel, storage.Version) (string, error) {
		return page, nil
	})
}

// anyNews is the address of the channel, whichever incarnation it has.
func anyNews() domain.ChannelAddress {
	return domain.ChannelAddress{Key: channelKey, Expected: domain.Any[domain.Incarnation]()}
}

// look looks at the channel's page this many times, in one process.
func look(times int, read pageReader) body {
	return func(ctx context.Context, c *Client) {
		kept := shelf{}
		for range times {
			c.Tell(Fact{Kind: Looking, Channel: domain.ChannelRef{Key: channelKey}})
			if page, err := read(ctx, c.Store, kept); err == nil {
				c.Tell(Fact{Kind: Shown, Channel: page.Channel.Ref(), Page: page.Value, Version: string(page.Version)})
			}
		}
	}
}

// readPage is what a channel's page shows: a line for each post with its id, its rating
// and its text, and a line with the number of subscribers.
func readPage(ctx context.Context, s *storage.Store, c domain.Channel, v storage.Version) (string, error) {
	page, err := s.Blogs(ctx, c.Ref(), storage.BlogQuery{Limit: feedLimit})
	if err != nil {
		return "", err
	}
	n, _, err := s.SubscribersAt(ctx, c.Ref(), v)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, post := range page.Items {
		fmt.Fprintf(&text, "%s\t%d\t%s\n", post.ID, post.Rating, post.Text)
	}
	fmt.Fprintf(&text, "%d", n)
	return text.String(), nil
}

// A page is what readPage has read.
type page struct {
	posts       []postShown
	subscribers int
}

type postShown struct {
	id     domain.BlogID
	rating int
	text   string
}

func parsePage(text string) page {
	lines := strings.Split(text, "\n")
	n, _ := strconv.Atoi(lines[len(lines)-1])
	p := page{subscribers: n}
	for _, line := range lines[:len(lines)-1] {
		parts := strings.SplitN(line, "\t", 3)
		rating, _ := strconv.Atoi(parts[1])
		p.posts = append(p.posts, postShown{domain.BlogID(parts[0]), rating, parts[2]})
	}
	return p
}

// post is a post on the page.
func (p page) post(id domain.BlogID) (postShown, bool) {
	for _, post := range p.posts {
		if post.id == id {
			return post, true
		}
	}
	return postShown{}, false
}

// words are the page in one line.
func (p page) words() string {
	parts := make([]string, 0, len(p.posts)+1)
	if len(p.posts) == 0 {
		parts = append(parts, "no post")
	}
	for _, post := range p.posts {
		parts = append(parts, fmt.Sprintf("%q with %s", post.text, count(post.rating, "vote")))
	}
	return strings.Join(append(parts, count(p.subscribers, "subscriber")), ", ")
}

package main

import (
	"context"
	"errors"
	"fmt"

	"microblogging/cmd/microblogging/feed"
	"microblogging/domain"
	"microblogging/storage"
)

// importCounts counts what became of a feed's entries.
type importCounts struct {
	// known entries were imported before. cut entries are also among added.
	added, known, cut, leftOut int
}

func (c importCounts) String() string {
	text := fmt.Sprintf("%d posts added, %d already there", c.added, c.known)
	if c.cut > 0 {
		text += fmt.Sprintf(", %d cut to the limit of a post", c.cut)
	}
	if c.leftOut > 0 {
		text += fmt.Sprintf(", %d left out because they are empty", c.leftOut)
	}
	return text
}

// importFeed posts each entry once. An entry that was imported before is left
// alone, even if the feed has changed it or somebody has deleted its post.
// importFeed calls step after each entry.
func importFeed(ctx context.Context, store *storage.Store, channel domain.ChannelRef, owner domain.UserName,
	f feed.Feed, step func() error,
) (importCounts, error) {
	counts := importCounts{leftOut: f.LeftOut}
	for _, entry := range f.Entries {
		_, created, err := store.Post(ctx, storage.Posting{
			Channel:   channel,
			By:        owner,
			Source:    "feed",
			Key:       entry.ID,
			Draft:     domain.Draft{Title: entry.Title, Text: entry.Text},
			CreatedOn: entry.Published,
		})
		switch {
		case errors.Is(err, domain.ErrKeyReused), errors.Is(err, domain.ErrPostGone), err == nil && !created:
			counts.known++
		case err != nil:
			return counts, err
		default:
			counts.added++
			if entry.Cut {
				counts.cut++
			}
		}
		if err := step(); err != nil {
			return counts, err
		}
	}
	return counts, nil
}

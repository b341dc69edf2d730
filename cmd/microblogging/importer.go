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

// An importer posts the entries of one feed, each once.
type importer struct {
	store   *storage.Store
	channel domain.ChannelRef
	owner   domain.UserName
	counts  importCounts
}

// post posts an entry. An entry that was imported before is left alone, even if the
// feed has changed it or somebody has deleted its post.
func (i *importer) post(ctx context.Context, entry feed.Entry) error {
	_, created, err := i.store.Post(ctx, storage.Posting{
		Channel:   i.channel,
		By:        i.owner,
		Source:    "feed",
		Key:       entry.ID,
		Draft:     domain.Draft{Title: entry.Title, Text: entry.Text},
		CreatedOn: entry.Published,
	})
	switch {
	case errors.Is(err, domain.ErrKeyReused), errors.Is(err, domain.ErrPostGone), err == nil && !created:
		i.counts.known++
	case err != nil:
		return err
	default:
		i.counts.added++
		if entry.Cut {
			i.counts.cut++
		}
	}
	return nil
}

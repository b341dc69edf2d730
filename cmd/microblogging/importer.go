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
	// source tells the feed apart from others with the same ids of entries.
	source string
	// fresh tells that this import created the channel, so that no former key is
	// in it.
	fresh  bool
	counts importCounts
}

// formerSource is the Source of every imported post that was made before feeds were
// told apart.
const formerSource = "feed"

// post posts an entry. An entry that was imported before is left alone, even if the
// feed has changed it or somebody has deleted its post.
func (i *importer) post(ctx context.Context, entry feed.Entry) error {
	posting := storage.Posting{
		Channel:   i.channel,
		By:        i.owner,
		Source:    formerSource + " " + i.source,
		Key:       entry.ID,
		Draft:     domain.Draft{Title: entry.Title, Text: entry.Text},
		CreatedOn: entry.Published,
	}
	known, err := i.knows(ctx, posting)
	if err != nil {
		return err
	}
	if known {
		i.counts.known++
		return nil
	}
	_, created, err := i.store.Post(ctx, posting)
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

// knows tells whether an entry was imported before, also under its former key. That
// key is the same for entries of two feeds with the same id, so the post must look
// like the entry.
func (i *importer) knows(ctx context.Context, posting storage.Posting) (bool, error) {
	if i.fresh {
		return false, nil // Post finds out itself
	}
	if known, err := i.store.Posted(ctx, posting); known || err != nil {
		return known, err
	}
	posting.Source = formerSource
	return i.store.PostedAlike(ctx, posting)
}

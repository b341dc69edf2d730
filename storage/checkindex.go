package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"microblogging/domain"
)

// checkIndex is I8, row by row: each post has its row in the index by rating,
// and each row of the index its post. It runs only on a partition whose sums
// disagree, which on a live one may be chance.
func (p *partitionCheck) checkIndex(ctx context.Context) error {
	for row, err := range p.store.blogs.All(ctx, Scan{From: p.key, To: successor(p.key)}) {
		switch {
		case err != nil:
			return fmt.Errorf("reading the posts of channel %s: %w", p.key, err)
		case row.Properties.String(propIncarnation) != string(p.channel.Incarnation):
			continue // an orphan, which has been reported
		case strings.HasPrefix(row.Row, prefixBlog):
			err = p.indexed(ctx, row)
		case strings.HasPrefix(row.Row, prefixRate):
			err = p.pointsAtPost(ctx, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// indexed reports a post that lacks its row in the index.
func (p *partitionCheck) indexed(ctx context.Context, row Entity) error {
	blog := decodeBlog(row)
	want := rateRow(blog.Rating, blog.ID)
	if there, err := p.has(ctx, want); err != nil || there {
		return err
	}
	if stands, err := p.stands(ctx, row); err != nil || !stands {
		return err
	}
	breach := Breach{
		Invariant: "I8", Table: tableBlogs, PartitionKey: p.key, RowKey: row.Row,
		Detail: fmt.Sprintf("rated %d, and not in the index by rating", blog.Rating),
	}
	if p.Repair {
		err := p.store.blogs.Transact(ctx, p.key,
			Merge(row.Row, Match(row.ETag)),
			Insert(want, String(propIncarnation, blog.Channel.Incarnation)))
		switch {
		case err == nil:
			breach.Repaired = "put in the index"
		case raced(err):
			breach.Repaired = "left: it changed in between"
		default:
			return fmt.Errorf("repairing: %w", err)
		}
	}
	p.Report(breach)
	return nil
}

// pointsAtPost reports a row of the index that names no post of that rating.
func (p *partitionCheck) pointsAtPost(ctx context.Context, row Entity) error {
	rating, id, ok := parseRateRow(row.Row)
	post, err := p.store.blogs.Get(ctx, p.key, blogRow(id))
	switch {
	case err == nil && ok && decodeBlog(post).Rating == rating:
		return nil
	case err != nil && !errors.Is(err, domain.ErrNotFound):
		return err
	}
	if stands, err := p.stands(ctx, row); err != nil || !stands {
		return err
	}
	return p.breach(ctx, "I8", row, "in the index by rating, and no post is rated so")
}

// stands tells whether a row was there unchanged all the while since it was
// read, in a channel that nobody deletes: only then what was read of other rows
// meanwhile can be held against it.
func (p *partitionCheck) stands(ctx context.Context, row Entity) (bool, error) {
	if still, err := unchanged(ctx, p.store.blogs, row); err != nil || !still {
		return false, err
	}
	channel, err := p.store.readIncarnation(ctx, p.channel.Ref())
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return channel.State == domain.ChannelActive, err
}

package check

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// checkIndex is I8, row by row. Each post has one row in the index by rating, and as
// many votes as its rating says. Each row of the index has its post. It runs only on
// a partition whose fingerprints disagree. They may disagree without a breach, if
// others write to the partition meanwhile.
func (p *partitionCheck) checkIndex(ctx context.Context) error {
	for row, err := range p.store.blogs.All(ctx, driver.Scan{From: p.key, To: schema.Successor(p.key)}) {
		if err != nil {
			return fmt.Errorf("reading the posts of channel %s: %w", p.key, err)
		}
		if !p.owns(row) || unreadable(schema.TableBlogs, row).why != "" {
			continue // it has been reported
		}
		switch schema.Of(schema.TableBlogs, row.Partition, row.Row) {
		case schema.Blog:
			err = p.blog(ctx, row)
		case schema.Rate:
			err = p.pointsAtPost(ctx, row)
		case schema.Vote:
			err = p.strayVote(ctx, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// blog checks the rating of a post and then its row in the index.
func (p *partitionCheck) blog(ctx context.Context, row driver.Entity) error {
	if counts, err := p.counted(ctx, row); err != nil || !counts {
		return err // to repair the rating also repairs the index
	}
	return p.indexed(ctx, row)
}

// indexed reports a post that has no row in the index.
func (p *partitionCheck) indexed(ctx context.Context, row driver.Entity) error {
	blog := blog.Decode(row)
	want := schema.RateRow(blog.Rating, blog.ID)
	if there, err := p.has(ctx, want); err != nil || there {
		return err
	}
	if steady, err := p.steady(ctx, row); err != nil || !steady {
		return err
	}
	breach := domain.Breach{
		Invariant: "I8", Table: schema.TableBlogs, PartitionKey: p.key, RowKey: row.Row,
		Detail: fmt.Sprintf("rated %d, and not in the index by rating", blog.Rating),
	}
	if p.Repair {
		err := p.store.Behind(ctx, p.channel.Ref(),
			driver.Merge(row.Row, driver.Match(row.ETag)),
			driver.Insert(want, driver.String(schema.PropIncarnation, blog.Channel.Incarnation)))
		switch {
		case err == nil:
			breach.Repaired = "put in the index"
		case errors.Is(err, channel.ErrGateGone), optimistic.Raced(err):
			breach.Repaired = leftChanged
		default:
			return fmt.Errorf("repairing: %w", err)
		}
	}
	p.Report(breach)
	return nil
}

// pointsAtPost reports a row of the index whose post is missing or has another
// rating.
func (p *partitionCheck) pointsAtPost(ctx context.Context, row driver.Entity) error {
	rating, id, ok := schema.ParseRateRow(row.Row)
	post, err := p.store.blogs.Get(ctx, p.key, schema.BlogRow(id))
	switch {
	case err == nil && ok && blog.Decode(post).Rating == rating:
		return nil
	case err != nil && !errors.Is(err, domain.ErrNotFound):
		return err
	}
	if steady, err := p.steady(ctx, row); err != nil || !steady {
		return err
	}
	return p.breach(ctx, "I8", p.channel, row, "in the index by rating, and no post is rated so")
}

// counted reports a post whose rating is not the number of its votes, and returns
// false for it. A repair sets the rating to the number of votes.
func (p *partitionCheck) counted(ctx context.Context, row driver.Entity) (bool, error) {
	blog := blog.Decode(row)
	votes, err := p.countVotes(ctx, blog.ID)
	if err != nil || votes == blog.Rating {
		return true, err
	}
	if steady, err := p.steady(ctx, row); err != nil || !steady {
		return true, err
	}
	breach := domain.Breach{
		Invariant: "I8", Table: schema.TableBlogs, PartitionKey: p.key, RowKey: row.Row,
		Detail: fmt.Sprintf("rated %d by %d votes", blog.Rating, votes),
	}
	if p.Repair {
		if breach.Repaired, err = p.recount(ctx, blog, votes); err != nil {
			return false, err
		}
	}
	p.Report(breach)
	return false, nil
}

// recount sets the rating to the number of votes, in the version of the post that
// was read: each vote changes that version. It moves the post in the index from the
// old rating to the new one. Rows of the index at any other rating are left to
// pointsAtPost.
func (p *partitionCheck) recount(ctx context.Context, blog blog.Entity, votes int64) (string, error) {
	ops := []driver.Operation{
		driver.Merge(schema.BlogRow(blog.ID), driver.Match(blog.ETag), driver.Int64(schema.PropRating, votes)),
	}
	if there, err := p.has(ctx, schema.RateRow(votes, blog.ID)); err != nil {
		return "", err
	} else if !there {
		ops = append(ops, driver.Insert(schema.RateRow(votes, blog.ID), driver.String(schema.PropIncarnation, blog.Channel.Incarnation)))
	}
	if there, err := p.has(ctx, schema.RateRow(blog.Rating, blog.ID)); err != nil {
		return "", err
	} else if there {
		ops = append(ops, driver.Delete(schema.RateRow(blog.Rating, blog.ID), driver.Exists))
	}
	err := p.store.Behind(ctx, p.channel.Ref(), ops...)
	switch {
	case err == nil:
		return "recounted", nil
	case errors.Is(err, channel.ErrGateGone), optimistic.Raced(err):
		return leftChanged, nil
	}
	return "", fmt.Errorf("repairing: %w", err)
}

func (p *partitionCheck) countVotes(ctx context.Context, id domain.BlogID) (int64, error) {
	n := int64(0)
	prefix := schema.VotesOf(id)
	q := driver.Range{Partition: p.key, From: prefix, To: schema.PrefixEnd(prefix), Paging: driver.Paging{Limit: driver.MaxPage, KeysOnly: true}}
	for {
		page, err := p.store.blogs.Range(ctx, q)
		n += int64(len(page.Rows))
		if err != nil || page.Continuation == "" {
			return n, err
		}
		q.Continuation = page.Continuation
	}
}

// strayVote handles a vote. If its post is gone, the worker has not deleted the vote
// yet. Such a vote counts for nothing and is no breach. A repair deletes it, which is
// safe at any time, since the id of a post never returns.
func (p *partitionCheck) strayVote(ctx context.Context, row driver.Entity) error {
	if there, err := p.has(ctx, schema.BlogRow(schema.VotedOn(row.Row))); err != nil || there {
		return err
	}
	_, err := p.delete(ctx, p.store.blogs, row)
	return err
}

// steady tells whether a row has not changed since it was read, and its channel is
// active. Only then other rows that were read meanwhile can be compared with it.
func (p *partitionCheck) steady(ctx context.Context, row driver.Entity) (bool, error) {
	if still, err := optimistic.Unchanged(ctx, p.store.blogs, row); err != nil || !still {
		return false, err
	}
	channel, err := p.store.ReadIncarnation(ctx, p.channel.Ref())
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return channel.State == domain.ChannelActive, err
}

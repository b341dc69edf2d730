package check

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// partitionCheck compares one Blogs partition with its channel.
type partitionCheck struct {
	*Checker
	key string
	// channel was read before the rows. Its incarnation is empty if there is none.
	channel domain.Channel
	// unjudged tells that the channel's row cannot be read: then no row here is compared
	// with it.
	unjudged bool
	// open and shut tell which of the channel's own gates were met.
	open, shut bool
	// blogs and index are the ratings of all posts, by the posts and by the index.
	// rated and votes are the ratings that are not zero, by the posts and by the
	// votes. If each pair agrees, I8 holds; if not, checkIndex reads the partition
	// again, row by row.
	blogs, index, rated, votes fingerprint
	// voted is the post whose votes the scan is reading, and ballots is the number
	// of its votes so far.
	voted   domain.BlogID
	ballots int64
}

// row checks one row. The scan brings the rows in key order.
func (p *partitionCheck) row(ctx context.Context, row driver.Entity) error {
	kind, sound, err := p.judge(ctx, p.store.blogs, row)
	if err != nil || !sound {
		return err
	}
	switch {
	case row.Row == schema.OpenGateRow(p.channel.Incarnation):
		p.open = true
	case row.Row == schema.ShutGateRow(p.channel.Incarnation):
		p.shut = true
	case kind == schema.OpenGate:
		p.fits(kind, p.store.blogs, row)
		return p.strayGate(ctx, row)
	case kind == schema.ReservedGate:
		p.fits(kind, p.store.blogs, row)
		return p.strayReservation(ctx, row)
	case !p.owns(row):
		return p.orphan(ctx, row)
	}
	p.fits(kind, p.store.blogs, row)
	switch kind {
	case schema.Blog:
		blog := blog.Decode(row)
		p.blogs.add(blog.ID, blog.Rating)
		if blog.Rating != 0 {
			p.rated.add(blog.ID, blog.Rating)
		}
	case schema.Rate:
		rating, id, _ := schema.ParseRateRow(row.Row)
		p.index.add(id, rating)
	case schema.Sub:
		return p.paired(ctx, row)
	case schema.Join:
		return p.strayJoin(ctx, row)
	case schema.Vote:
		p.vote(schema.VotedOn(row.Row))
	}
	return nil
}

// owns tells whether a row is of the channel's incarnation.
func (p *partitionCheck) owns(row driver.Entity) bool {
	return p.channel.Incarnation != "" && row.Properties.String(schema.PropIncarnation) == string(p.channel.Incarnation)
}

// vote counts a vote on a post. The votes come one post after another, since their
// keys begin with the post.
func (p *partitionCheck) vote(on domain.BlogID) {
	if on != p.voted {
		p.endVotes()
		p.voted = on
	}
	p.ballots++
}

// endVotes adds the votes on the last post to the fingerprint.
func (p *partitionCheck) endVotes() {
	if p.ballots > 0 {
		p.votes.add(p.voted, p.ballots)
	}
	p.ballots = 0
}

// orphan is I1: it reports a row that is not of the channel's incarnation. It reads
// the channel again first, since that may have been created meanwhile.
func (p *partitionCheck) orphan(ctx context.Context, row driver.Entity) error {
	now, err := p.store.ReadChannel(ctx, domain.ChannelKey(p.key))
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	of := row.Properties.String(schema.PropIncarnation)
	if err == nil && of == string(now.Incarnation) {
		return nil
	}
	if still, err := optimistic.Unchanged(ctx, p.store.blogs, row); err != nil || !still {
		return err
	}
	detail := fmt.Sprintf("belongs to incarnation %q, and no such channel lives", of)
	return p.breach(ctx, "I1", now.Channel, row, detail)
}

// breach reports a row that should not be there. If the checker repairs, it deletes
// the row first. If the channel is active, the row may be on its pages: then it holds
// the gate.
func (p *partitionCheck) breach(ctx context.Context, invariant string, channel domain.Channel, row driver.Entity, detail string) error {
	remove := func(op driver.Operation) error { return p.store.blogs.Transact(ctx, row.Partition, op) }
	if channel.State == domain.ChannelActive {
		remove = func(op driver.Operation) error { return p.store.Behind(ctx, channel.Ref(), op) }
	}
	repaired, err := p.remove(row, remove)
	if err != nil {
		return err
	}
	p.Report(domain.Breach{Invariant: invariant, Table: schema.TableBlogs, PartitionKey: row.Partition, RowKey: row.Row, Detail: detail, Repaired: repaired})
	return nil
}

// end checks what concerns the partition as a whole, after its last row.
func (p *partitionCheck) end(ctx context.Context) error {
	if p.channel.Incarnation == "" {
		return nil
	}
	if err := p.checkGates(ctx); err != nil {
		return err
	}
	p.endVotes()
	switch {
	case p.channel.State == domain.ChannelDeleting:
		// The sweep deletes rows in no order, so that the index need not agree.
		return p.checkRecorded(ctx)
	case p.blogs != p.index, p.rated != p.votes:
		return p.checkIndex(ctx)
	}
	return nil
}

// checkRecorded is the part of I5 about the Deletions row: a channel is marked only
// after its deletion was recorded.
func (p *partitionCheck) checkRecorded(ctx context.Context) error {
	_, err := p.store.deletions.Get(ctx, p.key, schema.DeletionRow(p.channel.Incarnation))
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	breach := domain.Breach{
		Invariant: "I5", Table: schema.TableChannels, PartitionKey: p.key, RowKey: schema.SingleRow,
		Detail: "marked as being deleted, and no deletion is recorded",
	}
	if p.Repair {
		message := deletion.MessageFor(p.channel, p.channel.Owner)
		if err := p.store.OpenDeletion(ctx, message); err != nil {
			return err
		}
		if err := p.store.Enqueue(ctx, message); err != nil {
			return fmt.Errorf("repairing: %w", err)
		}
		breach.Repaired = "queued"
	}
	p.Report(breach)
	return nil
}

func (p *partitionCheck) has(ctx context.Context, row string) (bool, error) {
	return p.store.HasRow(ctx, domain.ChannelKey(p.key), row)
}

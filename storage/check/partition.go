package check

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// partitionCheck compares one Blogs partition with its channel.
type partitionCheck struct {
	*Checker
	key string
	// channel is as it was read. Its incarnation is empty if there is none.
	channel domain.Channel
	// unjudged reports whether the channel's row cannot be read: then no row here is compared
	// with it.
	unjudged bool
	// open and shut tell which of the channel's own gates were met.
	open, shut bool
	// rule is the row that says who may post. Its ETag is empty if none was met.
	rule driver.Entity
	// index is zero if I8 holds. Each post adds its row of the index by rating, and as many
	// votes as its rating says. Each row of the index and each vote takes itself away. If
	// something is left, checkIndex reads the partition again, row by row.
	index fingerprint
	// toList are posts, replies and votes that were read, and not yet looked for on the lists of their users.
	toList []driver.Entity
	// asked is the post that a message may ask to delete, of the votes that were met last without their post.
	asked domain.BlogID
	// repliedTo is the post of the replies that were met last, if they may be there.
	repliedTo domain.BlogID
}

// begin is told of the channel's row, which comes before the rows of the partition.
func (p *partitionCheck) begin(ctx context.Context, row driver.Entity, sound bool) error {
	p.counts.Channels++
	if p.unjudged = !sound; p.unjudged {
		return nil
	}
	p.channel = fence.Decode(row).Channel
	return p.checkOwned(ctx)
}

// checkOwned is the part of I8 about the owner's list, on which the channel was put before its gate was
// opened. It is I12 if the owner's account is gone.
//
// The deletion of the account, and what takes a row off the list, set the channel pending or take its gate
// away before. So both are read again, after the account.
func (p *partitionCheck) checkOwned(ctx context.Context) error {
	if p.channel.State != domain.ChannelActive {
		return nil
	}
	//lab: Read whether the channel is on its owner's list.
	_, err := p.store.users.Get(ctx, schema.UserPartition(p.channel.Owner), schema.OwnedRow(p.channel.Key()))
	if !errors.Is(err, domain.ErrNotFound) {
		return unlessAbsent(err) // no user can have a name that is too long
	}
	of, err := p.erasureOf(ctx, p.channel.Owner)
	if err != nil {
		return err
	}
	//lab: Read whether the gate of the channel is open.
	gate, err := p.store.blogs.Get(ctx, p.key, schema.OpenGateRow(p.channel.Incarnation))
	if err != nil {
		return unlessAbsent(err)
	}
	now, err := p.store.ReadIncarnation(ctx, p.channel.Ref())
	switch {
	case err != nil || now.State != domain.ChannelActive:
		return unlessAbsent(err)
	case of.State == domain.AccountGone:
		return p.ofNobody(ctx, p.channel.Ref(), gate, of)
	}
	return p.channelViolation("I8", "not on the list of its owner", func() (string, error) {
		return "listed", p.store.ListChannel(ctx, p.channel)
	})
}

// row checks one row that can be read.
func (p *partitionCheck) row(ctx context.Context, kind *schema.Kind, row driver.Entity) error {
	open := row.Row == schema.OpenGateRow(p.channel.Incarnation)
	shut := row.Row == schema.ShutGateRow(p.channel.Incarnation)
	p.open, p.shut = p.open || open, p.shut || shut
	strays := kind == schema.OpenGate && !open || kind == schema.ReservedGate
	switch {
	case strays || p.owns(row):
	case open || shut:
		return p.violation("I1", p.store.blogs, row, "a gate whose key and incarnation differ", leave(leftUnknown))
	default:
		return p.orphan(ctx, row)
	}
	if err := p.fits(kind, p.store.blogs, row); err != nil {
		return err
	}
	switch kind {
	case schema.OpenGate, schema.ReservedGate:
		if strays {
			return p.strayGate(ctx, kind, row)
		}
	case schema.Blog:
		post := blog.Decode(row)
		p.index.add(1, schema.RateRow(post.Rating, post.ID))
		p.index.add(post.Rating, schema.VotesOf(post.ID))
		return p.listed(ctx, row)
	case schema.Rate:
		p.index.add(-1, row.Row)
	case schema.Vote:
		p.index.add(-1, schema.VotesOf(schema.VotedOn(row.Row)))
		return p.listed(ctx, row)
	case schema.Reply:
		return errors.Join(p.strayReply(ctx, row), p.listed(ctx, row))
	case schema.PostingRule:
		return p.secondRule(ctx, row)
	case schema.Sub:
		return p.paired(ctx, row)
	case schema.Join:
		return p.strayJoin(ctx, row)
	}
	return nil
}

// owns reports whether a row is of the channel's incarnation.
func (p *partitionCheck) owns(row driver.Entity) bool {
	return p.channel.Incarnation != "" && row.Properties.String(schema.PropIncarnation) == string(p.channel.Incarnation)
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
	return p.misplaced(ctx, "I1", now.Channel, row, fmt.Sprintf("belongs to incarnation %q, and no such channel lives", of))
}

// misplaced reports a row that should not be there. A repair deletes it. If the channel is
// active, the row may be on its pages: then the deletion has the gate.
func (p *partitionCheck) misplaced(ctx context.Context, invariant string, channel domain.Channel, row driver.Entity, detail string) error {
	mend := deletes(ctx, p.store.blogs, row)
	if channel.State == domain.ChannelActive {
		mend = func() (string, error) {
			return "deleted", p.store.TransactIfOpen(ctx, channel.Ref(), driver.Delete(row.Row, driver.Match(row.ETag)))
		}
	}
	return p.violation(invariant, p.store.blogs, row, detail, mend)
}

// end checks what concerns the partition as a whole, after its last row.
func (p *partitionCheck) end(ctx context.Context) error {
	if p.channel.Incarnation == "" {
		return nil
	}
	if err := errors.Join(p.checkListed(ctx), p.checkGates(ctx)); err != nil {
		return err
	}
	switch {
	case p.channel.State != domain.ChannelActive:
		// The sweep deletes rows in no order, so that the index need not agree.
		return p.checkRecorded(ctx)
	case p.index != fingerprint{}:
		return p.checkIndex(ctx)
	}
	return nil
}

// checkRecorded is the part of I5 about the Deletions row: a channel is set pending only
// after its deletion was recorded, and is no longer once that is over. If its row landed late, after
// its deletion, and was set pending then, the index of open deletions leads to it.
func (p *partitionCheck) checkRecorded(ctx context.Context) error {
	//lab: Read whether the deletion is recorded.
	record, err := p.store.deletions.Get(ctx, p.key, schema.DeletionRow(p.channel.Incarnation))
	detail := "being deleted, and no deletion is recorded"
	if err == nil {
		if !deletion.Decode(record).Over() {
			return nil
		}
		detail = "being deleted, and its deletion is recorded as over"
		//lab: Read whether the deletion is on the index.
		_, err = p.store.deletions.Get(ctx, schema.OpenPartition(p.channel.Key()), schema.RefRow(p.channel.Ref()))
	}
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	now, err := p.store.ReadIncarnation(ctx, p.channel.Ref())
	if err != nil || now.State == domain.ChannelActive || now.UndoCount != p.channel.UndoCount {
		return unlessAbsent(err)
	}
	return p.channelViolation("I5", detail, func() (string, error) {
		message := deletion.MessageFor(p.channel, p.channel.Owner)
		err := p.store.ListDeletion(ctx, message)
		if err == nil {
			err = p.store.RecordDeletion(ctx, message)
		}
		if err == nil {
			err = p.store.Enqueue(ctx, message)
		}
		return "queued", err
	})
}

// channelViolation reports a violation that the row of the channel shows.
func (p *partitionCheck) channelViolation(invariant, detail string, mend repair) error {
	return p.violation(invariant, p.store.channels, driver.Entity{Partition: p.key, Row: schema.SingleRow}, detail, mend)
}

func (p *partitionCheck) has(ctx context.Context, row string) (bool, error) {
	return p.store.HasRow(ctx, domain.ChannelKey(p.key), row)
}

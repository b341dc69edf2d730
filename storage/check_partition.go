package storage

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// partitionCheck holds one Blogs partition against its channel.
type partitionCheck struct {
	*Checker
	key string
	// channel is the one that was read before the rows; its incarnation is empty
	// if there is none.
	channel domain.Channel
	// open and shut tell which of the channel's own gates were met.
	open, shut bool
	// blogs, index and votes sum up what each of the three says of the rating of
	// every post, and of every post that is rated. They agree if the index is
	// right; if not, the partition is read again, row by row.
	blogs, index, rated, votes fingerprint
	// voted and ballots are the post whose votes the scan is passing, and how many
	// there were so far.
	voted   domain.BlogID
	ballots int64
}

// row looks at one row as the scan brings it.
func (p *partitionCheck) row(ctx context.Context, row driver.Entity) error {
	own := row.Properties.String(propIncarnation) == string(p.channel.Incarnation) && p.channel.Incarnation != ""
	switch {
	case row.Row == openGate(p.channel.Incarnation):
		p.open = true
	case row.Row == shutGate(p.channel.Incarnation):
		p.shut = true
	case strings.HasPrefix(row.Row, prefixOpen):
		return p.strayGate(ctx, row)
	case strings.HasPrefix(row.Row, prefixSeed):
		return p.straySeed(ctx, row)
	case !own:
		if strings.HasPrefix(row.Row, prefixBlog) {
			p.counts.Blogs++
		}
		return p.orphan(ctx, row)
	case strings.HasPrefix(row.Row, prefixBlog):
		p.counts.Blogs++
		blog := decodeBlog(row)
		p.blogs.add(blog.ID, blog.Rating)
		if blog.Rating != 0 {
			p.rated.add(blog.ID, blog.Rating)
		}
	case strings.HasPrefix(row.Row, prefixRate):
		rating, id, _ := parseRateRow(row.Row)
		p.index.add(id, rating)
	case strings.HasPrefix(row.Row, prefixSub):
		return p.paired(ctx, row)
	case strings.HasPrefix(row.Row, prefixJoin):
		return p.strayJoin(ctx, row)
	case strings.HasPrefix(row.Row, prefixVote):
		p.vote(votedOn(row.Row))
	}
	return nil
}

// vote counts the votes on each post. They come one post after another, since
// the post is the first part of their keys.
func (p *partitionCheck) vote(on domain.BlogID) {
	if on != p.voted {
		p.endVotes()
		p.voted = on
	}
	p.ballots++
}

func (p *partitionCheck) endVotes() {
	if p.ballots > 0 {
		p.votes.add(p.voted, p.ballots)
	}
	p.ballots = 0
}

// strayGate is the open gate of a creation that died or is under way. It is
// harmless and no breach; repairing removes it. The gate was read first: if its
// channel's row is absent now, the creation has either died or will see that its
// gate is gone and start over.
func (p *partitionCheck) strayGate(ctx context.Context, gate driver.Entity) error {
	if !p.Repair {
		return nil
	}
	now, err := p.store.readChannel(ctx, domain.ChannelKey(p.key))
	switch {
	case err != nil && !errors.Is(err, domain.ErrNotFound):
		return err
	case err == nil && gate.Row == openGate(now.Incarnation):
		return nil
	}
	_, err = p.delete(ctx, p.store.blogs, gate)
	return err
}

// straySeed is the seed of a gate whose creation died, is under way, or was over
// long before a copy of the insert arrived. It is harmless and no breach; repairing
// removes it, which is safe at any time: a creation under way will see that its
// seed is gone, and start over as another incarnation.
func (p *partitionCheck) straySeed(ctx context.Context, seed driver.Entity) error {
	_, err := p.delete(ctx, p.store.blogs, seed)
	return err
}

// orphan reports a row that is not of the channel's incarnation, if that is
// still so: the channel may have been created since it was read.
func (p *partitionCheck) orphan(ctx context.Context, row driver.Entity) error {
	now, err := p.store.readChannel(ctx, domain.ChannelKey(p.key))
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	of := row.Properties.String(propIncarnation)
	if err == nil && of == string(now.Incarnation) {
		return nil
	}
	if still, err := unchanged(ctx, p.store.blogs, row); err != nil || !still {
		return err
	}
	detail := fmt.Sprintf("belongs to incarnation %q, and no such channel lives", of)
	return p.breach(ctx, "I1", row, detail)
}

// breach reports a row that should not be there, after deleting it if repairing.
func (p *partitionCheck) breach(ctx context.Context, invariant string, row driver.Entity, detail string) error {
	repaired, err := p.delete(ctx, p.store.blogs, row)
	if err != nil {
		return err
	}
	p.Report(Breach{invariant, tableBlogs, row.Partition, row.Row, detail, repaired})
	return nil
}

// end holds the whole partition against its channel.
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
		// Its rows go in no order that the index could be held against.
		return p.checkRecorded(ctx)
	case p.blogs != p.index, p.rated != p.votes:
		return p.checkIndex(ctx)
	}
	return nil
}

// checkRecorded is the part of I5 that a missing row breaks: a channel is
// marked only after its deletion was recorded.
func (p *partitionCheck) checkRecorded(ctx context.Context) error {
	_, err := p.store.deletions.Get(ctx, p.key, deletionRow(p.channel.Incarnation))
	if !errors.Is(err, domain.ErrNotFound) {
		return err
	}
	breach := Breach{
		Invariant: "I5", Table: tableChannels, PartitionKey: p.key, RowKey: only,
		Detail: "marked as being deleted, and no deletion is recorded",
	}
	if p.Repair {
		message := channelMessage(p.channel, p.channel.Owner)
		if err := p.store.OpenDeletion(ctx, message); err != nil {
			return err
		}
		if err := p.store.queue.Send(ctx, message.Encode()); err != nil {
			return fmt.Errorf("repairing: %w", err)
		}
		breach.Repaired = "queued"
	}
	p.Report(breach)
	return nil
}

// checkGates is I9.
func (p *partitionCheck) checkGates(ctx context.Context) error {
	active := p.channel.State == domain.ChannelActive
	if active && p.open && !p.shut || !active && !(p.open && p.shut) {
		return nil
	}
	shut, err := p.has(ctx, shutGate(p.channel.Incarnation))
	if err != nil {
		return err
	}
	open, err := p.has(ctx, openGate(p.channel.Incarnation))
	if err != nil {
		return err
	}
	// A deletion marks the channel, shuts the gate and then removes it. Read in the
	// opposite order, the three cannot look wrong because it goes on meanwhile.
	now, err := p.store.readIncarnation(ctx, p.channel.Ref())
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	breach := Breach{Invariant: "I9", Table: tableChannels, PartitionKey: p.key, RowKey: only}
	switch active := now.State == domain.ChannelActive; {
	case open && shut:
		breach.Detail = "has both its gates"
	case active && shut:
		breach.Detail = "active behind a shut gate"
	case active && !open:
		breach.Detail = "active without a gate"
		if breach.Repaired, err = p.takeBack(ctx, now); err != nil {
			return err
		}
	default:
		return nil
	}
	p.Report(breach)
	return nil
}

// takeBack removes a row without gates, if repairing, and says so.
func (p *partitionCheck) takeBack(ctx context.Context, row channelRow) (string, error) {
	if !p.Repair {
		return "", nil
	}
	switch ungated, err := p.store.removeUngated(ctx, row); {
	case err != nil:
		return "", fmt.Errorf("repairing: %w", err)
	case !ungated:
		return "left: it changed in between", nil
	default:
		return "deleted", nil
	}
}

func (p *partitionCheck) has(ctx context.Context, row string) (bool, error) {
	_, err := p.store.blogs.Get(ctx, p.key, row)
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// fingerprint sums up a set of posts and ratings, whatever their order: two
// sets that differ have different sums, but for a chance of 2 to the -128.
type fingerprint struct {
	low, high uint64
	n         int
}

func (f *fingerprint) add(id domain.BlogID, rating int64) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d!%s", rating, id))
	f.low += binary.LittleEndian.Uint64(sum[:8])
	f.high += binary.LittleEndian.Uint64(sum[8:16])
	f.n++
}

package check

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// checkIndex is I8, row by row. Each post has one row in the index by rating, and as
// many votes as its rating says. Each row of the index has its post. It runs only on
// a partition whose fingerprint is not zero. That may be so without a violation, if
// others write to the partition meanwhile.
func (p *partitionCheck) checkIndex(ctx context.Context) error {
	for row, err := range p.store.blogs.All(ctx, driver.Scan{From: p.key, To: driver.Successor(p.key)}) {
		if err != nil {
			return err
		}
		kind := schema.Of(schema.TableBlogs, row.Partition, row.Row)
		if !p.owns(row) || unreadable(schema.TableBlogs, kind, row) != "" {
			continue // it has been reported
		}
		switch kind {
		case schema.Blog:
			err = p.counted(ctx, row)
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

// counted reports a post whose rating is not the number of its votes, and one that the index
// does not have at its rating.
func (p *partitionCheck) counted(ctx context.Context, row driver.Entity) error {
	post := blog.Decode(row)
	votes, err := p.countVotes(ctx, post.ID)
	wrong := fmt.Sprintf("rated %d by %d votes", post.Rating, votes)
	if err == nil && votes == post.Rating {
		var there bool
		if there, err = p.has(ctx, schema.RateRow(votes, post.ID)); there {
			return nil
		}
		wrong = fmt.Sprintf("rated %d, and not in the index by rating", votes)
	}
	if err != nil {
		return err
	}
	if steady, err := p.steady(ctx, row); err != nil || !steady {
		return err
	}
	return p.violation("I8", p.store.blogs, row, wrong, func() (string, error) {
		return "recounted", p.recount(ctx, post, votes)
	})
}

// recount sets the rating to the number of votes, in the version of the post that
// was read: each vote changes that version. It moves the post in the index from the
// old rating to the new one. Rows of the index at any other rating are left to
// pointsAtPost.
func (p *partitionCheck) recount(ctx context.Context, post blog.Entity, votes int64) error {
	now, before := schema.RateRow(votes, post.ID), schema.RateRow(post.Rating, post.ID)
	ops := []driver.Operation{
		driver.Merge(schema.BlogRow(post.ID), driver.Match(post.ETag), driver.Int64(schema.PropRating, votes)),
	}
	there, err := p.has(ctx, now)
	left, unread := p.has(ctx, before)
	if err = errors.Join(err, unread); err != nil {
		return err
	}
	if !there {
		ops = append(ops, driver.Insert(now, driver.String(schema.PropIncarnation, post.Channel.Incarnation)))
	}
	if left && now != before {
		ops = append(ops, driver.Delete(before, driver.Exists))
	}
	return p.store.TransactIfOpen(ctx, p.channel.Ref(), ops...)
}

func (p *partitionCheck) countVotes(ctx context.Context, id domain.BlogID) (n int64, err error) {
	prefix := schema.VotesOf(id)
	votes := driver.Range{Partition: p.key, From: prefix, To: schema.PrefixEnd(prefix), Paging: driver.Paging{KeysOnly: true}}
	for _, err := range p.store.blogs.Within(ctx, votes) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
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
	return p.misplaced(ctx, "I8", p.channel, row, "in the index by rating, and no post is rated so")
}

// strayVote handles a vote without its post. While a message may ask for the deletion of the post, the vote
// is no violation. The message is sent before the post is deleted, and ended after the votes are. Nor does a
// repair delete the vote then: it deletes nothing that it does not report.
func (p *partitionCheck) strayVote(ctx context.Context, row driver.Entity) error {
	id := schema.VotedOn(row.Row)
	if there, err := p.has(ctx, schema.BlogRow(id)); err != nil || there || id == p.asked {
		return err
	}
	switch asked, err := p.isAsked(ctx, id); {
	case err != nil:
		return err
	case asked:
		p.asked = id
		return nil
	}
	if steady, err := p.steady(ctx, row); err != nil || !steady {
		return err
	}
	return p.misplaced(ctx, "I8", p.channel, row, "a vote on a post that is not there")
}

// strayReply is I1 of a reply without its post. While the deletion of the post is on the index, it is no violation.
func (p *partitionCheck) strayReply(ctx context.Context, row driver.Entity) error {
	post := blog.DecodeReply(row).Post
	if post == p.repliedTo {
		return nil
	}
	there, err := p.has(ctx, schema.BlogRow(post))
	if err == nil && !there {
		//lab: Read whether the deletion of the post is on the index.
		open, unread := p.store.deletions.Find(ctx, schema.OpenPartition(p.channel.Key()), schema.OpenBlogRow(p.channel.Ref(), post))
		there, err = open.Found(), unread
	}
	if err != nil || there {
		p.repliedTo = post
		return err
	}
	if steady, err := p.steady(ctx, row); err != nil || !steady {
		return err
	}
	return p.misplaced(ctx, "I1", p.channel, row, "a reply to a post that is not there")
}

// isAsked reports whether a message may ask for the deletion of a post: any on the queue, of which only
// the number is known, or the post's own that waits for an operator.
func (p *partitionCheck) isAsked(ctx context.Context, id domain.BlogID) (bool, error) {
	if queued, err := p.isQueued(ctx); queued || err != nil {
		return queued, err
	}
	for m, err := range p.store.PoisonMessages(ctx) {
		if err != nil || m.Ref() == p.channel.Ref() && m.Blog == id {
			return true, err
		}
	}
	return p.isQueued(ctx) // an operator may have queued it again in between
}

// isQueued reports whether any message is on the queue.
func (p *partitionCheck) isQueued(ctx context.Context) (bool, error) {
	//lab: Count the messages.
	n, err := p.store.Messages().Length(ctx)
	return n > 0, err
}

// steady reports whether a row has not changed since it was read, and its channel is
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

// fingerprint is a sum over a set of keys, in any order. What is added and what is taken away
// leaves nothing if both are the same, and otherwise with a probability of 2 to the power of
// -128.
type fingerprint struct{ low, high uint64 }

// add adds a key so many times. A negative number takes it away.
func (f *fingerprint) add(times int64, key string) {
	sum := sha256.Sum256([]byte(key))
	f.low += uint64(times) * binary.LittleEndian.Uint64(sum[:8])
	f.high += uint64(times) * binary.LittleEndian.Uint64(sum[8:16])
}

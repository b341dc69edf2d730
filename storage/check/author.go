package check

import (
	"context"
	"errors"

	"microblogging/domain"
	"microblogging/storage/blog"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/reader"
	"microblogging/storage/schema"
)

// listed gathers posts, replies and votes, and reads as many places on lists concurrently as are worth it. The
// list is written before them, so one that is missing there is a violation.
func (p *partitionCheck) listed(ctx context.Context, row driver.Entity) error {
	if p.toList = append(p.toList, row); len(p.toList) < concurrent.Points {
		return nil
	}
	return p.checkListed(ctx)
}

// checkListed is I8 of the posts, replies and votes that were gathered.
func (p *partitionCheck) checkListed(ctx context.Context) error {
	missing, err := concurrent.Gather(ctx, p.store.Fence.Reads, p.toList, func(ctx context.Context, row driver.Entity) (driver.Entity, bool, error) {
		user, entry := blog.ListedAs(row)
		if entry == "" {
			return row, false, nil // it is on no list
		}
		//lab: Read whether the post, reply or vote is on its user's list.
		listed, err := p.store.users.Get(ctx, schema.UserPartition(user), entry)
		in, _, _ := reader.Listed(schema.Wrote, listed)
		return row, in != p.channel.Ref(), unlessAbsent(err)
	})
	p.toList = p.toList[:0]
	for _, row := range missing {
		steady, unread := p.steady(ctx, row)
		if err = errors.Join(err, unread); err == nil && steady {
			err = p.unlisted(ctx, row)
		}
	}
	return err
}

// unlisted reports a post, reply or vote that is not on the list of its user: I8, or I12 if their account
// is gone.
func (p *partitionCheck) unlisted(ctx context.Context, row driver.Entity) error {
	user, _ := blog.ListedAs(row)
	of, err := p.erasureOf(ctx, user)
	switch {
	case err != nil:
		return err
	case of.State == domain.AccountGone:
		return p.ofNobody(ctx, p.channel.Ref(), row, of)
	}
	return p.violation("I8", p.store.blogs, row, "not on the list of its user", func() (string, error) {
		switch {
		case schema.Vote.Has(row.Row):
			return "listed", p.store.ListVote(ctx, p.channel.Ref(), schema.VotedOn(row.Row), user)
		case schema.Reply.Has(row.Row):
			return "listed", p.store.ListReply(ctx, blog.DecodeReply(row))
		}
		return "listed", p.store.ListPosts(ctx, user, blog.Decode(row).Blog)
	})
}

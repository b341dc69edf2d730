package blog

import (
	"context"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A permit lets one user post to one channel, edit what they posted, or vote there.
type permit struct {
	ref domain.ChannelRef
	by  domain.UserName
	// free reports whether the user needs neither a rule nor the check of their account: an owner who posts
	// or edits, as a deletion of their account deletes the channel; or a user who takes a vote back.
	free bool
	// refuses says why the rule forbids it. It is nil for a vote, which anybody may give.
	refuses func(context.Context, PostingRule) error
	// exists, if it is set, is called before the channel's first rule is inserted for this permit. It
	// returns why there is nothing to permit.
	exists func(context.Context) error
	// list puts what is to be written on the user's list. It is nil if that is there already.
	list func(context.Context) error

	// revision is that of the rule which lets the user post.
	revision string
	// listed reports whether list has been called, and admitted whether only the transaction is left.
	listed, admitted bool
}

func (s *Posts) postPermit(in domain.Channel, by domain.UserName) *permit {
	return &permit{ref: in.Ref(), by: by, free: by == in.Owner, refuses: func(ctx context.Context, g PostingRule) error {
		return s.Refuses(ctx, g, in, by)
	}}
}

// permitted writes what a user posts, edits or votes, in four steps:
//
//  1. It reads the posting rule, on which the transaction will depend, and writes one if there is none.
//  2. It puts what is to be written on the user's list.
//  3. Only then it checks that the account is active. So a deletion of the account that it does not see
//     will find the entry on the list, and replace the rule (package erasure).
//  4. It sends one transaction behind the gate, which merges the rule. (Before it, a post notes that its
//     channel is active.)
//
// If the rule was replaced before the fourth step, it begins again with the first. Once it is refused, no
// transaction that it has sent can take effect any more.
//
// An admitted permit (edit, later batch, retry) begins with the fourth. operations is called before
// each transaction, and returns what it holds besides gate and rule.
func (s *Posts) permitted(ctx context.Context, p *permit, operations func(context.Context) ([]driver.Operation, error)) error {
	return s.pause.Retry(ctx, func() error {
		if !p.admitted {
			if err := s.admit(ctx, p); err != nil { // 1
				return err
			}
			if p.list != nil && !p.listed { // 2
				if err := p.list(ctx); err != nil {
					return err
				}
				p.listed = true
			}
			if !p.free { // 3
				if err := s.fence.RequireActive(ctx, p.by); err != nil {
					return err
				}
			}
			p.admitted = true
		}
		write, err := operations(ctx) // 4
		if err != nil {
			return err
		}
		rule := 1 + len(write) // after the gate, which is operation 0
		if !p.free {
			write = append(write, driver.Merge(schema.PostingRuleRow(p.revision), driver.Exists))
		}
		//lab: Write the post, the reply, the edit or the vote, in one transaction.
		err = s.fence.TransactIfOpen(ctx, p.ref, write...)
		if optimistic.FailedAt(err, rule, domain.ErrNotFound) { // another rule is there by now
			p.admitted = false
			return optimistic.ErrAgain
		}
		return err
	})
}

// admit reads the posting rule, inserts one if the channel has none, and returns why it forbids what the
// user wants, as Refuses does.
func (s *Posts) admit(ctx context.Context, p *permit) error {
	if p.free {
		return nil
	}
	return s.pause.Retry(ctx, func() error {
		g, err := s.ruleRow(ctx, p.ref)
		if err == nil && g.revision == "" {
			if p.exists != nil {
				err = p.exists(ctx)
			}
			if err == nil {
				err = s.begin(ctx, p.ref)
			}
		}
		if err != nil {
			return err
		}
		if p.revision = g.revision; p.refuses == nil {
			return nil
		}
		return p.refuses(ctx, g)
	})
}

// begin inserts the rule of a channel that has none. It returns optimistic.ErrAgain if a rule is there now.
func (s *Posts) begin(ctx context.Context, ref domain.ChannelRef) error {
	now, version, err := s.ruleAndVersion(ctx, ref)
	if err == nil && now.revision == "" {
		err = s.replace(ctx, ref, now, version)
	}
	if err != nil {
		return err
	}
	return optimistic.ErrAgain
}

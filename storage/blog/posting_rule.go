package blog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Who may post. The owner of a channel always may: its incarnation never has another owner. All other
// users are bound by its posting rule: one row of the channel's partition, posting! and a random revision,
// says which of them may post. It is a fence, as the gate is:
//
//   - The transaction of their post or edit merges the row that its request has read.
//   - A change of the rule replaces the row with a new one, in one transaction.
//
// So once a change is acknowledged, a post or edit that was sent under the former rule fails. One row
// has the whole rule. If each blocked user had a row of their own, a request that reads it and the
// revision concurrently might read the one before a change and the other after it.
//
// A channel begins without the row: its gate says who may post, and blocks no one. The first request that needs
// the row reads the gate, then that there is no row, and inserts it if the gate is unchanged, so there is never a
// second one. An ETag never repeats, so a delayed duplicate of that transaction fails. So does one of a change,
// because the revision of the row that it deletes never comes back. (I11)
//
// The rule names accounts: with each name it has the time at which the account was made. The deletion of an
// account does not find every rule that names it, and after 30 days the name may belong to another person, who
// is neither blocked nor a member.

// How many people a rule can name. Their names fit in one property each.
const (
	MaxBlocked = 100
	MaxMembers = 200
)

// PostingRule is the rule for all but the owner of a channel. The account that has a name on one of its lists may
// be another by now: see Posts.Refuses and Posts.WithAccounts.
type PostingRule struct {
	domain.Posting

	incarnation domain.Incarnation
	// revision is empty if no row has the rule.
	revision string
}

// In is the rule, if it is of this incarnation. Otherwise it is a rule that refuses no one.
func (g PostingRule) In(ref domain.ChannelRef) PostingRule {
	if g.incarnation != ref.Incarnation {
		return PostingRule{Posting: domain.Posting{Posters: domain.PostersOpen}, incarnation: ref.Incarnation}
	}
	return g
}

// onList reports whether the account that has a name now is on a list of a rule. It reads the account only if the list
// has the name. A user without an account is one who never had one.
func (s *Posts) onList(ctx context.Context, accounts []domain.User, user domain.UserName) (bool, error) {
	at, named := domain.Named(accounts, user)
	if !named {
		return false, nil
	}
	since, err := s.fence.AccountSince(ctx, user)
	return since.Equal(accounts[at].CreatedOn), err
}

// WithAccounts returns those of the accounts on a list that are there and are not being deleted.
func (s *Posts) WithAccounts(ctx context.Context, accounts []domain.User) ([]domain.User, error) {
	return concurrent.Gather(ctx, s.fence.Reads, accounts, func(ctx context.Context, account domain.User) (domain.User, bool, error) {
		there, err := s.fence.HasAccount(ctx, account)
		return account, there, err
	})
}

// Members lists up to limit of the members of a channel who have an account, by name. After is the Next of the page
// before. A cursor of another list is an InvalidError on the field "after".
func (s *Posts) Members(ctx context.Context, in domain.Channel, after string, limit int) (members driver.ListPage[domain.User], err error) {
	list := driver.List{Name: "members/" + string(in.Incarnation), After: after, Limit: limit}
	position, err := list.Position()
	if err != nil {
		return members, err
	}
	g, err := s.ruleRow(ctx, in.Ref())
	if err != nil {
		return members, err
	}
	from, found := domain.Named(g.Members, domain.UserName(position))
	if found {
		from++
	}
	all, err := s.WithAccounts(ctx, g.Members[from:])
	members.Items, members.Next = driver.Cut(list, all, func(member domain.User) string { return string(member.Name) })
	return members, err
}

// Refuses returns why a user may not post to a channel, nor edit what they posted there:
// domain.ErrOwnerPosts, ErrMembersPost or ErrBlocked. If they may, it is nil.
func (s *Posts) Refuses(ctx context.Context, g PostingRule, in domain.Channel, user domain.UserName) error {
	g = g.In(in.Ref())
	switch {
	case user == in.Owner:
		return nil
	case g.Posters == domain.PostersOwner:
		return domain.ErrOwnerPosts
	case g.Posters == domain.PostersMembers:
		if member, err := s.onList(ctx, g.Members, user); err != nil || !member {
			return cmp.Or(err, domain.ErrMembersPost)
		}
	}
	blocked, err := s.onList(ctx, g.Blocked, user)
	if err == nil && blocked {
		err = domain.ErrBlocked
	}
	return err
}

// Same reports whether two rules that were read are the same one. Each change makes another, with a
// revision that no other rule has.
func (g PostingRule) Same(other PostingRule) bool { return g.revision == other.revision }

// PostingRule reads the rule of a channel. If no row has the rule, it is what the gate says, which PostingRule reads
// too unless the channel was read with it.
func (s *Posts) PostingRule(ctx context.Context, in domain.Channel) (g PostingRule, err error) {
	first := in.First
	err = s.fence.Concurrently(ctx, func(ctx context.Context) (err error) {
		g, err = s.ruleRow(ctx, in.Ref())
		return err
	}, func(ctx context.Context) (err error) {
		if first == "" {
			_, first, err = s.fence.GateVersion(ctx, in.Ref())
		}
		if errors.Is(err, fence.ErrGateGone) {
			err = nil
		}
		return err
	})
	if g.revision == "" {
		g.Posters = first
	}
	return g, err
}

// ruleRow reads the row with the rule of a channel, if there is one.
func (s *Posts) ruleRow(ctx context.Context, ref domain.ChannelRef) (g PostingRule, err error) {
	//lab: Read the posting rule.
	rows, err := s.blogs.First(ctx, 1, schema.PostingRule.In(schema.ChannelPartition(ref.Key)))
	if err != nil || len(rows) == 0 {
		return g.In(ref), err
	}
	row := rows[0].Properties
	if g.Blocked, err = schema.DecodeAccounts(row.String(schema.PropBlocked)); err == nil {
		g.Members, err = schema.DecodeAccounts(row.String(schema.PropMembers))
	}
	if err != nil {
		return PostingRule{}, fmt.Errorf("the posting rule of channel %s: %w", ref.Key, err)
	}
	g.Posters = domain.Posters(row.String(schema.PropPosting))
	g.incarnation = domain.Incarnation(row.String(schema.PropIncarnation))
	g.revision = strings.TrimPrefix(rows[0].Row, schema.PostingRule.Prefix())
	return g.In(ref), nil
}

// SetRule says who may post to a channel besides its owner. Only the owner may set it. After it returns, no post
// lands that the rule forbids.
func (s *Posts) SetRule(ctx context.Context, in domain.Channel, by domain.UserName, posters domain.Posters) error {
	return s.ChangeRule(ctx, in, by, func(now *domain.Posting) error {
		now.Posters = posters
		return nil
	})
}

// Block keeps an account from posting to a channel. Only the channel's owner may. After it returns, no
// post of that account lands, and no edit of one. The errors are those of ChangeRule.
func (s *Posts) Block(ctx context.Context, in domain.Channel, by domain.UserName, account domain.User) error {
	return s.ChangeRule(ctx, in, by, func(now *domain.Posting) error {
		now.Blocked = domain.WithAccount(now.Blocked, account)
		return nil
	})
}

// Unblock lets a user post again. Only the channel's owner may.
func (s *Posts) Unblock(ctx context.Context, in domain.Channel, by, user domain.UserName) error {
	return s.ChangeRule(ctx, in, by, func(now *domain.Posting) error {
		now.Blocked = domain.WithoutAccount(now.Blocked, user)
		return nil
	})
}

// ChangeRule changes who may post to a channel, in one transaction. Only its owner may. After it returns, no post
// lands that the rule forbids, and no edit of one. An error of change is returned as it is. If a list would have too
// many accounts, or name the owner, ChangeRule changes nothing and returns a *domain.InvalidError on the field
// "members" or "user".
//
// The rule gets a new revision even if it is as the owner wants it: an earlier request of theirs that was never
// answered may still be under way, and must fail now.
func (s *Posts) ChangeRule(ctx context.Context, in domain.Channel, by domain.UserName, change func(*domain.Posting) error) error {
	if by != in.Owner {
		return fmt.Errorf("who may post to channel %s: %w", in.Key(), domain.ErrForbidden)
	}
	return s.pause.Retry(ctx, func() error {
		now, version, err := s.ruleAndVersion(ctx, in.Ref())
		if err == nil {
			err = change(&now.Posting)
		}
		if err == nil {
			now.Posting, err = s.checkPosting(ctx, in.Owner, now.Posting)
		}
		if err != nil {
			return err
		}
		return s.replace(ctx, in.Ref(), now, version)
	})
}

// checkPosting returns a *domain.InvalidError if a rule cannot be that of a channel with this owner. It takes members
// off a list that is too long if their account is not there.
func (s *Posts) checkPosting(ctx context.Context, owner domain.UserName, p domain.Posting) (_ domain.Posting, err error) {
	if len(p.Members) > MaxMembers {
		if p.Members, err = s.WithAccounts(ctx, p.Members); err != nil {
			return p, err
		}
	}
	if _, named := domain.Named(p.Blocked, owner); named {
		return p, domain.Invalid("user", "owns the channel, and cannot be blocked there")
	}
	if len(p.Blocked) > MaxBlocked {
		return p, domain.Invalid("user", "cannot be blocked: %d people are already, which is the limit", MaxBlocked)
	}
	if len(p.Members) > MaxMembers {
		return p, domain.Invalid("members", "would be %d members: a channel can have %d at most", len(p.Members), MaxMembers)
	}
	return p, nil
}

// ruleAndVersion reads the rule, and before it the version of the gate.
func (s *Posts) ruleAndVersion(ctx context.Context, ref domain.ChannelRef) (PostingRule, driver.ETag, error) {
	version, first, err := s.fence.GateVersion(ctx, ref)
	if err != nil {
		return PostingRule{}, "", err
	}
	now, err := s.ruleRow(ctx, ref)
	if now.revision == "" {
		now.Posters = first
	}
	return now, version, err
}

// replace inserts a rule, and deletes the one that was read. It is optimistic.ErrAgain if that is
// not there any more, or if there was none and the gate has another version by now.
func (s *Posts) replace(ctx context.Context, ref domain.ChannelRef, now PostingRule, version driver.ETag) (err error) {
	if former := now.revision; former == "" {
		//lab: Put up who may post.
		err = s.fence.TransactIfVersion(ctx, ref, version, now.insert())
	} else {
		//lab: Put up the new rule of who may post.
		err = s.fence.TransactIfOpen(ctx, ref, driver.Delete(schema.PostingRuleRow(former), driver.Exists), now.insert())
	}
	return optimistic.Again(err)
}

// insert inserts the rule, under a new revision.
func (g PostingRule) insert() driver.Operation {
	return driver.Insert(schema.PostingRuleRow(string(domain.NewRevision())),
		driver.String(schema.PropIncarnation, g.incarnation),
		driver.String(schema.PropPosting, g.Posters),
		driver.String(schema.PropMembers, schema.EncodeAccounts(g.Members)),
		driver.String(schema.PropBlocked, schema.EncodeAccounts(g.Blocked)))
}

// ReplacePostingRule gives the rule of a channel a new revision, so what other users have sent before fails. The rule
// stays as it is, but for a user whose account is being deleted: it names them no more. Without a row,
// no permit was given. A channel that is gone, or is being deleted, has none.
func (s Steps) ReplacePostingRule(ctx context.Context, ref domain.ChannelRef, leaves domain.UserName) error {
	err := s.pause.Retry(ctx, func() error {
		now, err := s.ruleRow(ctx, ref)
		if err != nil || now.revision == "" {
			return err
		}
		now.Blocked, now.Members = domain.WithoutAccount(now.Blocked, leaves), domain.WithoutAccount(now.Members, leaves)
		return s.replace(ctx, ref, now, "")
	})
	if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrGone) {
		return nil
	}
	return err
}

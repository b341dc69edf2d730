package blog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/driver"
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
// A channel begins without the row. The first request that needs it reads the gate, then that there is
// no row, and inserts it if the gate is unchanged, so there is never a second one. An ETag never
// repeats, so a delayed duplicate of that transaction fails. So does one of a change, because the revision
// of the row that it deletes never comes back. (I11)
//
// The rule blocks accounts and not names: with each name it has the time at which the account was made.
// The deletion of an account does not find every rule that names it, and after 30 days the name may
// belong to another person, who is not blocked.

// MaxBlocked is how many people can be blocked in a channel. Their names fit in one property.
const MaxBlocked = 100

// PostingRule is the rule for all but the owner of a channel.
type PostingRule struct {
	// OwnerOnly reports whether none of them may post.
	OwnerOnly bool
	// Blocked are the accounts that may not, in the order of their names. The account that has a name
	// now may be another: see Posts.Blocked.
	Blocked []domain.User

	incarnation domain.Incarnation
	// revision is empty if the channel has no rule.
	revision string
}

// In is the rule, if it is of this incarnation. Otherwise it is that of a channel without a rule.
func (g PostingRule) In(ref domain.ChannelRef) PostingRule {
	if g.incarnation != ref.Incarnation {
		return PostingRule{incarnation: ref.Incarnation}
	}
	return g
}

// named finds the account that is blocked under a name, or where it would be in the list.
func (g PostingRule) named(user domain.UserName) (at int, found bool) {
	return slices.BinarySearchFunc(g.Blocked, user, func(blocked domain.User, name domain.UserName) int {
		return cmp.Compare(blocked.Name, name)
	})
}

// Blocked reports whether the account that has a name now is blocked by the rule. It reads the account
// only if the rule has the name. A user without an account is one who never had one.
func (s *Posts) Blocked(ctx context.Context, g PostingRule, user domain.UserName) (bool, error) {
	at, named := g.named(user)
	if !named {
		return false, nil
	}
	since, err := s.fence.AccountSince(ctx, user)
	return since.Equal(g.Blocked[at].CreatedOn), err
}

// Refuses returns why a user may not post to a channel, nor edit what they posted there:
// domain.ErrOwnerPosts or ErrBlocked. If they may, it is nil.
func (s *Posts) Refuses(ctx context.Context, g PostingRule, in domain.Channel, user domain.UserName) error {
	g = g.In(in.Ref())
	switch {
	case user == in.Owner:
		return nil
	case g.OwnerOnly:
		return domain.ErrOwnerPosts
	}
	blocked, err := s.Blocked(ctx, g, user)
	if err == nil && blocked {
		err = domain.ErrBlocked
	}
	return err
}

// Same reports whether two rules that were read are the same one. Each change makes another, with a
// revision that no other rule has. Without a rule, all channels have the same.
func (g PostingRule) Same(other PostingRule) bool { return g.revision == other.revision }

// Word is the rule in a word: "open", or "owner" if only the owner may post.
func (g PostingRule) Word() string {
	if g.OwnerOnly {
		return schema.PostingOwner
	}
	return schema.PostingOpen
}

// PostingRule reads the rule of the channel that has the key, or has had it.
func (s *Posts) PostingRule(ctx context.Context, key domain.ChannelKey) (g PostingRule, err error) {
	//lab: Read the posting rule.
	rows, err := s.blogs.First(ctx, 1, schema.PostingRule.In(schema.ChannelPartition(key)))
	if err != nil || len(rows) == 0 {
		return g, err
	}
	row := rows[0].Properties
	if g.Blocked, err = schema.DecodeAccounts(row.String(schema.PropBlocked)); err != nil {
		return PostingRule{}, fmt.Errorf("the posting rule of channel %s: %w", key, err)
	}
	g.OwnerOnly = row.String(schema.PropPosting) == schema.PostingOwner
	g.incarnation = domain.Incarnation(row.String(schema.PropIncarnation))
	g.revision = strings.TrimPrefix(rows[0].Row, schema.PostingRule.Prefix())
	return g, nil
}

// insert inserts the rule, under a new revision.
func (g PostingRule) insert() driver.Operation {
	return driver.Insert(schema.PostingRuleRow(string(domain.NewRevision())),
		driver.String(schema.PropIncarnation, g.incarnation),
		driver.String(schema.PropPosting, g.Word()),
		driver.String(schema.PropBlocked, schema.EncodeAccounts(g.Blocked)))
}

// SetRule lets everybody post to a channel, or its owner alone. Only the owner may set it. After
// it returns, no post lands that the rule forbids.
func (s *Posts) SetRule(ctx context.Context, in domain.Channel, by domain.UserName, ownerOnly bool) error {
	return s.rule(ctx, in, by, func(g *PostingRule) error {
		g.OwnerOnly = ownerOnly
		return nil
	})
}

// Block keeps an account from posting to a channel. Only the channel's owner may. After it returns, no
// post of that account lands, and no edit of one. The owner cannot be blocked, nor more than MaxBlocked
// people: that is a *domain.InvalidError on the field "user".
func (s *Posts) Block(ctx context.Context, in domain.Channel, by domain.UserName, account domain.User) error {
	return s.rule(ctx, in, by, func(g *PostingRule) error {
		at, named := g.named(account.Name)
		switch {
		case account.Name == in.Owner:
			return domain.Invalid("user", "owns the channel, and cannot be blocked there")
		case named:
			g.Blocked[at] = account // another may have had the name
		case len(g.Blocked) >= MaxBlocked:
			return domain.Invalid("user", "cannot be blocked: %d people are already, which is the limit", MaxBlocked)
		default:
			g.Blocked = slices.Insert(g.Blocked, at, account)
		}
		return nil
	})
}

// Unblock lets a user post again. Only the channel's owner may.
func (s *Posts) Unblock(ctx context.Context, in domain.Channel, by, user domain.UserName) error {
	return s.rule(ctx, in, by, func(g *PostingRule) error {
		g.forget(user)
		return nil
	})
}

// forget takes a name off the list of the blocked.
func (g *PostingRule) forget(user domain.UserName) {
	g.Blocked = slices.DeleteFunc(g.Blocked, func(account domain.User) bool { return account.Name == user })
}

// rule changes the rule for the owner. It gives the rule a new revision even if the rule is as they want it: an
// earlier request of theirs that was never answered may still be under way, and must fail now.
func (s *Posts) rule(ctx context.Context, in domain.Channel, by domain.UserName, change func(*PostingRule) error) error {
	if by != in.Owner {
		return fmt.Errorf("who may post to channel %s: %w", in.Key(), domain.ErrForbidden)
	}
	return s.pause.Retry(ctx, func() error {
		now, version, err := s.ruleAndVersion(ctx, in.Ref())
		if err == nil {
			err = change(&now)
		}
		if err == nil {
			err = s.replace(ctx, in.Ref(), now, version)
		}
		return err
	})
}

// ruleAndVersion reads the rule, and before it the version of the gate.
func (s *Posts) ruleAndVersion(ctx context.Context, ref domain.ChannelRef) (PostingRule, driver.ETag, error) {
	version, err := s.fence.GateVersion(ctx, ref)
	if err != nil {
		return PostingRule{}, "", err
	}
	now, err := s.PostingRule(ctx, ref.Key)
	return now.In(ref), version, err
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

// ReplacePostingRule gives the rule of a channel a new revision, so what other users have sent before fails. The rule
// stays as it is, but for a user whose account is being deleted: a later user of the name is not
// blocked by that. Without a rule, no permit was given. A channel that is gone, or is being
// deleted, has no rule.
func (s Steps) ReplacePostingRule(ctx context.Context, ref domain.ChannelRef, leaves domain.UserName) error {
	err := s.pause.Retry(ctx, func() error {
		now, err := s.PostingRule(ctx, ref.Key)
		if now = now.In(ref); err != nil || now.revision == "" {
			return err
		}
		now.forget(leaves)
		return s.replace(ctx, ref, now, "")
	})
	if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrGone) {
		return nil
	}
	return err
}

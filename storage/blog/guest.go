package blog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"microblogging/domain"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Who may post. The owner of a channel always may: its incarnation never has another. All others
// are its guests. One row of the channel's partition, guests!, says who of them may, under a random
// token. It is a fence, as the gate is:
//
//   - A guest's post merges the row that its sender has read, in its own transaction.
//   - A change of the rule puts a new row in the place of the old one, in one transaction.
//
// So once a change is acknowledged, no post that was sent under the former rule can land. One row
// holds the whole rule. If each blocked person had a row of their own, who reads it and the token
// at once might read the one before a change and the other after it.
//
// A channel begins without the row. Whoever needs it first puts it up, and must not put up a second
// one: in the version of the gate that was read before the look that there is none. An ETag never
// repeats, so a late copy of that transaction fails. So does a late copy of a change, since the
// token of the row that it deletes never comes back. (I11)

// MaxBlocked is how many people can be blocked in a channel. Their names fit in one property.
const MaxBlocked = 100

// Guests is the rule for all but the owner of a channel.
type Guests struct {
	// OwnerOnly tells that none of them may post.
	OwnerOnly bool
	// Blocked are those who may not, in the order of their names.
	Blocked []domain.UserName

	incarnation domain.Incarnation
	// token is empty if no row says anything.
	token string
}

// In is the rule, if it is of this incarnation. Otherwise it is that of a channel without a rule.
func (g Guests) In(ref domain.ChannelRef) Guests {
	if g.incarnation != ref.Incarnation {
		return Guests{incarnation: ref.Incarnation}
	}
	return g
}

// Refuses says why a user may not post to a channel: domain.ErrOwnerPosts or ErrBlocked. If they
// may, it is nil.
func (g Guests) Refuses(in domain.Channel, user domain.UserName) error {
	g = g.In(in.Ref())
	switch {
	case user == in.Owner:
		return nil
	case g.OwnerOnly:
		return domain.ErrOwnerPosts
	case slices.Contains(g.Blocked, user):
		return domain.ErrBlocked
	}
	return nil
}

const (
	postingOpen  = "open"
	postingOwner = "owner"
)

// Posting is the rule in a word: "open", or "owner" if none of the guests may post.
func (g Guests) Posting() string {
	if g.OwnerOnly {
		return postingOwner
	}
	return postingOpen
}

// Guests reads the rule of the channel that has the key, or has had it.
func (s *Posts) Guests(ctx context.Context, key domain.ChannelKey) (g Guests, err error) {
	from, to := schema.Guests.Range()
	//lab: Read who may post, and the token under which that is said.
	rows, err := s.blogs.First(ctx, 1, driver.Range{Partition: schema.ChannelPartition(key), From: from, To: to})
	if err != nil || len(rows) == 0 {
		return g, err
	}
	row := rows[0].Properties
	for name := range strings.FieldsSeq(row.String(schema.PropBlocked)) {
		g.Blocked = append(g.Blocked, domain.UserName(name))
	}
	g.OwnerOnly = row.String(schema.PropPosting) == postingOwner
	g.incarnation = domain.Incarnation(row.String(schema.PropIncarnation))
	g.token = strings.TrimPrefix(rows[0].Row, from)
	return g, nil
}

// insert inserts the rule, under a new token.
func (g Guests) insert() driver.Operation {
	names := make([]string, len(g.Blocked))
	for i, name := range g.Blocked {
		names[i] = string(name)
	}
	return driver.Insert(schema.GuestsRow(string(domain.NewRevision())),
		driver.String(schema.PropIncarnation, g.incarnation),
		driver.String(schema.PropPosting, g.Posting()),
		driver.String(schema.PropBlocked, strings.Join(names, " ")))
}

// SetPosting lets everybody post to a channel, or its owner alone. Only the owner may set it. After
// it returns, no post lands that the rule forbids.
func (s *Posts) SetPosting(ctx context.Context, in domain.Channel, by domain.UserName, ownerOnly bool) error {
	return s.rule(ctx, in, by, func(g *Guests) error {
		g.OwnerOnly = ownerOnly
		return nil
	})
}

// Block keeps a user from posting to a channel. Only its owner may. After it returns, no post of
// that user lands. The owner cannot be blocked, nor more than MaxBlocked people: that is a
// *domain.InvalidError on the field "user".
func (s *Posts) Block(ctx context.Context, in domain.Channel, by, user domain.UserName) error {
	return s.rule(ctx, in, by, func(g *Guests) error {
		at, blocked := slices.BinarySearch(g.Blocked, user)
		switch {
		case user == in.Owner:
			return domain.Invalid("user", "owns the channel, and cannot be blocked there")
		case !blocked && len(g.Blocked) >= MaxBlocked:
			return domain.Invalid("user", "cannot be blocked: %d people are already, which is the limit", MaxBlocked)
		case !blocked:
			g.Blocked = slices.Insert(g.Blocked, at, user)
		}
		return nil
	})
}

// Unblock lets a user post again. Only the channel's owner may.
func (s *Posts) Unblock(ctx context.Context, in domain.Channel, by, user domain.UserName) error {
	return s.rule(ctx, in, by, func(g *Guests) error {
		g.Blocked = slices.DeleteFunc(g.Blocked, func(name domain.UserName) bool { return name == user })
		return nil
	})
}

// rule changes the rule for the owner. It turns the token even if the rule is as they want it: an
// earlier request of theirs that was never answered may still be under way, and must fail now.
func (s *Posts) rule(ctx context.Context, in domain.Channel, by domain.UserName, change func(*Guests) error) error {
	if by != in.Owner {
		return fmt.Errorf("who may post to channel %s: %w", in.Key(), domain.ErrForbidden)
	}
	return s.pause.Retry(ctx, func() error {
		now, version, err := s.guestsBehind(ctx, in.Ref())
		if err == nil {
			err = change(&now)
		}
		if err == nil {
			err = s.turn(ctx, in.Ref(), now, version)
		}
		return err
	})
}

// guestsBehind reads the rule, and before it the version of the gate.
func (s *Posts) guestsBehind(ctx context.Context, ref domain.ChannelRef) (Guests, driver.ETag, error) {
	version, err := s.GateVersion(ctx, ref)
	if errors.Is(err, channel.ErrGateGone) {
		err = s.WhyGateGone(ctx, ref)
	}
	if err != nil {
		return Guests{}, "", err
	}
	now, err := s.Guests(ctx, ref.Key)
	return now.In(ref), version, err
}

// turn puts a rule up, in the place of the one that was read. It is optimistic.ErrAgain if that is
// not there any more, or if there was none and the gate has another version by now.
func (s *Posts) turn(ctx context.Context, ref domain.ChannelRef, now Guests, version driver.ETag) (err error) {
	if former := now.token; former == "" {
		//lab: Put up who may post.
		err = s.BehindVersion(ctx, ref, version, now.insert())
	} else {
		//lab: Put up the new rule of who may post.
		err = s.Behind(ctx, ref, driver.Delete(schema.GuestsRow(former), driver.Exists), now.insert())
	}
	if errors.Is(err, channel.ErrGateGone) {
		return s.WhyGateGone(ctx, ref)
	}
	return optimistic.Again(err)
}

// A permit lets one user post to one channel, or vote there. Whoever has one has to ask whether the
// user's account stands, after what they do is on their list and before they do it (package erasure).
type permit struct {
	ref domain.ChannelRef
	by  domain.UserName
	// refuses says why they may not. It is nil for a vote, which anybody may give.
	refuses func(Guests) error
	// token is that of the rule which lets a guest post. Who is free needs none: the owner, since a
	// deletion of their account deletes the channel, and who takes a vote back.
	token string
	free  bool
	// before is asked before the first rule of the channel is put up for this permit, if it is set.
	before func(context.Context) error
}

func postPermit(in domain.Channel, by domain.UserName) *permit {
	return &permit{ref: in.Ref(), by: by, free: by == in.Owner, refuses: func(g Guests) error { return g.Refuses(in, by) }}
}

// admit gives a permit, or says why not as Guests.Refuses does.
func (s *Posts) admit(ctx context.Context, p *permit) error {
	if p.free {
		return nil
	}
	return s.pause.Retry(ctx, func() error {
		g, err := s.Guests(ctx, p.ref.Key)
		if g = g.In(p.ref); err == nil && g.token == "" {
			if p.before != nil {
				err = p.before(ctx)
			}
			if err == nil {
				err = s.begin(ctx, p.ref)
			}
		}
		if err != nil {
			return err
		}
		if p.token = g.token; p.refuses == nil {
			return nil
		}
		return p.refuses(g)
	})
}

// stands asks whether the account of whoever has a permit stands.
func (s *Posts) stands(ctx context.Context, p *permit) error {
	if p.free {
		return nil
	}
	return s.Stands(ctx, p.by)
}

// begin puts up the rule of a channel that has none. Then it is optimistic.ErrAgain.
func (s *Posts) begin(ctx context.Context, ref domain.ChannelRef) error {
	now, version, err := s.guestsBehind(ctx, ref)
	if err == nil && now.token == "" {
		err = s.turn(ctx, ref, now, version)
	}
	if err != nil {
		return err
	}
	return optimistic.ErrAgain
}

// behindPermit is Behind for posts and votes. If the token has been turned since the permit was
// given, it asks for another permit. Once that is refused, no transaction that was sent under the
// former can land.
func (s *Posts) behindPermit(ctx context.Context, p *permit, operations []driver.Operation) error {
	if p.token == "" {
		//lab: Write what the owner posts, or what a vote takes away, in one transaction.
		return s.Behind(ctx, p.ref, operations...)
	}
	return s.pause.Retry(ctx, func() error {
		held := append(slices.Clip(operations), driver.Merge(schema.GuestsRow(p.token), driver.Exists))
		//lab: Write what a guest posts, or votes, in one transaction that holds the token.
		err := s.Behind(ctx, p.ref, held...)
		if !optimistic.FailedAt(err, len(held), domain.ErrNotFound) {
			return err
		}
		if err := s.admit(ctx, p); err != nil {
			return err
		}
		if err := s.stands(ctx, p); err != nil {
			return err
		}
		return optimistic.ErrAgain
	})
}

// TurnGuests turns the token of the guests: nothing lands that one of them has sent before. The rule
// stays as it is, but for a user whose account is being deleted: nobody who has the name later is
// blocked for that. Without a token, nobody was given a permit. A channel that is gone, or is being
// deleted, has no guests.
func (s *Posts) TurnGuests(ctx context.Context, ref domain.ChannelRef, leaves domain.UserName) error {
	err := s.pause.Retry(ctx, func() error {
		now, err := s.Guests(ctx, ref.Key)
		if now = now.In(ref); err != nil || now.token == "" {
			return err
		}
		now.Blocked = slices.DeleteFunc(now.Blocked, func(name domain.UserName) bool { return name == leaves })
		return s.turn(ctx, ref, now, "")
	})
	if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrGone) {
		return nil
	}
	return err
}

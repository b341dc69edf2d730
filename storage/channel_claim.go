package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// An owner may have so many channels and no more. The channels of one owner are in as
// many partitions, so no transaction can count them. What is counted are the names that
// are claimed. A claim is a row in the owner's own partition. Each creation inserts one
// before it begins, and changes the tally in the same transaction, in the version that
// was read before the names were counted. So two who count at once cannot both insert.
// Several claims to one name count once, for one channel at most comes of them.
//
// A claim may outlive its channel, and the end of a channel does not look for it. Only
// when an owner has no room are the claims held against the channels:
//
//   - A claim that is made is deleted once its channel is gone.
//   - One that is not made belongs to a creation under way, or to one that died. It is
//     deleted if the channel is still not there after claimPatience.
//
// So an owner never has more channels than allowed, unless a creation takes longer than
// claimPatience. A creation that died leaves a claim that may count as long too much.
const (
	propClaimedOn = "ClaimedOn"

	stateClaimed = "claimed"
	stateMade    = "made"

	// claimPatience is many times as long as a request may take.
	claimPatience = 10 * time.Minute
	// maxClaims is the most claims that are read. No limit may be higher.
	maxClaims = domain.MaxChannelsPerOwner + 1
	// claimFlight bounds how many channels are read at once for one owner.
	claimFlight = 16
)

// CreateChannelWithin is CreateChannel for an owner who may have so many channels at
// most; a limit of 0 is none. One more is a *domain.TooManyChannelsError. Only channels
// that were made by this operation count, and each of them until its deletion has ended.
func (s *Store) CreateChannelWithin(ctx context.Context, channel domain.Channel, limit int) (domain.Channel, error) {
	err := s.withinLimit(ctx, channel, limit, func() (err error) {
		channel, err = s.CreateChannel(ctx, channel)
		return err
	})
	return channel, err
}

// withinLimit calls create with a claim to the channel.
func (s *Store) withinLimit(ctx context.Context, channel domain.Channel, limit int, create func() error) error {
	if limit == 0 {
		return create()
	}
	claim, err := s.claimChannel(ctx, channel, limit)
	if err != nil {
		return err
	}
	err = create()
	switch {
	case err == nil:
		s.markMade(ctx, channel.Owner, claim)
	case errors.Is(err, domain.ErrExists), errors.Is(err, domain.ErrKeyReused), errors.Is(err, domain.ErrChannelGone):
		err = errors.Join(err, s.releaseClaim(ctx, channel.Owner, claim))
	}
	// After any other failure it is unknown whether the channel is there, and the claim
	// stays.
	return err
}

// claimChannel inserts a claim and returns its row key, or refuses it with a
// *domain.TooManyChannelsError. A name that is claimed already needs no room: the request
// may be one that was sent again.
func (s *Store) claimChannel(ctx context.Context, channel domain.Channel, limit int) (claim string, err error) {
	claim = claimRow(channel.Key(), domain.NewRevision())
	err = s.contend(ctx, func() error {
		rows, err := s.users.First(ctx, 1+maxClaims, driver.Range{
			Partition: userPartition(channel.Owner), From: prefixClaim, To: prefixEnd(prefixClaim)})
		if err != nil {
			return err
		}
		var tally driver.ETag
		if len(rows) > 0 && rows[0].Row == tallyRow {
			tally, rows = rows[0].ETag, rows[1:]
		}
		if hasClaim(rows, claim) {
			return nil // the echo of our own insert
		}
		byName := claimsByName(rows)
		if err := s.pruneClaims(ctx, channel.Owner, byName[channel.Key()]); err != nil {
			return err
		}
		if len(byName) >= limit && byName[channel.Key()] == nil {
			return s.makeRoom(ctx, channel.Owner, byName, limit)
		}
		err = s.users.Transact(ctx, userPartition(channel.Owner), raiseTally(tally),
			driver.Insert(claim, driver.String(propState, stateClaimed), driver.Time(propClaimedOn, domain.Now())))
		if raced(err) {
			return errTryAgain
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("room for a channel of %s: %w", channel.Owner, err)
	}
	return claim, nil
}

// raiseTally changes the tally in the version that was read; an empty one is a tally
// that was absent. It is never deleted, so a late copy of the first insert fails.
func raiseTally(read driver.ETag) driver.Operation {
	if read == "" {
		return driver.Insert(tallyRow)
	}
	return driver.Merge(tallyRow, driver.Match(read))
}

func hasClaim(claims []driver.Entity, claim string) bool {
	return slices.ContainsFunc(claims, func(row driver.Entity) bool { return row.Row == claim })
}

func claimsByName(claims []driver.Entity) map[domain.ChannelKey][]driver.Entity {
	byName := make(map[domain.ChannelKey][]driver.Entity)
	for _, claim := range claims {
		name := claimedChannel(claim.Row)
		byName[name] = append(byName[name], claim)
	}
	return byName
}

// makeRoom deletes the claims that nothing needs. It is errTryAgain if that made room,
// and otherwise a *domain.TooManyChannelsError.
func (s *Store) makeRoom(ctx context.Context, owner domain.UserName, byName map[domain.ChannelKey][]driver.Entity, limit int) error {
	var freed atomic.Int64
	group, groupCtx := newFlight(ctx, claimFlight)
	for name, claims := range byName {
		if creationUnderWay(claims) {
			continue
		}
		group.Go(func() error {
			switch owned, err := s.ownsChannel(groupCtx, owner, name); {
			case err != nil:
				return err
			case owned:
				claims = claims[1:] // one is enough
			default:
				freed.Add(1)
			}
			for _, claim := range claims {
				if err := s.releaseClaim(groupCtx, owner, claim.Row); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if len(byName)-int(freed.Load()) >= limit {
		return &domain.TooManyChannelsError{Limit: limit}
	}
	return errTryAgain
}

// pruneClaims deletes all made claims to one name but the first. Each request that is
// sent again under an idempotency key leaves one, and the claims of an owner must not
// grow without end. Of several who prune at once, each keeps the first claim that it
// read, so that the first of all of these stays.
func (s *Store) pruneClaims(ctx context.Context, owner domain.UserName, claims []driver.Entity) error {
	kept := false
	for _, claim := range claims {
		switch {
		case claim.Properties.String(propState) != stateMade:
		case !kept:
			kept = true
		default:
			if err := s.releaseClaim(ctx, owner, claim.Row); err != nil {
				return err
			}
		}
	}
	return nil
}

// creationUnderWay tells whether a creation may be under way that needs one of the claims.
func creationUnderWay(claims []driver.Entity) bool {
	return slices.ContainsFunc(claims, func(claim driver.Entity) bool {
		return claim.Properties.String(propState) != stateMade &&
			domain.Recent(claim.Properties.Time(propClaimedOn), claimPatience)
	})
}

// ownsChannel tells whether the owner has the channel, in whatever state.
func (s *Store) ownsChannel(ctx context.Context, owner domain.UserName, key domain.ChannelKey) (bool, error) {
	channel, err := s.readChannel(ctx, key)
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return channel.Owner == owner, err
}

// markMade notes that the channel of a claim is there. If that fails, the claim may count
// for claimPatience although its channel has gone. So the creator, who has the channel, is
// not told.
func (s *Store) markMade(ctx context.Context, owner domain.UserName, claim string) {
	_ = s.users.Transact(ctx, userPartition(owner),
		driver.Merge(claim, driver.Exists, driver.String(propState, stateMade)))
}

// releaseClaim deletes a claim. Its key is random, so a late copy deletes no other.
func (s *Store) releaseClaim(ctx context.Context, owner domain.UserName, claim string) error {
	err := s.users.Transact(ctx, userPartition(owner), driver.Delete(claim, driver.Exists))
	if errors.Is(err, domain.ErrNotFound) {
		return nil
	}
	return err
}

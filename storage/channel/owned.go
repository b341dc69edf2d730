package channel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Each channel of an owner is in a partition of its own. So each has a row in the owner's own
// partition of Users, owned!, by the key of the channel. The row is written while the
// channel is created, before its gate opens: if the process dies in between, it names nothing. It
// also outlives the channel, whose name another user may have then. So code that reads the list reads the
// channel too, and trusts only its row.
//
// The rows are counted before a channel is created. No transaction can count the channels
// themselves. So several concurrent creations may all be let in, and the limit is
// approximate. Rows that name nothing are removed once a day (Prune of package deletion), and when an
// owner has no room.
//
// A channel must not exist without its row: the deletion of its owner's account would not find it.
// So before a row is removed, the reservations and the gates of creations under its key are deleted
// (withdrawCreations). A creation that was about to open its gate, or to insert its channel, then fails,
// begins again, and lists its channel anew. The row is removed in the version that was read before that,
// so a row that a creation has written since stays.

// creationPatience is many times as long as a creation takes. A row without a channel stays for so
// long, because each creation that is withdrawn must begin again. No guarantee depends on it.
const creationPatience = 10 * time.Minute

// Create creates a channel as fence.Fence.CreateChannel does, for an owner who may have about so many
// channels at most; a limit of 0 is none. One more is a *domain.TooManyChannelsError. A channel counts
// until its deletion has ended. The channel is on its owner's list. A name that looks like that of another
// channel is an InvalidError (refuseLookAlike).
//
// A request with an idempotency key may be sent again. Create then reports false in made if an earlier
// one has made the channel. An empty key is none. If the channel of one request was deleted before
// another with its key has recorded its own channel, Create deletes that too. If the process dies before
// it requests that, the channel stays, as if its owner had created it again.
//
// Posters says who may post to the channel. Of members there are none before ChangeRule of package blog adds them.
func (s *Channels) Create(ctx context.Context, wanted domain.Channel, posters domain.Posters, key string, limit int,
) (created domain.Channel, made bool, err error) {
	if err := s.refuseLookAlike(ctx, wanted.Name); err != nil {
		return created, false, err
	}
	if err := s.makeRoom(ctx, wanted, limit); err != nil {
		return created, false, fmt.Errorf("room for a channel of %s: %w", wanted.Owner, err)
	}
	created, made, err = s.fence.CreateChannel(ctx, wanted, posters, key)
	if errors.Is(err, domain.ErrChannelGone) && created.Incarnation != "" {
		_, unasked := s.deletions.Request(ctx, created.Key(), domain.By(created.Owner), domain.OneOf(created.Incarnation))
		if !errors.Is(unasked, domain.ErrNotFound) && !errors.Is(unasked, domain.ErrConflict) { // it is gone already, or its user has undone that
			err = errors.Join(err, unasked)
		}
	}
	if err != nil {
		return domain.Channel{}, false, err
	}
	return created, made, nil
}

// ListChannel puts a channel on its owner's list. It may be called again.
func (s Steps) ListChannel(ctx context.Context, channel domain.Channel) error {
	//lab: Put the channel on its owner's list.
	err := s.users.Transact(ctx, schema.UserPartition(channel.Owner),
		driver.Merge(schema.OwnedRow(channel.Key()), driver.Upsert, driver.Time(schema.PropWrittenOn, domain.Now())))
	if err != nil {
		return fmt.Errorf("listing channel %s: %w", channel.Key(), err)
	}
	return nil
}

// makeRoom removes rows that name nothing until there is room for the channel. If there is
// none, it returns a *domain.TooManyChannelsError. A channel that is on the list needs no
// room: the request may be one that was sent again.
func (s *Channels) makeRoom(ctx context.Context, channel domain.Channel, limit int) error {
	for limit > 0 {
		//lab: Read which channels are on the owner's list.
		rows, err := s.users.First(ctx, limit, schema.Owned.In(schema.UserPartition(channel.Owner)))
		if err != nil || len(rows) < limit {
			return err
		}
		//lab: Read whether the channel is on the owner's list.
		listed, err := s.users.Find(ctx, schema.UserPartition(channel.Owner), schema.OwnedRow(channel.Key()))
		if err != nil || listed.Found() {
			return err
		}
		switch removed, err := s.removeOutlived(ctx, channel.Owner, rows); {
		case err != nil:
			return err
		case removed == 0:
			return &domain.TooManyChannelsError{Limit: limit}
		}
	}
	return nil
}

// removeOutlived removes those of an owner's rows that name no channel of theirs, and
// returns how many. It leaves those of creations that may be under way.
func (s *Channels) removeOutlived(ctx context.Context, owner domain.UserName, rows []driver.Entity) (int, error) {
	removed, err := concurrent.Gather(ctx, s.fence.Reads, rows, func(ctx context.Context, row driver.Entity) (string, bool, error) {
		//lab: Read the channel that is on the list.
		channel, err := s.fence.ReadChannel(ctx, schema.OwnedKey(row.Row))
		absent := errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrLimit)
		switch {
		case err != nil && !absent:
			return "", false, err
		case absent && domain.Recent(row.Properties.Time(schema.PropWrittenOn), creationPatience),
			!absent && channel.Owner == owner:
			return "", false, nil
		}
		now, err := s.withdrawCreations(ctx, schema.OwnedKey(row.Row))
		if err == nil && now.Owner == owner {
			return "", false, nil // it was created meanwhile
		}
		if err == nil {
			//lab: Take what names no channel off the owner's list.
			err = s.users.Transact(ctx, row.Partition, driver.Delete(row.Row, driver.Match(row.ETag)))
		}
		if optimistic.Raced(err) || errors.Is(err, optimistic.ErrAgain) {
			return "", false, nil // the channel is being created, or another request was faster
		}
		return row.Row, true, err
	})
	return len(removed), err
}

// ListOwned lists active channels of an owner, in the order of their keys. It looks at
// up to limit names; a page has fewer channels, or none, if some of them are gone, or have no gate. After
// is the Next of the page before, and empty for the first page. A cursor of another list
// is an InvalidError on the field "after".
func (s *Channels) ListOwned(ctx context.Context, owner domain.UserName, after string, limit int) (owned driver.ListPage[domain.Channel], err error) {
	list := driver.List{Name: "channels of " + string(owner), After: after, Limit: limit, Prefix: schema.Owned.Prefix()}
	in := schema.Owned.In(schema.UserPartition(owner))
	in.KeysOnly = true
	rows, next, err := list.Read(ctx, s.users, in)
	if err != nil {
		return owned, err
	}
	owned.Next = next
	owned.Items, err = concurrent.Gather(ctx, s.fence.Reads, rows, func(ctx context.Context, row driver.Entity) (domain.Channel, bool, error) {
		of, _, err := s.GetVersion(ctx, schema.OwnedKey(row.Row).Address(), "")
		if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrGone) || errors.Is(err, domain.ErrLimit) {
			return domain.Channel{}, false, nil // no channel can have a name that leads nowhere
		}
		return of, of.Owner == owner, err
	})
	return owned, err
}

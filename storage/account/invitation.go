package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

const (
	// InvitationLifetime is how long an invitation can be used.
	InvitationLifetime = 7 * 24 * time.Hour
	// maxInvitations is about how many can be made in that time. All are in one partition, and a page
	// of the list reads it whole.
	maxInvitations = 1000
)

// Invite makes an invitation and returns it and its secret, of which only a hash is stored. by is the
// operator who makes it, and empty on the command line. One of too many is a *domain.ThrottledError.
func (a *Accounts) Invite(ctx context.Context, by domain.UserName) (secret string, made domain.Invitation, err error) {
	live, err := a.liveInvitations(ctx)
	if err == nil && len(live) >= maxInvitations {
		first := slices.MinFunc(live, func(x, y domain.Invitation) int { return x.ExpiresOn.Compare(y.ExpiresOn) })
		err = &domain.ThrottledError{RetryAfter: time.Until(first.ExpiresOn), Limit: maxInvitations, Window: InvitationLifetime}
	}
	if err != nil {
		return "", made, fmt.Errorf("making an invitation: %w", err)
	}
	secret, made = rand.Text(), domain.Invitation{By: by, CreatedOn: domain.Now()}
	made.ID, made.ExpiresOn = schema.InvitationRow(secret), made.CreatedOn.Add(InvitationLifetime)
	//lab: Insert the invitation.
	err = a.sessions.Transact(ctx, schema.InvitationPartition, driver.Insert(made.ID, driver.String(schema.PropInvitedBy, by),
		driver.Time(schema.PropCreatedOn, made.CreatedOn), driver.Time(schema.PropExpiresOn, made.ExpiresOn)))
	if err != nil && !errors.Is(err, domain.ErrExists) { // the secret is new: a self-conflict
		return "", made, fmt.Errorf("making an invitation: %w", err)
	}
	return secret, made, nil
}

// Invitation returns the invitation with that secret, while it can be used. Otherwise it is
// domain.ErrInvitationOver.
func (a *Accounts) Invitation(ctx context.Context, secret string) (domain.Invitation, error) {
	row, err := a.sessions.Find(ctx, schema.InvitationPartition, schema.InvitationRow(secret))
	if err == nil && !usable(row, "") {
		err = domain.ErrInvitationOver
	}
	if err != nil {
		return domain.Invitation{}, fmt.Errorf("invitation: %w", err)
	}
	return invitationOf(row), nil
}

// ListInvitations lists up to limit invitations that have not ended, the newest first: those that can be
// used, and those that were. After is the Next of the page before, and empty for the first page. A cursor of
// another list is an InvalidError on the field "after".
func (a *Accounts) ListInvitations(ctx context.Context, after string, limit int) (page driver.ListPage[domain.Invitation], err error) {
	list := driver.List{Name: "invitations", After: after, Limit: limit}
	from, err := list.Position()
	if err != nil {
		return page, err
	}
	live, err := a.liveInvitations(ctx)
	if err != nil {
		return page, fmt.Errorf("listing invitations: %w", err)
	}
	position := func(i domain.Invitation) string { return domain.RecentFirst(i.CreatedOn) + "!" + i.ID }
	live = slices.DeleteFunc(live, func(i domain.Invitation) bool { return position(i) <= from })
	slices.SortFunc(live, func(x, y domain.Invitation) int { return strings.Compare(position(x), position(y)) })
	page.Items, page.Next = driver.Cut(list, live, position)
	return page, nil
}

// RevokeInvitation takes an invitation back. To do it again is no error. One that was used is
// domain.ErrInvitationOver, and one that has ended or never was is domain.ErrNotFound. It does not delete the
// row: then a delayed duplicate of its insert would bring the invitation back.
func (a *Accounts) RevokeInvitation(ctx context.Context, id string) error {
	if !schema.Invitation.Has(id) || driver.CheckKey("id", id) != nil {
		return fmt.Errorf("invitation: %w", domain.ErrNotFound) // no invitation has this id
	}
	return a.pause.Change(ctx, a.sessions, schema.InvitationPartition, id, func(now driver.Entity) (driver.Properties, error) {
		switch i := invitationOf(now); {
		case !now.Found() || !time.Now().Before(i.ExpiresOn):
			return nil, fmt.Errorf("invitation: %w", domain.ErrNotFound)
		case i.UsedBy != "":
			return nil, fmt.Errorf("invitation: used by %s: %w", i.UsedBy, domain.ErrInvitationOver)
		case now.Properties.Bool(schema.PropEnded):
			return nil, nil
		}
		return driver.Properties{driver.Bool(schema.PropEnded, true)}, nil
	})
}

// revokeAllInvitations takes back each invitation that was not used.
func (a *Accounts) revokeAllInvitations(ctx context.Context) error {
	live, err := a.liveInvitations(ctx)
	for _, i := range live {
		if err == nil && i.UsedBy == "" {
			err = a.RevokeInvitation(ctx, i.ID)
		}
		if errors.Is(err, domain.ErrNotFound) || errors.Is(err, domain.ErrInvitationOver) {
			err = nil // it ended, or was used, meanwhile
		}
	}
	if err != nil {
		return fmt.Errorf("taking back invitations: %w", err)
	}
	return nil
}

// liveInvitations are those that have not ended, in any order: those that can be used, and those that were.
func (a *Accounts) liveInvitations(ctx context.Context) (live []domain.Invitation, err error) {
	for row, err := range a.sessions.Within(ctx, driver.Range{Partition: schema.InvitationPartition}) {
		if err != nil {
			return nil, err
		}
		if !hasEnded(row.Properties) {
			live = append(live, invitationOf(row))
		}
	}
	return live, nil
}

// checkInvitation returns domain.ErrInvitationOver if a request has an invitation that it cannot use.
func (a *Accounts) checkInvitation(ctx context.Context, name domain.UserName, r SignUpRequest) error {
	if r.Invitation == "" {
		return nil
	}
	//lab: Read the invitation: can it be used?
	row, err := a.sessions.Find(ctx, schema.InvitationPartition, schema.InvitationRow(r.Invitation))
	if err == nil && !usable(row, onceAccount(name, r.Key)) {
		err = domain.ErrInvitationOver
	}
	if err != nil {
		return fmt.Errorf("invitation: %w", err)
	}
	return nil
}

// useInvitation writes down for which name and key the invitation of a request is used, in the version that
// was read. So of two requests with one invitation only one goes on to make an account, and if it dies before
// that, it can be sent again.
func (a *Accounts) useInvitation(ctx context.Context, name domain.UserName, r SignUpRequest) error {
	if r.Invitation == "" {
		return nil
	}
	used := onceAccount(name, r.Key)
	return a.pause.Change(ctx, a.sessions, schema.InvitationPartition, schema.InvitationRow(r.Invitation), func(now driver.Entity) (driver.Properties, error) {
		switch {
		case !usable(now, used):
			return nil, fmt.Errorf("invitation: %w", domain.ErrInvitationOver)
		case now.Properties.String(schema.PropOnce) == used:
			return nil, nil
		}
		return driver.Properties{driver.String(schema.PropUser, name), driver.String(schema.PropOnce, used)}, nil
	})
}

// usable reports whether an invitation can be used by a sign-up with this hash of its name and key.
func usable(row driver.Entity, by string) bool {
	used := row.Properties.String(schema.PropOnce)
	return row.Found() && !hasEnded(row.Properties) && (used == "" || used == by)
}

func invitationOf(row driver.Entity) domain.Invitation {
	return domain.Invitation{
		ID:        row.Row,
		By:        domain.UserName(row.Properties.String(schema.PropInvitedBy)),
		CreatedOn: row.Properties.Time(schema.PropCreatedOn),
		ExpiresOn: row.Properties.Time(schema.PropExpiresOn),
		UsedBy:    ownerOf(row),
	}
}

package protocol

import (
	"context"
	"errors"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Sign-ups with an invitation, which makes one account.

const (
	// factInvited: the user has signed up with the invitation.
	factInvited lab.Kind = "signed up with the invitation"
	// factInvitationOver: the invitation cannot be used any more, says the answer to a sign-up of the user.
	factInvitationOver lab.Kind = "the invitation is over"
	// factTakenBack: no account is made with the invitation from now on.
	factTakenBack lab.Kind = "invitation taken back"
)

// invitationSecret is the secret of the only invitation.
const invitationSecret = "come in"

// invitation is a set-up: an operator has made an invitation.
func invitation(ctx context.Context, c *lab.Client) {
	_ = driver.NewTable(c.Backend, schema.TableSessions).Transact(ctx, schema.InvitationPartition, driver.Insert(schema.InvitationRow(invitationSecret),
		driver.Time("CreatedOn", lab.Instant()), driver.Time("ExpiresOn", time.Now().Add(time.Hour)))) // no call of a set-up fails
}

// accept signs up with the invitation and an idempotency key, as the actor of this name.
func accept(actor string, name domain.UserName, key string) body {
	return func(ctx context.Context, c *lab.Client) {
		_, _, err := c.Store.Accounts.Create(ctx, storage.SignUpRequest{
			Attempt: storage.Attempt{Name: string(name), Password: newPassword(actor), Address: address}, Key: key, Invitation: invitationSecret})
		if errors.Is(err, domain.ErrInvitationOver) {
			c.Tell(lab.Fact{Kind: factInvitationOver, User: name, Key: key})
		}
		acknowledged(c, err, lab.Fact{Kind: factInvited, User: name, Key: key})
	}
}

// revoke takes the invitation back.
func revoke(ctx context.Context, c *lab.Client) {
	err := c.Store.Accounts.RevokeInvitation(ctx, schema.InvitationRow(invitationSecret))
	acknowledged(c, err, lab.Fact{Kind: factTakenBack})
}

func invitedOnce(v lab.View, k lab.Known, violation violating) {
	violation.when(v.Count(factInvited, func(other lab.Known) bool { return other.User != k.User }) > 0, "I10", "one invitation made two accounts")
}

func invitationIsOver(v lab.View, k lab.Known, violation violating) {
	row, err := v.DB.Get(schema.TableSessions, schema.InvitationPartition, schema.InvitationRow(invitationSecret))
	violation.when(err == nil && row.Properties.String("User") == string(k.User), "A4", "told that the invitation was used, and their own request used it")
}

func noAccountIsMade(v lab.View, _ lab.Known, violation violating) {
	for _, name := range []domain.UserName{visitor, author} {
		_, err := v.DB.Get(schema.TableUsers, string(name), "")
		violation.when(err == nil, "I10", "an invitation made an account, and that it was taken back was acknowledged")
	}
}

// invitations make one account each.
func invitations() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "invitation", About: "two people sign up with one invitation, one of them sends the request again, and an operator takes the invitation back",
				Faults: 1, Preemptions: 2, Intercept: []lab.Intercept{always(justMade())}, Setup: invitation,
				Actors: []lab.Actor{
					{Name: "vera", Run: accept("vera", visitor, lab.SignUpKey)}, {Name: "vera2", Run: accept("vera", visitor, lab.SignUpKey), After: "vera"},
					{Name: "ann", Run: accept("ann", author, "")}, {Name: "operator", Run: revoke},
				}},
		},
		ablations: []ablation{
			ablate("invitation-version", "invitation", "The version of an invitation", "(Pause).Change: driver.Match(now.ETag)",
				"A sign-up writes its name and key to the invitation in the version that was read, so of two people one gets an account.",
				always(withoutMatch(schema.TableSessions, "")), unharmed, among("vera", "ann")),
			ablate("invitation-first", "invitation", "The use of an invitation", "(*Accounts).signUp: a.useInvitation(ctx, name, r)",
				"A sign-up uses the invitation before it makes the account, so no account is made with one that was taken back.",
				only("vera", skipping(writesTo(schema.TableSessions))), unharmed, among("vera", "operator")),
			ablate("invitation-again", "invitation", "Who used the invitation", "usable: used == by",
				"An invitation that was used says for which name and key, so a request that is sent again makes its account.",
				always(reading(schema.TableSessions, func(row *driver.Entity) {
					if schema.Invitation.IsIn(row.Partition) && row.Properties.String("Once") != "" {
						set(row, driver.String("Once", "another"))
					}
				})), among("vera", "vera2")),
		},
		told: map[lab.Kind]invariant{
			factInvited: invitedOnce, factInvitationOver: invitationIsOver, factTakenBack: noAccountIsMade,
		},
	}
}

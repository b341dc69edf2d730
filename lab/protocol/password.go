package protocol

import (
	"context"
	"errors"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/lab"
	"microblogging/storage"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Accounts and their passwords: sign-up, changes, wrong guesses, and what has expired.

const (
	// factSignedUp: the user has an account, whose password is hashed as Page. It was made with Key.
	factSignedUp lab.Kind = "signed up"
	// factNameTaken: another user has the user's name. The actor has asked for it with Key.
	factNameTaken lab.Kind = "another user has the name"
	// factPasswordChanged: the user's password is not the one any more that is hashed as Page.
	factPasswordChanged lab.Kind = "password changed"
	// factGuessed: the password was wrong.
	factGuessed lab.Kind = "wrong password"
)

const (
	oldPassword = "correct horse"
	address     = "192.0.2.1"
)

// newPassword is the password that an actor wants: one person is vera and vera2.
func newPassword(actor string) string { return "a horse of " + strings.TrimRight(actor, "0123456789") }

// justMade makes accounts look as if they were made just now: a key of a sign-up counts for a day.
func justMade() func() driver.Around {
	return reading(schema.TableUsers, func(row *driver.Entity) { set(row, driver.Time("CreatedOn", time.Now())) })
}

// signUp signs up with an idempotency key, as the actor of this name.
func signUp(actor string, name domain.UserName, key string) body {
	return func(ctx context.Context, c *lab.Client) {
		_, _, err := c.Store.Accounts.Create(ctx, storage.SignUpRequest{
			Attempt: storage.Attempt{Name: string(name), Password: newPassword(actor), Address: address}, Key: key})
		switch {
		case err == nil:
			c.Tell(lab.Fact{Kind: factSignedUp, User: name, Key: key, Page: lab.HashPassword(newPassword(actor))})
		case errors.Is(err, domain.ErrExists):
			c.Tell(lab.Fact{Kind: factNameTaken, User: name, Key: key, Page: lab.HashPassword(newPassword(actor))})
		}
	}
}

// sessionOf is the token of the session that the set-up began.
func sessionOf(c *lab.Client) (token string) {
	for _, f := range c.Given {
		token += f.Session
	}
	return token
}

// changePassword changes the visitor's password, with the session of the set-up.
func changePassword(actor string) body {
	return func(ctx context.Context, c *lab.Client) {
		old := storage.Attempt{Name: string(visitor), Password: oldPassword, Address: address}
		err := c.Store.Accounts.ChangePassword(ctx, sessionOf(c), old, newPassword(actor))
		acknowledged(c, err, lab.Fact{Kind: factPasswordChanged, User: visitor, Page: lab.HashPassword(oldPassword)})
	}
}

// guess tries a wrong password.
func guess(ctx context.Context, c *lab.Client) {
	_, _, err := c.Store.Accounts.SignIn(ctx, storage.Attempt{Name: string(visitor), Password: "wrong horse", Address: address})
	if errors.Is(err, domain.ErrNotSignedIn) {
		c.Tell(lab.Fact{Kind: factGuessed, User: visitor})
	}
}

// expired is a set-up: the key has made an account of another name, more than a day ago.
func expired(ctx context.Context, c *lab.Client) {
	_ = driver.NewTable(c.Backend, schema.TableSessions).Transact(ctx, schema.SignUpPartition(lab.SignUpKey), driver.Insert("",
		driver.Bool("Ended", true), driver.String("Once", "another"), driver.Time("ExpiresOn", lab.Instant())))
}

// expire removes what has expired, as a worker does once a day.
func expire(ctx context.Context, c *lab.Client) {
	_, _ = c.Store.Operator.Expire(ctx) // its outcome is in the store
}

func accountIsTheirs(v lab.View, k lab.Known, violation violating) {
	row, err := v.DB.Get(schema.TableUsers, string(k.User), "")
	violation.when(err != nil || row.Properties.String("Password") != k.Page, "I7", "a user was told that an account is theirs, and it has another password")
	violation.when(v.Count(factSignedUp, func(other lab.Known) bool { return other.Key == k.Key && other.User != k.User }) > 0,
		"I7", "one idempotency key was answered with two accounts")
}

func accountIsOfOthers(v lab.View, k lab.Known, violation violating) {
	row, err := v.DB.Get(schema.TableUsers, string(k.User), "")
	violation.when(err == nil && row.Properties.String("Password") == k.Page, "A4", "told that another user has the name, and the account is their own")
}

func changedOnce(v lab.View, k lab.Known, violation violating) {
	violation.when(v.Count(factPasswordChanged, func(other lab.Known) bool { return other.User == k.User && other.Page == k.Page }) > 1,
		"I10", "a password has changed, and a client that knew the old one has changed it again")
}

func guessesAreCounted(v lab.View, _ lab.Known, violation violating) {
	guesses := v.Count(factGuessed, nil)
	row, err := v.DB.Get(schema.TableThrottle, schema.ThrottlePartition("address", address), "")
	violation.when(err != nil || row.Properties.Int64("Failures") < int64(guesses), "I8", "fewer wrong passwords are counted than were answered")
}

// passwords are accounts, their passwords and the limit of guesses.
func passwords() subject {
	return subject{
		scenarios: []lab.Scenario{
			{Name: "sign-up", About: "a request to sign up is sent twice with one idempotency key, and another user wants the name",
				Faults: 1, Preemptions: 2, Intercept: []lab.Intercept{always(justMade())},
				Actors: []lab.Actor{
					{Name: "vera", Run: signUp("vera", visitor, lab.SignUpKey)},
					{Name: "vera2", Run: signUp("vera", visitor, lab.SignUpKey), After: "vera"}, {Name: "max", Run: signUp("max", visitor, "")},
				}},
			{Name: "sign-up-key", About: "two people sign up with one idempotency key, which was used more than a day ago, while a worker removes what has expired",
				Faults: 1, Preemptions: 3, Intercept: []lab.Intercept{always(justMade())}, Setup: expired,
				Actors: []lab.Actor{
					{Name: "vera", Run: signUp("vera", visitor, lab.SignUpKey)}, {Name: "ann", Run: signUp("ann", author, lab.SignUpKey)},
					{Name: "upkeep", Run: expire},
				}},
			{Name: "password", About: "a user and a thief of a session, who know the same old password, change it, while all sessions are ended",
				Faults: 1, Preemptions: 3, Setup: withAccount(),
				Actors: []lab.Actor{
					{Name: "vera", Run: changePassword("vera")}, {Name: "thief", Run: changePassword("thief")}, {Name: "vera2", Run: endSessions},
				}},
			{Name: "guesses", About: "a client tries wrong passwords on two connections, while a worker removes what has expired",
				Faults: 1, Preemptions: 3, Setup: lab.InTurn(account, guess),
				Actors: []lab.Actor{{Name: "max", Run: guess}, {Name: "max2", Run: guess, After: "max"}, {Name: "upkeep", Run: expire}}},
		},
		ablations: []ablation{
			ablate("sign-up-insert", "sign-up", "The insert of an account", "(Pause).Change: driver.Insert(row, changes...)",
				"An account is inserted and never overwritten, so of two users who want a name one gets it.",
				always(overwriting()), unharmed),
			ablate("sign-up-once", "sign-up", "The key in the account", "madeWith: row.Properties.String(schema.PropOnce) == onceAccount(userOf(row).Name, key)",
				"An account carries the hash of the key that made it, so a request that is sent again recognises its own account.",
				always(withoutProperty(schema.TableUsers, "Once")), unharmed, among("vera", "vera2")),
			ablate("sign-up-bound", "sign-up-key", "The name of a key", "(*Accounts).signUp: a.bindSignUpKey(ctx, name, r.Key)",
				"It is written down which name a key is used for, so one key makes one account.",
				always(skipping(writesTo(schema.TableSessions))), unharmed, among("vera", "ann")),
			ablate("expire-version", "sign-up-key", "The version of what has expired", "(Steps).Expire: driver.Match(row.ETag)",
				"What has expired is removed in the version that was read, so what was renewed meanwhile stays.",
				only("upkeep", withoutMatch(schema.TableSessions, "")), unharmed),
			ablate("password-same", "password", "The old password at the write", "ChangePassword: now.Properties.String(schema.PropPassword) != user.Properties.String(schema.PropPassword)",
				"A password is changed only while the old one is in the version that is written, so a thief who knows it comes too late.",
				only("thief", firstRead(schema.TableUsers, "Password")), unharmed, among("vera", "thief")),
			ablate("carry-epoch", "password", "The epoch of a session that stays", "carrySession: epochOf(now) != epoch-1",
				"A change of the password carries a session from the epoch before alone, so a session that has ended stays ended.",
				only("vera", epochOfUser(false, 1)), unharmed, among("vera", "vera2")),
			ablate("counted", "guesses", "The version of a counter", "(Pause).Change: driver.Match(now.ETag)",
				"A wrong password is counted in the version that was read, so concurrent attempts do not count as one.",
				always(withoutMatch(schema.TableThrottle, "")), unharmed),
		},
		told: map[lab.Kind]invariant{
			factSignedUp: accountIsTheirs, factNameTaken: accountIsOfOthers, factPasswordChanged: changedOnce, factGuessed: guessesAreCounted,
		},
	}
}

// overwriting overwrites an account that is there, as if it was not.
func overwriting() func() driver.Around {
	return sending(func(c *driver.Call) {
		if writes(c, schema.TableUsers) && c.Operations[0].Action == driver.ActionInsert {
			c.Operations = []driver.Operation{driver.Merge(c.Operations[0].Row, driver.Upsert, c.Operations[0].Properties...)}
		}
	})
}

// firstRead shows what a property was when an actor read it first.
func firstRead(table, property string) func() driver.Around {
	return func() driver.Around {
		first := ""
		return reading(table, func(row *driver.Entity) {
			if first == "" {
				first = row.Properties.String(property)
			}
			set(row, driver.String(property, first))
		})()
	}
}

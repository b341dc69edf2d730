package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// signUpKeyLifetime is how long an idempotency key is honoured: how long the store
// remembers which name it was used for, and how long it returns the account that it made.
const signUpKeyLifetime = 24 * time.Hour

// SignUp creates an account and returns its user. A name in use is domain.ErrExists.
// A name or password that breaks a rule is an InvalidError. It is for an operator: it
// waits for its turn to hash the password as long as ctx lasts.
func (a Steps) SignUp(ctx context.Context, name, password string) (domain.User, error) {
	for {
		account, _, err := a.Create(ctx, SignUpRequest{Attempt: Attempt{Name: name, Password: password}})
		if !errors.Is(err, domain.ErrBusy) {
			return account, err
		}
	}
}

// A SignUpRequest is an anonymous client's request to make an account.
type SignUpRequest struct {
	Attempt
	// Key is the idempotency key; empty if there is none. It may be any text.
	Key string
	// Invitation is the secret of an invitation; empty if there is none.
	Invitation string
	// PerHour is how many accounts may be made from one address in an hour; 0 is no limit.
	PerHour int
	// CreatedOn is when the account shall have been made. The zero time is now.
	CreatedOn time.Time
}

// Create is SignUp for a request that may be sent again under its key: it then returns
// the account that the first one made. It reports true if this call made the account.
//
//   - The key was used for another name in the last 24 hours, or with another password
//     than the account has now: domain.ErrKeyReused. The latter counts as a failed sign-in.
//   - The key made the account, and too many sign-ins have failed: a *domain.ThrottledError.
//   - The key made the account more than 24 hours ago: domain.ErrExists.
//   - The invitation was used for another name or with another key, has ended or never was:
//     domain.ErrInvitationOver.
//   - Too many accounts were made from the address: a *domain.ThrottledError. An attempt
//     counts once its name, password and key are accepted.
//   - Too many sign up concurrently: domain.ErrBusy, and the attempt does not count.
//
// The account's row has a hash of the key and the name. So a request that finds the name
// taken recognises the account of an earlier request with its key.
func (a *Accounts) Create(ctx context.Context, r SignUpRequest) (account domain.User, made bool, err error) {
	name, nameErr := domain.ParseUserName(r.Name)
	if err := domain.JoinInvalid(nameErr, domain.CheckPassword("password", r.Password, name)); err != nil {
		return domain.User{}, false, err
	}
	var taken driver.Entity
	err = a.hashing.alone(ctx, func() (err error) {
		account, taken, err = a.signUp(ctx, name, r)
		return err
	}, signingUp)
	if err == nil && taken.Found() {
		// To check its password may take long, and must not keep others from signing up.
		account, err = a.earlierAccount(ctx, taken, r)
		return account, false, err
	}
	return account, err == nil, err
}

// signUp makes an account, or returns the row of the account that has the name. An invitation is
// used last, so that a request that is refused leaves it as it is.
func (a *Accounts) signUp(ctx context.Context, name domain.UserName, r SignUpRequest) (account domain.User, taken driver.Entity, err error) {
	//lab: Read whether an account has the name.
	taken, err = a.users.Find(ctx, schema.UserPartition(name), schema.SingleRow)
	if err == nil && !madeWith(taken, r.Key) {
		err = a.checkInvitation(ctx, name, r)
	}
	if err != nil || taken.Found() && !vacant(taken) {
		return domain.User{}, taken, err
	}
	taken = driver.Entity{}
	var limits []counter
	if r.PerHour > 0 {
		limits = []counter{newCounter("sign-up", r.Address, int64(r.PerHour), signUpWindow)}
		if _, err := a.look(ctx, limits[0]); err != nil {
			return domain.User{}, taken, err
		}
	}
	hash, err := a.hashing.hash(ctx, r.Password)
	if err == nil && r.Key != "" {
		err = a.bindSignUpKey(ctx, name, r.Key)
	}
	if err == nil {
		err = a.count(ctx, limits...)
	}
	if err == nil {
		err = a.useInvitation(ctx, name, r)
	}
	if err != nil {
		return domain.User{}, taken, err
	}
	return a.insertAccount(ctx, name, hash, r)
}

// insertAccount makes an account with the hash of its password, or returns the row of the account that
// has the name.
func (a *Accounts) insertAccount(ctx context.Context, name domain.UserName, hash string, r SignUpRequest) (account domain.User, taken driver.Entity, err error) {
	account = domain.User{Name: name, CreatedOn: domain.Now()}
	if !r.CreatedOn.IsZero() {
		account.CreatedOn = domain.Storable(r.CreatedOn)
	}
	properties := driver.Properties{driver.String(schema.PropPassword, hash),
		driver.Time(schema.PropCreatedOn, account.CreatedOn)}
	if r.Key != "" {
		properties = append(properties, driver.String(schema.PropOnce, onceAccount(name, r.Key)))
	}
	err = a.pause.Change(ctx, a.users, schema.UserPartition(name), schema.SingleRow, func(now driver.Entity) (driver.Properties, error) {
		if taken = now; !now.Found() {
			return append(slices.Clone(properties), driver.Int64(schema.PropEpoch, 0)), nil
		}
		if !vacant(now) {
			return nil, nil // another request was faster, or an account had the name not long ago
		}
		// The epoch goes on, so no session of the previous user of the name is valid again.
		taken = driver.Entity{}
		return append(slices.Clone(properties), driver.String(schema.PropState, domain.AccountActive),
			driver.Int64(schema.PropEpoch, epochOf(now)+1), driver.String(schema.PropDigestSecret, "")), nil
	})
	return account, taken, err
}

// earlierAccount returns the account of a name that is taken, if the same key made it and
// the password is right. Otherwise it returns domain.ErrExists or ErrKeyReused. A key is
// no way past the limits for sign-ins: the attempt counts as one, as in SignIn.
func (a *Accounts) earlierAccount(ctx context.Context, row driver.Entity, r SignUpRequest) (domain.User, error) {
	account := userOf(row)
	if !madeWith(row, r.Key) || !domain.Recent(account.CreatedOn, signUpKeyLifetime) {
		return domain.User{}, fmt.Errorf("user %s: %w", account.Name, domain.ErrExists)
	}
	_, err := a.authenticate(ctx, r.Attempt)
	if errors.Is(err, domain.ErrNotSignedIn) {
		err = &domain.WrongPasswordError{User: account.Name, Told: domain.ErrKeyReused}
	}
	return account, err
}

// bindSignUpKey writes down which name the key is used for. It is called when the name is
// free, so that a request that is refused leaves its key unused. The row ends like a
// session's, and no token gives it.
func (a *Accounts) bindSignUpKey(ctx context.Context, name domain.UserName, key string) error {
	bound := onceAccount(name, key)
	return a.pause.Change(ctx, a.sessions, schema.SignUpPartition(key), schema.SingleRow, func(now driver.Entity) (driver.Properties, error) {
		live := time.Now().Before(now.Properties.Time(schema.PropExpiresOn))
		switch same := now.Properties.String(schema.PropOnce) == bound; {
		case live && same:
			return nil, nil
		case live:
			return nil, fmt.Errorf("user %s: %w", name, domain.ErrKeyReused)
		}
		return driver.Properties{driver.Bool(schema.PropEnded, true), driver.String(schema.PropOnce, bound),
			driver.Time(schema.PropExpiresOn, domain.Now().Add(signUpKeyLifetime))}, nil
	})
}

// madeWith reports whether an account was made with a key.
func madeWith(row driver.Entity, key string) bool {
	return key != "" && row.Properties.String(schema.PropOnce) == onceAccount(userOf(row).Name, key)
}

func onceAccount(user domain.UserName, key string) string {
	return schema.Hash("sign-up", string(user), key)
}

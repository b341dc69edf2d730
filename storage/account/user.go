package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// SignUp creates an account and returns its user. A name in use is domain.ErrExists.
// A name or password that breaks a rule is an InvalidError. It is for an operator: it
// waits for its turn to hash the password as long as ctx lasts.
func (s *Accounts) SignUp(ctx context.Context, name, password string) (domain.User, error) {
	account, _, err := s.SignUpOnce(ctx, SignUpRequest{Attempt: Attempt{Name: name, Password: password}, patient: true})
	return account, err
}

// A SignUpRequest is a stranger's request to make an account.
type SignUpRequest struct {
	Attempt
	// Key is the idempotency key; empty if there is none. It may be any text.
	Key string
	// PerHour is how many accounts may be made from one address in an hour; 0 is no limit.
	PerHour int
	// CreatedOn is when the account shall have been made. The zero time is now.
	CreatedOn time.Time
	// patient makes the request of an operator, who waits as long as ctx lasts.
	patient bool
}

// SignUpOnce is SignUp for a request that may be sent again under its key: it then returns
// the account that the first one made. It reports true if this call made the account.
//
//   - The key was used for another name in the last 24 hours, or with another password
//     than the account has now: domain.ErrKeyReused. The latter counts as a failed sign-in.
//   - The key made the account, and too many sign-ins have failed: a *domain.ThrottledError.
//   - The key made the account more than 24 hours ago: domain.ErrExists.
//   - Too many accounts were made from the address: a *domain.ThrottledError. An attempt
//     counts once its name, password and key are accepted.
//   - Too many sign up at once: domain.ErrBusy, and the attempt does not count.
//
// The account's row has a hash of the key and the name. So a request that finds the name
// taken recognises the account of an earlier request with its key.
func (s *Accounts) SignUpOnce(ctx context.Context, r SignUpRequest) (_ domain.User, made bool, err error) {
	user, nameErr := domain.ParseUserName(r.Name)
	if err := domain.JoinInvalid(nameErr, domain.CheckPassword("password", r.Password, user)); err != nil {
		return domain.User{}, false, err
	}
	var account domain.User
	signUp := func() { account, made, err = s.signUp(ctx, user, r) }
	if r.patient {
		signUp()
	} else if busy := s.hashing.admit(ctx, signUp); busy != nil {
		return domain.User{}, false, fmt.Errorf("signing up: %w", busy)
	}
	if taken := (*takenError)(nil); errors.As(err, &taken) {
		// To check its password may take long, and must not keep others from signing up.
		account, err = s.earlierAccount(ctx, taken.row, r)
	}
	return account, made, err
}

// A takenError says that an account has the name.
type takenError struct{ row userRow }

func (e *takenError) Error() string { return "user " + string(e.row.name) + " exists" }

func (e *takenError) Unwrap() error { return domain.ErrExists }

// signUp makes an account. If the name is taken, it returns a *takenError.
func (s *Accounts) signUp(ctx context.Context, user domain.UserName, r SignUpRequest) (_ domain.User, made bool, err error) {
	switch row, err := s.readUser(ctx, user); {
	case err == nil:
		return domain.User{}, false, &takenError{row}
	case !errors.Is(err, domain.ErrNotFound):
		return domain.User{}, false, err
	}
	counted, err := s.countSignUp(ctx, r.Address, r.PerHour)
	if err != nil {
		return domain.User{}, false, err
	}
	hashNew := s.hashing.hashNew
	if r.patient {
		hashNew = s.hashing.hashNewPatiently
	}
	var hash string
	if err = s.bindSignUpKey(ctx, user, r.Key); err == nil {
		hash, err = hashNew(ctx, r.Password)
	}
	if errors.Is(err, domain.ErrBusy) || errors.Is(err, domain.ErrKeyReused) {
		err = errors.Join(err, s.withdraw(ctx, counted))
	}
	if err != nil {
		return domain.User{}, false, err
	}
	account, made, err := s.insertUser(ctx, user, hash, r)
	if errors.Is(err, domain.ErrExists) || errors.Is(err, domain.ErrKeyReused) {
		err = errors.Join(err, s.withdraw(ctx, counted)) // somebody else was faster
	}
	return account, made, err
}

// insertUser inserts the row of a new account.
func (s *Accounts) insertUser(ctx context.Context, user domain.UserName, hash string, r SignUpRequest) (_ domain.User, made bool, err error) {
	account := domain.User{Name: user, CreatedOn: domain.Now()}
	if !r.CreatedOn.IsZero() {
		account.CreatedOn = domain.Storable(r.CreatedOn)
	}
	mine := domain.NewRevision()
	properties := append(optimistic.Stamp(nil, mine),
		driver.String(schema.PropPassword, hash), driver.Time(schema.PropCreatedOn, account.CreatedOn), driver.Int64(schema.PropEpoch, 0))
	if r.Key != "" {
		properties = append(properties, driver.String(schema.PropOnce, onceAccount(user, r.Key)))
	}
	err = s.users.Transact(ctx, schema.UserPartition(user), driver.Insert(schema.SingleRow, properties...))
	if !errors.Is(err, domain.ErrExists) {
		return account, err == nil, err
	}
	row, err := s.readUser(ctx, user)
	switch {
	case err != nil:
		return domain.User{}, false, err
	case optimistic.Bears(row.properties, mine):
		return account, true, nil // this is the echo of our own insert
	}
	return domain.User{}, false, &takenError{row}
}

// EndSessions ends every session of a user. An unknown user is domain.ErrNotFound.
func (s *Accounts) EndSessions(ctx context.Context, user domain.UserName) error {
	_, err := s.raiseEpoch(ctx, user, func(userRow) (driver.Properties, error) { return nil, nil })
	return err
}

// raiseEpoch ends all sessions of a user in one write. The same write sets the
// properties that change returns. It returns the epoch that it began. Others may
// have begun a later one since.
func (s *Accounts) raiseEpoch(ctx context.Context, user domain.UserName,
	change func(now userRow) (driver.Properties, error),
) (epoch int64, err error) {
	err = s.changeUser(ctx, user, func(now userRow) (driver.Properties, error) {
		epoch = now.epoch + 1
		changes, err := change(now)
		return append(changes, driver.Int64(schema.PropEpoch, epoch)), err
	})
	return epoch, err
}

// changeUser sets the properties that change returns for the row as it was read, in that
// version. So a late copy of the write changes nothing. An unknown user is
// domain.ErrNotFound.
func (s *Accounts) changeUser(ctx context.Context, user domain.UserName, change func(now userRow) (driver.Properties, error)) error {
	mine := domain.NewRevision()
	return s.pause.Retry(ctx, func() error {
		row, err := s.readUser(ctx, user)
		switch {
		case err != nil:
			return err
		case optimistic.Bears(row.properties, mine):
			return nil // this is the echo of our own write
		}
		changes, err := change(row)
		if err != nil {
			return err
		}
		//lab: Change the account, in the version that was read.
		return optimistic.Again(s.users.Transact(ctx, schema.UserPartition(user),
			driver.Merge(schema.SingleRow, driver.Match(row.etag), append(changes, optimistic.Stamp(row.properties, mine)...)...)))
	})
}

// userRow is an account as it was read, with the password hash, which never leaves
// this package.
type userRow struct {
	name       domain.UserName
	password   string
	etag       driver.ETag
	properties driver.Properties
	moment
}

// A moment is one in the life of an account. A session began in one.
type moment struct{ epoch, signIns int64 }

func momentOf(row driver.Properties) moment {
	return moment{row.Int64(schema.PropEpoch), row.Int64(schema.PropSignIns)}
}

// outlasts tells whether a session that began then has ended by now.
func (now moment) outlasts(began moment) bool {
	return began.epoch != now.epoch || now.signIns-began.signIns >= maxSessions
}

func (s *Accounts) readUser(ctx context.Context, name domain.UserName) (userRow, error) {
	//lab: Read the account.
	row, err := s.users.Get(ctx, schema.UserPartition(name), schema.SingleRow)
	if err != nil {
		return userRow{}, fmt.Errorf("user %s: %w", name, err)
	}
	return userRow{
		name:       name,
		password:   row.Properties.String(schema.PropPassword),
		etag:       row.ETag,
		properties: row.Properties,
		moment:     momentOf(row.Properties),
	}, nil
}

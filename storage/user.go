package storage

import (
	"context"
	"errors"
	"fmt"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Properties of a Users row, besides CreatedOn, DigestSecret and the revisions.
const (
	propPassword = "Password"
	// propEpoch numbers the epochs of a user. A session is of one epoch, and ends
	// when the user begins another.
	propEpoch = "Epoch"
)

// SignUp creates an account and returns its user. A name in use is domain.ErrExists.
// A name or password that breaks a rule is an InvalidError. It is for an operator: it
// waits for its turn to hash the password as long as ctx lasts.
func (s *Store) SignUp(ctx context.Context, name, password string) (domain.User, error) {
	return s.signUp(ctx, Attempt{Name: name, Password: password}, uncounted, s.hashing.hashNewPatiently)
}

// SignUpFrom is like SignUp, for a stranger at an address from which at most so many
// accounts may be made in an hour; 0 is no limit. One more is a *domain.ThrottledError.
// An attempt counts once its name and password are accepted. If too many sign up at
// once, it is domain.ErrBusy and does not count.
func (s *Store) SignUpFrom(ctx context.Context, a Attempt, perHour int) (domain.User, error) {
	count := uncounted
	if perHour > 0 {
		count = func() ([]*quota, error) { return s.countSignUp(ctx, a.Address, perHour) }
	}
	return s.signUp(ctx, a, count, s.hashing.hashNew)
}

func uncounted() ([]*quota, error) { return nil, nil }

// signUp calls count before it hashes the password, which takes long.
func (s *Store) signUp(ctx context.Context, a Attempt, count func() ([]*quota, error),
	hashNew func(ctx context.Context, password string) (string, error),
) (domain.User, error) {
	user, nameErr := domain.ParseUserName(a.Name)
	if err := domain.JoinInvalid(nameErr, domain.CheckPassword("password", a.Password)); err != nil {
		return domain.User{}, err
	}
	switch _, err := s.readUser(ctx, user); {
	case err == nil:
		return domain.User{}, fmt.Errorf("user %s: %w", user, domain.ErrExists)
	case !errors.Is(err, domain.ErrNotFound):
		return domain.User{}, err
	}
	counted, err := count()
	if err != nil {
		return domain.User{}, err
	}
	hash, err := hashNew(ctx, a.Password)
	if errors.Is(err, domain.ErrBusy) {
		err = errors.Join(err, s.withdraw(ctx, counted))
	}
	if err != nil {
		return domain.User{}, err
	}
	return s.insertUser(ctx, user, hash)
}

// insertUser inserts the row of a new account.
func (s *Store) insertUser(ctx context.Context, user domain.UserName, hash string) (domain.User, error) {
	account := domain.User{Name: user, CreatedOn: domain.Now()}
	mine := domain.NewRevision()
	properties := append(stamp(nil, mine),
		driver.String(propPassword, hash), driver.Time(propCreatedOn, account.CreatedOn), driver.Int64(propEpoch, 0))
	err := s.users.Transact(ctx, userPartition(user), driver.Insert(singleRow, properties...))
	if !errors.Is(err, domain.ErrExists) {
		return account, err
	}
	row, readErr := s.readUser(ctx, user)
	if readErr == nil && bears(row.properties, mine) {
		return account, nil // this is the echo of our own insert
	}
	return domain.User{}, errors.Join(err, readErr)
}

// EndSessions ends every session of a user. An unknown user is domain.ErrNotFound.
func (s *Store) EndSessions(ctx context.Context, user domain.UserName) error {
	_, err := s.raiseEpoch(ctx, user, func(userRow) (driver.Properties, error) { return nil, nil })
	return err
}

// raiseEpoch ends all sessions of a user in one write. The same write sets the
// properties that change returns. It returns the epoch that it began. Others may
// have begun a later one since.
func (s *Store) raiseEpoch(ctx context.Context, user domain.UserName,
	change func(now userRow) (driver.Properties, error),
) (epoch int64, err error) {
	mine := domain.NewRevision()
	err = s.contend(ctx, func() error {
		row, err := s.readUser(ctx, user)
		switch {
		case err != nil:
			return err
		case bears(row.properties, mine):
			return nil // this is the echo of our own write, which began epoch
		}
		changes, err := change(row)
		if err != nil {
			return err
		}
		epoch = row.epoch + 1
		changes = append(append(changes, stamp(row.properties, mine)...), driver.Int64(propEpoch, epoch))
		err = s.users.Transact(ctx, userPartition(user), driver.Merge(singleRow, driver.Match(row.etag), changes...))
		if raced(err) {
			return errTryAgain
		}
		return err
	})
	return epoch, err
}

// userRow is an account as it was read, with the password hash, which never leaves
// this package.
type userRow struct {
	name       domain.UserName
	password   string
	epoch      int64
	etag       driver.ETag
	properties driver.Properties
}

func (s *Store) readUser(ctx context.Context, name domain.UserName) (userRow, error) {
	row, err := s.users.Get(ctx, userPartition(name), singleRow)
	if err != nil {
		return userRow{}, fmt.Errorf("user %s: %w", name, err)
	}
	return userRow{
		name:       name,
		password:   row.Properties.String(propPassword),
		epoch:      row.Properties.Int64(propEpoch),
		etag:       row.ETag,
		properties: row.Properties,
	}, nil
}

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
	account, _, err := s.signUp(ctx, Attempt{Name: name, Password: password}, "", uncounted, s.hashing.hashNewPatiently)
	return account, err
}

// signUp reports true if this call made the account. The key may be empty. It calls count
// before it writes anything else, and before it hashes the password, which takes long.
func (s *Store) signUp(ctx context.Context, a Attempt, key string, count func() ([]*quota, error),
	hashNew func(ctx context.Context, password string) (string, error),
) (_ domain.User, made bool, err error) {
	user, nameErr := domain.ParseUserName(a.Name)
	if err := domain.JoinInvalid(nameErr, domain.CheckPassword("password", a.Password)); err != nil {
		return domain.User{}, false, err
	}
	switch row, err := s.readUser(ctx, user); {
	case err == nil:
		account, err := s.earlierAccount(ctx, row, key, a.Password)
		return account, false, err
	case !errors.Is(err, domain.ErrNotFound):
		return domain.User{}, false, err
	}
	counted, err := count()
	if err != nil {
		return domain.User{}, false, err
	}
	var hash string
	if err = s.bindSignUpKey(ctx, user, key); err == nil {
		hash, err = hashNew(ctx, a.Password)
	}
	if errors.Is(err, domain.ErrKeyReused) || errors.Is(err, domain.ErrBusy) {
		err = errors.Join(err, s.withdraw(ctx, counted))
	}
	if err != nil {
		return domain.User{}, false, err
	}
	return s.insertUser(ctx, user, key, hash, a.Password)
}

// insertUser inserts the row of a new account. It reports true if this call made the
// account.
func (s *Store) insertUser(ctx context.Context, user domain.UserName, key, hash, password string) (domain.User, bool, error) {
	account := domain.User{Name: user, CreatedOn: domain.Now()}
	mine := domain.NewRevision()
	properties := append(stamp(nil, mine),
		driver.String(propPassword, hash), driver.Time(propCreatedOn, account.CreatedOn), driver.Int64(propEpoch, 0))
	if key != "" {
		properties = append(properties, driver.String(propOnce, onceAccount(user, key)))
	}
	err := s.users.Transact(ctx, userPartition(user), driver.Insert(singleRow, properties...))
	if !errors.Is(err, domain.ErrExists) {
		return account, err == nil, err
	}
	row, err := s.readUser(ctx, user)
	switch {
	case err != nil:
		return domain.User{}, false, err
	case bears(row.properties, mine):
		return account, true, nil // this is the echo of our own insert
	}
	account, err = s.earlierAccount(ctx, row, key, password)
	return account, false, err
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
	err = s.changeUser(ctx, user, func(now userRow) (driver.Properties, error) {
		epoch = now.epoch + 1
		changes, err := change(now)
		return append(changes, driver.Int64(propEpoch, epoch)), err
	})
	return epoch, err
}

// changeUser sets the properties that change returns for the row as it was read, in that
// version. So a late copy of the write changes nothing. An unknown user is
// domain.ErrNotFound.
func (s *Store) changeUser(ctx context.Context, user domain.UserName, change func(now userRow) (driver.Properties, error)) error {
	mine := domain.NewRevision()
	return s.contend(ctx, func() error {
		row, err := s.readUser(ctx, user)
		switch {
		case err != nil:
			return err
		case bears(row.properties, mine):
			return nil // this is the echo of our own write
		}
		changes, err := change(row)
		if err != nil {
			return err
		}
		err = s.users.Transact(ctx, userPartition(user),
			driver.Merge(singleRow, driver.Match(row.etag), append(changes, stamp(row.properties, mine)...)...))
		if raced(err) {
			return errTryAgain
		}
		return err
	})
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

package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Failed sign-ins are counted in the store, so that the limits hold for all web
// processes together. They are counted by user, against guessing one user's
// password, and by address, against trying one password on many names.
const (
	throttleWindow     = 15 * time.Minute
	failuresPerUser    = 10
	failuresPerAddress = 50

	propFailures = "Failures"
)

// counter is the key of one count in one window, and its limit.
type counter struct {
	partition string
	row       string
	limit     int64
}

// countAttempt counts an attempt as failed, before it is made, and returns the
// counters for uncount. If a limit is reached, it counts nothing and returns a
// *domain.ThrottledError: then the attempt must not be made.
func (s *Store) countAttempt(ctx context.Context, a Attempt) ([]counter, error) {
	now := time.Now()
	row := throttleRow(now, throttleWindow)
	// Spellings of one name in upper and lower case share a counter. Otherwise each
	// would give more guesses.
	name := a.Name
	if user, err := domain.ParseUserName(a.Name); err == nil {
		name = string(user)
	}
	counters := []counter{
		{throttlePartition("user", name), row, failuresPerUser},
		{throttlePartition("address", a.Address), row, failuresPerAddress},
	}
	ends := now.Truncate(throttleWindow).Add(throttleWindow)
	for i, c := range counters {
		if err := s.count(ctx, c, 1, ends); err != nil {
			return nil, errors.Join(err, s.uncount(ctx, counters[:i]))
		}
	}
	return counters, nil
}

// uncount subtracts an attempt from its counters after it succeeded.
func (s *Store) uncount(ctx context.Context, counters []counter) error {
	var errs error
	for _, c := range counters {
		errs = errors.Join(errs, s.count(ctx, c, -1, time.Time{}))
	}
	return errs
}

// count adds to a counter, once. If that would pass the limit, it adds nothing and
// returns a *domain.ThrottledError. The window ends at ends, which may be zero when
// by is negative.
func (s *Store) count(ctx context.Context, c counter, by int64, ends time.Time) error {
	mine := domain.NewRevision()
	err := s.contend(ctx, func() error {
		row, err := s.throttle.Get(ctx, c.partition, c.row)
		failures := row.Properties.Int64(propFailures) + by
		changes := append(stamp(row.Properties, mine), driver.Int64(propFailures, max(failures, 0)))
		var op driver.Operation
		switch {
		case err == nil && bears(row.Properties, mine):
			return nil // the echo of our own write, which must not count twice
		case err == nil:
			op = driver.Merge(c.row, driver.Match(row.ETag), changes...)
		case errors.Is(err, domain.ErrNotFound) && by > 0:
			op = driver.Insert(c.row, append(changes, driver.Time(propExpiresOn, ends))...)
		case errors.Is(err, domain.ErrNotFound):
			return nil // the window has ended, and the counter was removed
		default:
			return err
		}
		if failures > c.limit && by > 0 {
			return &domain.ThrottledError{RetryAfter: time.Until(ends)}
		}
		err = s.throttle.Transact(ctx, c.partition, op)
		if raced(err) {
			return errTryAgain
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("counting sign-ins: %w", err)
	}
	return nil
}

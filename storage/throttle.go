package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Wrong passwords are counted in the store, so that the limits hold for all web
// processes together. Each window of throttleWindow begins at zero.
//
//   - By address: against trying one password on many names.
//   - By user and address: against guessing one user's password.
//   - By user, for all addresses that are not known: against guessing it from many
//     addresses. An address is known if the user has signed in from there. So
//     strangers cannot lock the user out there.
//   - By user, for all of the user's sessions: against guessing it with a stolen
//     session. Nothing else keeps somebody with a session from trying.
//
// An attempt that is refused only reads, and its address is looked at first. So an
// address that tries many names leaves no more rows than attempts that it is allowed.
const (
	throttleWindow      = 15 * time.Minute
	failuresPerAddress  = 50
	failuresPerPair     = 10
	failuresOfStrangers = 50
	failuresOfSessions  = 10

	// An address is known for knownLifetime after a sign-in. It is written again if
	// less than knownRenewal of that is left, so not with each sign-in.
	knownLifetime = 30 * 24 * time.Hour
	knownRenewal  = knownLifetime - 24*time.Hour

	propFailures = "Failures"
)

// A tally is the counters of one partition that an attempt is counted in. One
// transaction counts it in all of them.
type tally struct {
	partition string
	counters  []counter
	// ends is when the window of the counters ends.
	ends time.Time
	// seen are the counters as look has read them.
	seen []driver.Entity
	// remember is written together with the subtraction of an attempt that succeeded.
	remember []driver.Operation
}

// A counter is a row that counts up to a limit.
type counter struct {
	row   string
	limit int64
}

// newTally returns a tally of the window that it is now.
func newTally(partition string, counters ...counter) *tally {
	return &tally{partition: partition, counters: counters, ends: time.Now().Truncate(throttleWindow).Add(throttleWindow)}
}

// countSignIn counts an attempt to sign in as failed, before it is made, and returns its
// tallies for uncount. If a limit is reached, it returns a *domain.ThrottledError and the
// attempt must not be made. Then it has written nothing, unless others reached the
// limit between its reads and its writes.
func (s *Store) countSignIn(ctx context.Context, a Attempt) ([]*tally, error) {
	window := throttleRow(time.Now(), throttleWindow)
	byAddress := newTally(throttlePartition("address", a.Address), counter{window, failuresPerAddress})
	if err := s.look(ctx, byAddress); err != nil {
		return nil, err
	}
	byUser := newTally(throttlePartition("user", throttleName(a.Name)), counter{pairRow(window, a.Address), failuresPerPair})
	until, err := s.knownUntil(ctx, byUser.partition, a.Address)
	if err != nil {
		return nil, err
	}
	if !time.Now().Before(until) {
		byUser.counters = append(byUser.counters, counter{window, failuresOfStrangers})
	}
	if time.Until(until) < knownRenewal {
		byUser.remember = []driver.Operation{driver.Merge(knownRow(a.Address), driver.Upsert,
			driver.Time(propExpiresOn, time.Now().Add(knownLifetime)))}
	}
	if err := s.look(ctx, byUser); err != nil {
		return nil, err
	}
	return s.countIn(ctx, byAddress, byUser)
}

// countConfirmation is like countSignIn, for somebody who has a session of that name and
// confirms the password.
func (s *Store) countConfirmation(ctx context.Context, a Attempt) ([]*tally, error) {
	ofSessions := newTally(throttlePartition("session", throttleName(a.Name)),
		counter{throttleRow(time.Now(), throttleWindow), failuresOfSessions})
	if err := s.look(ctx, ofSessions); err != nil {
		return nil, err
	}
	return s.countIn(ctx, ofSessions)
}

// throttleName returns what a name is counted as. Spellings in upper and lower case are
// one name. Otherwise each would give more guesses.
func throttleName(name string) string {
	if user, err := domain.ParseUserName(name); err == nil {
		return string(user)
	}
	return name
}

// knownUntil returns until when an address is known for the user of this partition. It is
// the zero time if it was never.
func (s *Store) knownUntil(ctx context.Context, partition, address string) (time.Time, error) {
	row, err := s.throttle.Get(ctx, partition, knownRow(address))
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return time.Time{}, fmt.Errorf("looking for a known address: %w", err)
	}
	return row.Properties.Time(propExpiresOn), nil
}

// look reads the counters of a tally. It returns a *domain.ThrottledError if one of them
// has reached its limit.
func (s *Store) look(ctx context.Context, t *tally) (err error) {
	if t.seen, err = s.readCounters(ctx, t); err == nil {
		err = t.refuse(t.seen)
	}
	if err != nil {
		return fmt.Errorf("counting sign-ins: %w", err)
	}
	return nil
}

// countIn counts an attempt in tallies that look has read. If one refuses, it is counted
// in none.
func (s *Store) countIn(ctx context.Context, tallies ...*tally) ([]*tally, error) {
	for i, t := range tallies {
		if err := s.count(ctx, t, 1); err != nil {
			return nil, errors.Join(err, s.uncount(ctx, tallies[:i]))
		}
	}
	return tallies, nil
}

// uncount subtracts an attempt from its tallies after it succeeded.
func (s *Store) uncount(ctx context.Context, tallies []*tally) error {
	var errs error
	for _, t := range tallies {
		errs = errors.Join(errs, s.count(ctx, t, -1))
	}
	return errs
}

// count adds to the counters of a tally, once. If that would pass a limit, it adds
// nothing and returns a *domain.ThrottledError.
func (s *Store) count(ctx context.Context, t *tally, by int64) error {
	mine := domain.NewRevision()
	err := s.contend(ctx, func() (err error) {
		rows := t.seen
		t.seen = nil // whoever comes next reads them again
		if rows == nil {
			if rows, err = s.readCounters(ctx, t); err != nil {
				return err
			}
		}
		if slices.ContainsFunc(rows, func(row driver.Entity) bool { return bears(row.Properties, mine) }) {
			return nil // the echo of our own write, which must not count twice
		}
		if by > 0 {
			if err := t.refuse(rows); err != nil {
				return err
			}
		}
		ops := t.operations(rows, by, mine)
		if len(ops) == 0 {
			return nil
		}
		err = s.throttle.Transact(ctx, t.partition, ops...)
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

// readCounters reads the rows of a tally. A row that does not exist has no ETag.
func (s *Store) readCounters(ctx context.Context, t *tally) ([]driver.Entity, error) {
	rows := make([]driver.Entity, len(t.counters))
	for i, c := range t.counters {
		row, err := s.throttle.Get(ctx, t.partition, c.row)
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			return nil, err
		}
		rows[i] = row
	}
	return rows, nil
}

// refuse returns a *domain.ThrottledError if a counter has reached its limit.
func (t *tally) refuse(rows []driver.Entity) error {
	for i, c := range t.counters {
		if rows[i].Properties.Int64(propFailures) >= c.limit {
			return &domain.ThrottledError{RetryAfter: time.Until(t.ends)}
		}
	}
	return nil
}

// operations returns what adds to the counters. A counter that does not exist is made
// if by is positive. Otherwise its window has ended, and there is nothing to subtract
// from. An attempt is subtracted because it succeeded: what it has to remember goes with
// that.
func (t *tally) operations(rows []driver.Entity, by int64, mine domain.Revision) []driver.Operation {
	var ops []driver.Operation
	for i, c := range t.counters {
		failures := max(rows[i].Properties.Int64(propFailures)+by, 0)
		changes := append(stamp(rows[i].Properties, mine), driver.Int64(propFailures, failures))
		switch {
		case rows[i].ETag != "":
			ops = append(ops, driver.Merge(c.row, driver.Match(rows[i].ETag), changes...))
		case by > 0:
			ops = append(ops, driver.Insert(c.row, append(changes, driver.Time(propExpiresOn, t.ends))...))
		}
	}
	if by < 0 {
		ops = append(ops, t.remember...)
	}
	return ops
}

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

// Failed sign-ins are counted in the store, so that the limits hold for all web
// processes together. They are counted by address, against trying one password on many
// names, and by user, against guessing one user's password.
//
// An attempt that is refused only reads, and its address is looked at first. So an
// address that tries many names leaves no more rows than attempts that it is allowed.
const (
	throttleWindow     = 15 * time.Minute
	failuresPerAddress = 50
	failuresPerUser    = 10

	propFailures = "Failures"
)

// A tally is the counters of one partition that an attempt is counted in. One
// transaction counts it in all of them.
type tally struct {
	partition string
	counters  []counter
	// ends is when the window of the counters ends.
	ends time.Time
}

// A counter is a row that counts up to a limit.
type counter struct {
	row   string
	limit int64
}

// talliesOf returns where an attempt is counted, in the order in which that is done.
func talliesOf(a Attempt) []tally {
	now := time.Now()
	row := throttleRow(now, throttleWindow)
	ends := now.Truncate(throttleWindow).Add(throttleWindow)
	// Spellings of one name in upper and lower case share a counter. Otherwise each
	// would give more guesses.
	name := a.Name
	if user, err := domain.ParseUserName(a.Name); err == nil {
		name = string(user)
	}
	return []tally{
		{throttlePartition("address", a.Address), []counter{{row, failuresPerAddress}}, ends},
		{throttlePartition("user", name), []counter{{row, failuresPerUser}}, ends},
	}
}

// countAttempt counts an attempt as failed, before it is made, and returns its tallies
// for uncount. If a limit is reached, it returns a *domain.ThrottledError and the
// attempt must not be made. Then it has written nothing, unless others reached the
// limit between its reads and its writes.
func (s *Store) countAttempt(ctx context.Context, a Attempt) ([]tally, error) {
	tallies := talliesOf(a)
	seen := make([][]driver.Entity, len(tallies))
	for i, t := range tallies {
		rows, err := s.readCounters(ctx, t)
		if err == nil {
			err = t.refuse(rows)
		}
		if err != nil {
			return nil, fmt.Errorf("counting sign-ins: %w", err)
		}
		seen[i] = rows
	}
	for i, t := range tallies {
		if err := s.count(ctx, t, seen[i], 1); err != nil {
			return nil, errors.Join(err, s.uncount(ctx, tallies[:i]))
		}
	}
	return tallies, nil
}

// uncount subtracts an attempt from its tallies after it succeeded.
func (s *Store) uncount(ctx context.Context, tallies []tally) error {
	var errs error
	for _, t := range tallies {
		errs = errors.Join(errs, s.count(ctx, t, nil, -1))
	}
	return errs
}

// count adds to the counters of a tally, once. If that would pass a limit, it adds
// nothing and returns a *domain.ThrottledError. Seen are the counters as they were read
// just now, or nil.
func (s *Store) count(ctx context.Context, t tally, seen []driver.Entity, by int64) error {
	mine := domain.NewRevision()
	err := s.contend(ctx, func() (err error) {
		rows := seen
		seen = nil // the next attempt reads them again
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
func (s *Store) readCounters(ctx context.Context, t tally) ([]driver.Entity, error) {
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
func (t tally) refuse(rows []driver.Entity) error {
	for i, c := range t.counters {
		if rows[i].Properties.Int64(propFailures) >= c.limit {
			return &domain.ThrottledError{RetryAfter: time.Until(t.ends)}
		}
	}
	return nil
}

// operations returns what adds to the counters. A counter that does not exist is made
// if by is positive. Otherwise its window has ended, and there is nothing to subtract
// from.
func (t tally) operations(rows []driver.Entity, by int64, mine domain.Revision) []driver.Operation {
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
	return ops
}

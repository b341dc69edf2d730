package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
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
// Sign-ups are counted by address, in windows of signUpWindow.
//
// An attempt that is refused only reads, and its address is looked at first. So an
// address that tries many names leaves no more rows than attempts that it is allowed.
const (
	throttleWindow      = 15 * time.Minute
	failuresPerAddress  = 50
	failuresPerPair     = 10
	failuresOfStrangers = 50
	failuresOfSessions  = 10

	signUpWindow = time.Hour

	// An address is known for knownLifetime after a sign-in. It is written again if
	// less than knownRenewal of that is left, so not with each sign-in.
	knownLifetime = 30 * 24 * time.Hour
	knownRenewal  = knownLifetime - 24*time.Hour
)

// A quota is the counters of one partition that an attempt is counted in. One
// transaction counts it in all of them.
type quota struct {
	partition string
	counters  []counter
	// ends is when the window of the counters ends.
	ends time.Time
	// signUps tells that the counters are of sign-ups, not of failed sign-ins.
	signUps bool
	// seen are the counters as look has read them.
	seen []driver.Entity
}

// A counter is a row that counts up to a limit.
type counter struct {
	row   string
	limit int64
}

// newQuota returns a quota of the current window of that length.
func newQuota(partition string, window time.Duration, counters ...counter) *quota {
	return &quota{partition: partition, counters: counters, ends: time.Now().Truncate(window).Add(window)}
}

// signInCounters returns what failed sign-ins are counted in. If a limit is reached, it
// returns a *domain.ThrottledError, and the attempt must not be made. Remember must be called
// after an attempt that succeeded: it makes the address known.
func (s *Accounts) signInCounters(ctx context.Context, a Attempt) (counters []*quota, remember func(context.Context) error, err error) {
	window := schema.ThrottleRow(time.Now(), throttleWindow)
	byAddress := newQuota(schema.ThrottlePartition("address", a.Address), throttleWindow, counter{window, failuresPerAddress})
	if err := s.look(ctx, byAddress); err != nil {
		return nil, nil, err
	}
	byUser := newQuota(schema.ThrottlePartition("user", throttleName(a.Name)), throttleWindow,
		counter{schema.PairRow(window, a.Address), failuresPerPair})
	until, err := s.knownUntil(ctx, byUser.partition, a.Address)
	if err != nil {
		return nil, nil, err
	}
	if !time.Now().Before(until) {
		byUser.counters = append(byUser.counters, counter{window, failuresOfStrangers})
	}
	if err := s.look(ctx, byUser); err != nil {
		return nil, nil, err
	}
	remember = func(ctx context.Context) error {
		if time.Until(until) >= knownRenewal {
			return nil
		}
		return s.rememberAddress(ctx, byUser.partition, a.Address)
	}
	return []*quota{byAddress, byUser}, remember, nil
}

// rememberAddress makes an address known for the user of this partition.
func (s *Accounts) rememberAddress(ctx context.Context, partition, address string) error {
	return s.throttle.Transact(ctx, partition,
		driver.Merge(schema.KnownRow(address), driver.Upsert, driver.Time(schema.PropExpiresOn, time.Now().Add(knownLifetime))))
}

// sessionCounter returns what is counted in if somebody who has a session of that name
// confirms the password, and fails.
func sessionCounter(a Attempt) *quota {
	return newQuota(schema.ThrottlePartition("session", throttleName(a.Name)), throttleWindow,
		counter{schema.ThrottleRow(time.Now(), throttleWindow), failuresOfSessions})
}

// countSignUp counts a sign-up before it is made, of at most so many from one address; 0 is
// no limit.
func (s *Accounts) countSignUp(ctx context.Context, address string, most int) ([]*quota, error) {
	if most == 0 {
		return nil, nil
	}
	ofSignUps := newQuota(schema.ThrottlePartition("sign-up", address), signUpWindow,
		counter{schema.ThrottleRow(time.Now(), signUpWindow), int64(most)})
	ofSignUps.signUps = true
	if err := s.look(ctx, ofSignUps); err != nil {
		return nil, err
	}
	return []*quota{ofSignUps}, s.countIn(ctx, ofSignUps)
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
func (s *Accounts) knownUntil(ctx context.Context, partition, address string) (time.Time, error) {
	row, err := s.throttle.Get(ctx, partition, schema.KnownRow(address))
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return time.Time{}, fmt.Errorf("looking for a known address: %w", err)
	}
	return row.Properties.Time(schema.PropExpiresOn), nil
}

// look reads the counters of a quota. It returns a *domain.ThrottledError if one of them
// has reached its limit.
func (s *Accounts) look(ctx context.Context, q *quota) (err error) {
	if q.seen, err = s.readCounters(ctx, q); err == nil {
		err = q.refuse(q.seen)
	}
	if err != nil {
		return fmt.Errorf("counting attempts: %w", err)
	}
	return nil
}

// countIn counts an attempt in quotas that look has read. If one refuses, it is counted
// in none.
func (s *Accounts) countIn(ctx context.Context, quotas ...*quota) error {
	for i, q := range quotas {
		if err := s.count(ctx, q, 1); err != nil {
			return errors.Join(err, s.withdraw(ctx, quotas[:i]))
		}
	}
	return nil
}

// withdraw subtracts an attempt that was not made from its quotas.
func (s *Accounts) withdraw(ctx context.Context, quotas []*quota) error {
	var errs error
	for _, q := range quotas {
		errs = errors.Join(errs, s.count(ctx, q, -1))
	}
	return errs
}

// count adds to the counters of a quota, once. If that would pass a limit, it adds
// nothing and returns a *domain.ThrottledError.
func (s *Accounts) count(ctx context.Context, q *quota, by int64) error {
	mine := domain.NewRevision()
	err := s.pause.Retry(ctx, func() (err error) {
		rows := q.seen
		q.seen = nil // whoever comes next reads them again
		if rows == nil {
			if rows, err = s.readCounters(ctx, q); err != nil {
				return err
			}
		}
		if slices.ContainsFunc(rows, func(row driver.Entity) bool { return optimistic.Bears(row.Properties, mine) }) {
			return nil // the echo of our own write, which must not count twice
		}
		if by > 0 {
			if err := q.refuse(rows); err != nil {
				return err
			}
		}
		ops := q.operations(rows, by, mine)
		if len(ops) == 0 {
			return nil
		}
		return optimistic.Again(s.throttle.Transact(ctx, q.partition, ops...))
	})
	if err != nil {
		return fmt.Errorf("counting attempts: %w", err)
	}
	return nil
}

// readCounters reads the rows of a quota. A row that does not exist has no ETag.
func (s *Accounts) readCounters(ctx context.Context, q *quota) ([]driver.Entity, error) {
	rows := make([]driver.Entity, len(q.counters))
	for i, c := range q.counters {
		row, err := s.throttle.Get(ctx, q.partition, c.row)
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			return nil, err
		}
		rows[i] = row
	}
	return rows, nil
}

// refuse returns a *domain.ThrottledError if a counter has reached its limit.
func (q *quota) refuse(rows []driver.Entity) error {
	for i, c := range q.counters {
		if rows[i].Properties.Int64(schema.PropFailures) >= c.limit {
			return &domain.ThrottledError{RetryAfter: time.Until(q.ends), SignUps: q.signUps}
		}
	}
	return nil
}

// operations returns what adds to the counters. A counter that does not exist is made
// if by is positive. Otherwise its window has ended, and there is nothing to subtract
// from.
func (q *quota) operations(rows []driver.Entity, by int64, mine domain.Revision) []driver.Operation {
	var ops []driver.Operation
	for i, c := range q.counters {
		failures := max(rows[i].Properties.Int64(schema.PropFailures)+by, 0)
		changes := append(optimistic.Stamp(rows[i].Properties, mine), driver.Int64(schema.PropFailures, failures))
		switch {
		case rows[i].ETag != "":
			ops = append(ops, driver.Merge(c.row, driver.Match(rows[i].ETag), changes...))
		case by > 0:
			ops = append(ops, driver.Insert(c.row, append(changes, driver.Time(schema.PropExpiresOn, q.ends))...))
		}
	}
	return ops
}

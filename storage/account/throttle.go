package account

import (
	"context"
	"fmt"
	"math"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// Wrong passwords are counted in the store, so that the limits hold for all web processes
// together. An attempt that is refused only reads, and its address is looked at first. So an
// address that tries many names leaves no more rows than attempts that it is allowed.
const (
	throttleWindow = 15 * time.Minute
	// failuresPerAddress is against trying one password on many names.
	failuresPerAddress = 50
	// failuresPerPair is against guessing one user's password.
	failuresPerPair = 10
	// failuresOfAnonymousClients is against guessing it from many addresses. An address is known if
	// the user has signed in from there: so anonymous clients cannot lock the user out there.
	failuresOfAnonymousClients = 50
	// failuresOfSessions is against guessing it with a stolen session. Nothing else keeps
	// a client with a session from trying.
	failuresOfSessions = 10

	signUpWindow = time.Hour

	// An address is known for knownLifetime after a sign-in. It is written again if less than
	// knownRenewal of that is left, so not with each sign-in.
	knownLifetime = 30 * 24 * time.Hour
	knownRenewal  = knownLifetime - 24*time.Hour

	// clockMargin is more than clocks differ: Azure refuses who is off by 15 minutes.
	clockMargin = time.Hour
)

// TextWindow is how long the bytes of texts are counted together.
const TextWindow = 24 * time.Hour

// A counter is a row that counts up to a limit, in a window that begins with the first count.
type counter struct {
	partition, row string
	limit          int64
	window         time.Duration
}

func newCounter(what, who string, limit int64, window time.Duration) counter {
	return counter{schema.ThrottlePartition(what, who), schema.SingleRow, limit, window}
}

// pair counts what fails for one user from one address. Its row also says until when the
// address is known.
func (t Attempt) pair() counter {
	c := newCounter("user", throttleName(t.Name), failuresPerPair, throttleWindow)
	c.row = schema.AddressRow(t.Address)
	return c
}

// throttleName returns what a name is counted as. Spellings in upper and lower case are
// one name. Otherwise each would give more guesses.
func throttleName(name string) string {
	if user, err := domain.ParseUserName(name); err == nil {
		return string(user)
	}
	return name
}

// lasts reports whether what ends then, and lasts so long, has not ended yet. What lies further
// ahead was written by a clock that was wrong.
func lasts(end time.Time, length time.Duration) bool {
	left := time.Until(end)
	return left > 0 && left < length+clockMargin
}

// refuse returns a *domain.ThrottledError if the counter has reached its limit.
func (c counter) refuse(row driver.Properties) error {
	end := row.Time(schema.PropWindowEnds)
	if !lasts(end, c.window) || row.Int64(schema.PropFailures) < c.limit {
		return nil
	}
	return fmt.Errorf("counting attempts: %w", &domain.ThrottledError{RetryAfter: time.Until(end), Limit: c.limit, Window: c.window, SignUps: c.window == signUpWindow})
}

// look reads a counter, and returns a *domain.ThrottledError if it has reached its limit.
func (a *Accounts) look(ctx context.Context, c counter) (driver.Properties, error) {
	//lab: Read how many attempts have failed.
	row, err := a.throttle.Find(ctx, c.partition, c.row)
	if err != nil {
		return nil, fmt.Errorf("counting attempts: %w", err)
	}
	return row.Properties, c.refuse(row.Properties)
}

// count adds one to each counter, unless that would pass its limit: then it returns a
// *domain.ThrottledError.
func (a *Accounts) count(ctx context.Context, counters ...counter) error {
	for _, c := range counters {
		if _, _, err := a.add(ctx, c, 1); err != nil {
			return err
		}
	}
	return nil
}

// add adds n to a counter, unless that has reached its limit: then it returns a *domain.ThrottledError.
// It returns what the counter has now, and when its window ends.
func (a *Accounts) add(ctx context.Context, c counter, n int64) (sum int64, end time.Time, err error) {
	err = a.pause.Change(ctx, a.throttle, c.partition, c.row, func(now driver.Entity) (driver.Properties, error) {
		sum, end = now.Properties.Int64(schema.PropFailures)+n, now.Properties.Time(schema.PropWindowEnds)
		if !lasts(end, c.window) {
			sum, end = n, time.Now().Add(c.window)
		}
		expires := now.Properties.Time(schema.PropExpiresOn) // later, if the address is known
		if expires.Before(end) {
			expires = end
		}
		return driver.Properties{driver.Int64(schema.PropFailures, sum),
			driver.Time(schema.PropWindowEnds, end), driver.Time(schema.PropExpiresOn, expires)}, c.refuse(now.Properties)
	})
	return sum, end, err
}

// AddText counts bytes of text that an account stores. It returns how many that are in this TextWindow, in
// all processes together, and when the window ends. A window begins with the first of them. No limit is
// looked at.
func (a *Accounts) AddText(ctx context.Context, user domain.UserName, bytes int64) (sum int64, end time.Time, err error) {
	return a.add(ctx, newCounter("text", string(user), math.MaxInt64, TextWindow), bytes)
}

// AddTextFrom is AddText for what all accounts store from a client address.
func (a *Accounts) AddTextFrom(ctx context.Context, address string, bytes int64) (sum int64, end time.Time, err error) {
	return a.add(ctx, newCounter("address-text", address, math.MaxInt64, TextWindow), bytes)
}

// signInLimits returns what a failed sign-in is counted in. If a limit is reached, it returns a
// *domain.ThrottledError.
func (a *Accounts) signInLimits(ctx context.Context, t Attempt) ([]counter, error) {
	address := newCounter("address", t.Address, failuresPerAddress, throttleWindow)
	if _, err := a.look(ctx, address); err != nil {
		return nil, err
	}
	pair, err := a.look(ctx, t.pair())
	if err != nil || lasts(pair.Time(schema.PropKnownUntil), knownLifetime) {
		return []counter{address, t.pair()}, err
	}
	anonymous := newCounter("user", throttleName(t.Name), failuresOfAnonymousClients, throttleWindow)
	_, err = a.look(ctx, anonymous)
	return []counter{address, t.pair(), anonymous}, err
}

// sessionLimits is signInLimits for a user who has a session and confirms the password.
func (a *Accounts) sessionLimits(ctx context.Context, t Attempt) ([]counter, error) {
	sessions := newCounter("session", throttleName(t.Name), failuresOfSessions, throttleWindow)
	_, err := a.look(ctx, sessions)
	return []counter{sessions}, err
}

// remember makes the address known for the user, unless it is for long.
func (a *Accounts) remember(ctx context.Context, t Attempt) error {
	c := t.pair()
	return a.pause.Change(ctx, a.throttle, c.partition, c.row, func(now driver.Entity) (driver.Properties, error) {
		until := now.Properties.Time(schema.PropKnownUntil)
		if lasts(until, knownLifetime) && time.Until(until) >= knownRenewal {
			return nil, nil
		}
		until = time.Now().Add(knownLifetime)
		return driver.Properties{driver.Time(schema.PropKnownUntil, until), driver.Time(schema.PropExpiresOn, until)}, nil
	})
}

// Package account implements users, their sessions and sign-in links, and the limits that keep
// anonymous clients from guessing passwords.
//
// Three tables hold it: Users, Sessions and Throttle. No operation here writes to more than one
// row in a transaction, except the removal of the rows next to an account. A session ends by a number
// in its user's row or by a property of its own row, which stays until it expires: so a delayed
// duplicate of a request brings nothing back.
package account

import (
	"golang.org/x/sync/semaphore"

	"microblogging/domain"
	"microblogging/storage/concurrent"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Accounts are the users and what is theirs alone. They are safe for concurrent use.
type Accounts struct {
	reads concurrent.Reads
	pause optimistic.Pause

	users, sessions, throttle *driver.Table
	// activity is the index of active channels, of which only the old rows are removed here.
	activity *driver.Table

	hashing hashing
}

// Steps are what the deletion of an account, workers and operators do. No page has them.
type Steps struct{ *Accounts }

// New returns the accounts of a backend whose tables are there. Hash makes the hash of a
// password that is stored; nil is domain.HashPassword.
func New(backend driver.Backend, reads concurrent.Reads, pause optimistic.Pause, hash func(password string) string) Steps {
	if hash == nil {
		hash = domain.HashPassword
	}
	return Steps{&Accounts{
		reads:    reads,
		pause:    pause,
		users:    driver.NewTable(backend, schema.TableUsers),
		sessions: driver.NewTable(backend, schema.TableSessions),
		throttle: driver.NewTable(backend, schema.TableThrottle),
		activity: driver.NewTable(backend, schema.TableActivity),
		hashing:  hashing{slots: semaphore.NewWeighted(maxHashing), make: hash},
	}}
}

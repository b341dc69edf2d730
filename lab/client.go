package lab

import (
	"time"

	"microblogging/storage"
	"microblogging/storage/driver"
)

// A Client is what an actor's code calls. Each call waits at the turnstile until
// the scheduler answers it.
type Client struct {
	// Tables and Queues are the backend; Store has the real operations on it.
	Tables driver.Tables
	Queues driver.Queues
	Store  *storage.Store
	// Given are the facts that the set-up of the scenario told.
	Given []Fact
	// Links and Tokens are the sign-in links and the sessions that the actor has.
	Links, Tokens []string

	session *session
}

// Tell records what the actor was told, or is about to do.
func (c *Client) Tell(f Fact) { c.session.tell(f) }

// Now is a time for the actor's next row. Time does not pass in the lab, so that it goes by what
// was told.
func (c *Client) Now() time.Time {
	return Instant().Add(time.Duration(len(c.session.facts)) * time.Second)
}

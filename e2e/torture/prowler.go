package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"microblogging/e2e/client"
)

const (
	// guesses is how many wrong passwords one client may try. The program refuses
	// after 50 in a quarter of an hour, and two quarters may meet in a run.
	guesses = 100
	// guessPause is between two guesses.
	guessPause = 20 * time.Millisecond
)

// prowl lets one client after another guess passwords, each until it is refused,
// until the load ends. A client that is never refused is a violation.
func (s *site) prowl(ctx, load context.Context) {
	for n := 1; load.Err() == nil; n++ {
		prowler := newUser(s, n, 0, 0)
		prowler.name = fmt.Sprintf("prowler%d", n)
		prowler.from(fmt.Sprintf("100.64.%d.%d", n/256, n%256))
		if !prowler.guess(ctx, load) {
			s.ledger.accuse("%s guessed %d passwords from one address, and was not refused", prowler.name, guesses)
			return // one accusation is enough
		}
	}
}

// guess tries to sign in under names that nobody can have, until the site refuses
// or the load ends. It reports false if the site did not refuse in time.
func (u *user) guess(ctx, load context.Context) bool {
	for wrong := 0; wrong <= guesses; {
		if load.Err() != nil {
			return true
		}
		u.written++
		// Such a name needs no hash of a password, so a guess costs little. No name is
		// tried twice, because the tries of one name are counted as well.
		who := map[string]string{"name": fmt.Sprintf("?%s/%d", u.name, u.written), "password": "guess"}
		a := u.send(ctx, "POST", client.SessionsPath, who, nil, http.StatusUnauthorized, http.StatusTooManyRequests)
		switch a.Status {
		case http.StatusUnauthorized:
			wrong++
		case http.StatusTooManyRequests:
			u.site.throttled.Add(1)
			return true
		}
		pause(load, guessPause)
	}
	return false
}

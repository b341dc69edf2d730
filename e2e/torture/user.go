package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"microblogging/e2e/client"
)

const (
	// answerTime bounds the wait for an answer. The program itself gives up a
	// request after ten seconds.
	answerTime = 30 * time.Second
	// thinkTime is the longest that a user pauses between two requests.
	thinkTime = 30 * time.Millisecond
	// calmTime is the last part of the load, in which no user deletes a channel. So
	// there is much to judge in the end.
	calmTime = 5 * time.Second
	// finalTries is how often a user tries again in the end, once a second.
	finalTries = 10
)

// A user does one thing after another, and records the answers.
type user struct {
	site   *site
	number int
	name   string
	token  string
	draw   *rand.Rand
	http   *http.Client
	// tries is how often the user tries again before the lack of an answer is a
	// violation; zero as long as it is none.
	tries int
	// unanswered reports whether the last request had no answer.
	unanswered bool
	// written numbers the channels, posts and texts that the user makes.
	written int
}

func newUser(s *site, number int, seed1, seed2 uint64) *user {
	return &user{
		site: s, number: number, name: fmt.Sprintf("user%d", number+1), draw: rand.New(rand.NewPCG(seed1, seed2)),
		http: &http.Client{Timeout: answerTime, Transport: &http.Transport{MaxIdleConnsPerHost: 2}},
	}
}

// An answer is what came of a request. Its status is zero if no answer came.
type answer struct {
	span
	client.Reply
}

// answered reports whether an answer came that says what became of the request.
func (a answer) answered() bool { return a.Status != 0 && a.Status != http.StatusServiceUnavailable }

// send sends a request. A status that is neither allowed nor 503 is a violation;
// send returns it as no answer.
func (u *user) send(ctx context.Context, method, path string, body any, header http.Header, allowed ...int) answer {
	a := u.once(ctx, method, path, body, header, allowed)
	for n := 0; n < u.tries && !a.answered(); n++ {
		pause(ctx, time.Second)
		a = u.once(ctx, method, path, body, header, allowed)
	}
	if u.tries > 0 && !a.answered() && ctx.Err() == nil {
		u.site.history.accuse("%s %s: no answer, though nothing hurts the site (%d)", method, path, a.Status)
	}
	return a
}

func (u *user) once(ctx context.Context, method, path string, body any, header http.Header, allowed []int) answer {
	a := answer{span: span{from: time.Now()}}
	if url, err := u.site.url(ctx, u.number); err == nil {
		c := client.Client{URL: url, Token: u.token, HTTP: u.http}
		a.Reply, _ = c.Send(ctx, method, path, body, header) // it may be lost: that is what the faults are for
	}
	a.to = time.Now()
	u.unanswered = !a.answered()
	if a.answered() && !slices.Contains(allowed, a.Status) {
		u.site.history.accuse("%s %s: answered %d\n%s", method, path, a.Status, a.Body)
		a.Status = 0
	}
	return a
}

// decode reads the body of an answer. A body that is not what was expected is a
// violation.
func (u *user) decode(a answer, into any) bool {
	if err := a.Decode(into); err != nil {
		u.site.history.accuse("%v", err)
		return false
	}
	return true
}

// signUp makes an account and signs in. Nothing hurts the site yet.
func (u *user) signUp(ctx context.Context) error {
	who := client.Credentials(u.name)
	if a := u.send(ctx, "POST", client.UsersPath, who, nil, http.StatusCreated); a.Status != http.StatusCreated {
		return fmt.Errorf("%s cannot sign up: %d", u.name, a.Status)
	}
	a := u.send(ctx, "POST", client.SessionsPath, who, nil, http.StatusCreated)
	var session client.Session
	if a.Status != http.StatusCreated || !u.decode(a, &session) {
		return fmt.Errorf("%s cannot sign in: %d", u.name, a.Status)
	}
	u.token = session.Token
	return nil
}

// visit does a few things in one channel. It looks at the channel before and
// after: if both show the same incarnation, all of it happened in that one.
func (u *user) visit(ctx, load context.Context) {
	channel := u.site.channels[u.draw.IntN(len(u.site.channels))]
	end, _ := load.Deadline()
	seen := u.look(ctx, channel)
	if seen == nil {
		u.create(ctx, channel)
		return
	}
	for range 1 + u.draw.IntN(6) {
		u.act(ctx, channel)
		if u.unanswered {
			break // the posts may be out of reach for a minute, and the channel itself not
		}
		pause(load, time.Duration(u.draw.Int64N(int64(thinkTime))))
	}
	if u.draw.IntN(40) == 0 {
		u.leaver(ctx, channel)
	}
	if seen.owner == u.name && !seen.adrift && !seen.unruly && u.draw.IntN(3) == 0 {
		u.rule(ctx, seen)
	}
	u.look(ctx, channel)
	if seen.owner == u.name && time.Since(seen.known) > u.keepTime() && time.Until(end) > calmTime {
		u.requestDeletion(ctx, seen)
		if u.draw.IntN(2) == 0 {
			u.create(ctx, channel)
		}
	}
}

// keepTime is how long a user keeps a channel: long enough for posts to gather,
// short enough for many deletions.
func (u *user) keepTime() time.Duration {
	return time.Second + time.Duration(u.draw.Int64N(int64(5*time.Second)))
}

// act does one thing. Some are more likely than others.
func (u *user) act(ctx context.Context, channel string) {
	switch n := u.draw.IntN(100); {
	case n < 42:
		u.post(ctx, channel)
	case n < 50:
		u.reply(ctx, channel)
	case n < 58:
		u.list(ctx, channel)
	case n < 63:
		u.read(ctx, channel)
	case n < 75:
		u.edit(ctx, channel)
	case n < 82:
		u.remove(ctx, channel)
	case n < 92:
		u.vote(ctx, channel)
	default:
		u.subscribe(ctx, channel)
	}
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

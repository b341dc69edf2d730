package storage

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

// Votes that meet. A vote depends on the version of the post, so that of all writers that
// meet on one post, one succeeds at a time. But those of one process know of each other,
// so they share transactions:
//
//	ada    leads: reads the post, takes all that wait, writes ------> answered
//	grace  waits -------------^                              ------> answered
//	eve                                 waits, then leads: reads, takes, writes ...
//
// The first caller leads. The others wait for their answer, or until their context ends.
// When a transaction is answered, the first that waits leads the next one. Nobody waits
// for others to come: a vote that is alone is sent at once. There is no goroutine besides
// the callers', and nothing is kept for a post that nobody votes on.
//
// Other processes need not know of this. Their votes meet these as before: by the version
// of the post.

// errLeaderPanicked answers the votes whose leader has panicked. The panic goes on to the
// leader's caller.
var errLeaderPanicked = errors.New("the request that carried this vote with its own has panicked")

// An asked is the part of a ballot that waits for others.
type asked struct {
	since time.Time
	// turn tells a ballot that waits to lead, or that it is answered. Each ballot is told
	// one of the two, once. It is nil for a ballot that leads at once.
	turn chan turn
	// spent has the calls that were made for the ballot. It is nil if nobody counts.
	spent *driver.Ledger
}

type turn uint8

const (
	turnToLead turn = iota + 1
	turnAnswered
)

// meetings are the posts that are being voted on in this process. Each has the ballots
// that no transaction has taken, in the order in which they came. One of each post leads.
type meetings struct {
	mu      sync.Mutex
	waiting map[votedPost][]*ballot
	clock   leadClock
}

// cast does what a ballot wants, together with others for the same post.
func (s *Store) cast(ctx context.Context, post votedPost, wish Ballot) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b := &ballot{Ballot: wish, asked: &asked{since: time.Now()}}
	next := turnToLead
	met := s.meetings.join(post, b)
	if met {
		var err error
		if next, err = s.meetings.await(ctx, post, b); err != nil {
			return err
		}
	}
	if next == turnToLead {
		s.lead(ctx, post, b, met)
	}
	driver.Charge(ctx, b.asked.spent, time.Since(b.asked.since))
	return b.err
}

// lead answers a ballot and those that share its transactions, even if it panics. If it
// has met others, those who are about to vote get the chance to join. A vote that has met
// nobody does not step back: it would miss the commit that it could share with votes on
// other posts.
func (s *Store) lead(ctx context.Context, post votedPost, b *ballot, met bool) {
	ctx, spent := driver.Apart(s.meetings.clock.context(ctx, time.Now()))
	var batch []*ballot
	defer func() { s.meetings.end(post, b, batch, spent) }()
	s.rate(ctx, post, func() []*ballot {
		if met {
			runtime.Gosched()
		}
		batch = s.meetings.take(post)
		return batch
	})
	for _, b := range batch {
		if errors.Is(b.err, context.DeadlineExceeded) { // not of the voter's own context
			b.err = fmt.Errorf("%w: %w", domain.ErrUnavailable, b.err)
		}
	}
}

// join tells whether the ballot meets others, and must await its turn. Otherwise, it
// leads.
func (m *meetings) join(post votedPost, b *ballot) (met bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting == nil {
		m.waiting = make(map[votedPost][]*ballot)
	}
	waiting, met := m.waiting[post]
	if met {
		b.asked.turn = make(chan turn, 1)
	}
	m.waiting[post] = append(waiting, b)
	return met
}

// await waits until the ballot shall lead or is answered, or ctx ends. If ctx ends before
// a transaction took the ballot, it has no effect.
func (m *meetings) await(ctx context.Context, post votedPost, b *ballot) (turn, error) {
	select {
	case t := <-b.asked.turn:
		return t, nil
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(post, b)
	select {
	case t := <-b.asked.turn:
		if t == turnAnswered {
			return t, nil
		}
		m.passOn(post)
	default:
	}
	return 0, ctx.Err()
}

// take takes the ballots that go together from those that wait. The one that leads is the
// first of them.
func (m *meetings) take(post votedPost) (batch []*ballot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	batch, m.waiting[post] = eachUserOnce(m.waiting[post])
	return batch
}

// end tells the ballots of a batch that they are answered, and passes the lead on.
func (m *meetings) end(post votedPost, leader *ballot, batch []*ballot, spent *driver.Ledger) {
	leader.asked.spent = spent
	for _, b := range batch {
		if !b.answered {
			b.answer(errLeaderPanicked)
		}
		if b != leader {
			b.asked.spent = spent
			b.asked.turn <- turnAnswered
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(post, leader) // it still waits if nothing was taken
	m.passOn(post)
}

func (m *meetings) remove(post votedPost, b *ballot) {
	if i := slices.Index(m.waiting[post], b); i >= 0 {
		m.waiting[post] = slices.Delete(m.waiting[post], i, i+1)
	}
}

// passOn lets the first that waits lead. If nobody waits, the meeting ends.
func (m *meetings) passOn(post votedPost) {
	waiting := m.waiting[post]
	if len(waiting) == 0 {
		delete(m.waiting, post)
		return
	}
	waiting[0].asked.turn <- turnToLead
}

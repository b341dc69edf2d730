package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

const (
	// trustTime is how long a process believes what it read about a store being frozen.
	trustTime = 5 * time.Second
	// answerTime is how long a write may take that is acknowledged. The client of Azure
	// gives up after 22 s.
	answerTime = 25 * time.Second
)

// LastWrite is how long after a store was frozen a write can still be acknowledged, by a
// process on whatever machine: it looked just before, and its write took as long as may be.
const LastWrite = trustTime + answerTime

// A guard stands before a store that several processes use, and refuses writes while the
// store is frozen, with domain.ErrFrozen. It looks before a write if its last look is older
// than trustTime. A write that is not answered within LastWrite after the look counts as not
// answered (domain.ErrUnavailable), whatever the answer is: so nobody is told of a write
// that a copy may have missed. All these times are measured by this process, from the
// beginning of the look, so clocks need not agree.
//
// Nobody receives messages while the store is frozen. To settle or to renew one is allowed:
// a message is a hint, and may be delivered twice.
type guard struct {
	driver.Tables
	driver.Queues

	moves *driver.Table
	// looking holds one value while somebody looks, and guards what follows.
	looking chan struct{}
	// looked is when the last look that was answered began.
	looked time.Time
	frozen bool
	// trust is how long a look is believed.
	trust time.Duration
}

// Guard returns the tables and queues of a store that several processes use, with all
// writes refused while the store is frozen or is the unfinished target of a copy.
// Whoever guards nothing must have the store alone.
func Guard(tables driver.Tables, queues driver.Queues) (driver.Tables, driver.Queues) {
	return newGuard(tables, queues, trustTime)
}

// GuardForGood is Guard for a process that has the store alone: nobody else can freeze or
// thaw it, so that one look is enough.
func GuardForGood(tables driver.Tables, queues driver.Queues) (driver.Tables, driver.Queues) {
	return newGuard(tables, queues, 1<<62)
}

func newGuard(tables driver.Tables, queues driver.Queues, trust time.Duration) (driver.Tables, driver.Queues) {
	g := &guard{Tables: tables, Queues: queues, moves: driver.NewTable(tables, tableMoves), looking: make(chan struct{}, 1), trust: trust}
	if inTurn, ok := tables.(driver.OneByOne); ok {
		return guardInTurn{g, inTurn.LastFirst()}, g
	}
	return g, g
}

// guardInTurn is the guard of a driver.OneByOne.
type guardInTurn struct {
	*guard
	lastFirst bool
}

// LastFirst implements driver.OneByOne.
func (g guardInTurn) LastFirst() bool { return g.lastFirst }

// Transact implements driver.Tables.
func (g *guard) Transact(ctx context.Context, table, partition string, ops []driver.Operation) error {
	return g.write(ctx, func(ctx context.Context) error { return g.Tables.Transact(ctx, table, partition, ops) })
}

// Send implements driver.Queues.
func (g *guard) Send(ctx context.Context, queue, text string) error {
	return g.write(ctx, func(ctx context.Context) error { return g.Queues.Send(ctx, queue, text) })
}

// write makes a write, unless the store is frozen.
func (g *guard) write(ctx context.Context, write func(context.Context) error) error {
	looked, err := g.look(ctx)
	if err != nil {
		return err
	}
	if g.trust > LastWrite {
		return write(ctx)
	}
	latest := looked.Add(LastWrite)
	ctx, cancel := context.WithDeadline(ctx, latest)
	defer cancel()
	err = write(ctx)
	if !time.Now().Before(latest) && !errors.Is(err, domain.ErrUnavailable) {
		// Also a refusal: it may be the echo of the write itself, which the caller would find.
		return fmt.Errorf("%w: the answer came too late", domain.ErrUnavailable)
	}
	return err
}

// Receive implements driver.Queues. A process that knows that the store is frozen receives
// nothing. One that does not looks only if there are messages, so that an idle worker costs
// no request more, and gives back what it has received.
func (g *guard) Receive(ctx context.Context, queue string, limit int, lease time.Duration) ([]driver.Message, error) {
	if g.knowsFrozen() {
		if _, err := g.look(ctx); err != nil {
			return nil, err
		}
	}
	messages, err := g.Queues.Receive(ctx, queue, limit, lease)
	if err != nil || len(messages) == 0 {
		return messages, err
	}
	_, err = g.look(ctx)
	if err == nil {
		return messages, nil
	}
	for _, m := range messages {
		if _, updateErr := g.Queues.Update(ctx, queue, m, 0); updateErr != nil {
			err = errors.Join(err, updateErr) // it is visible when its lease ends
		}
	}
	return nil, err
}

func (g *guard) knowsFrozen() bool {
	g.looking <- struct{}{}
	defer func() { <-g.looking }()
	return g.frozen
}

// look returns when a look began that is young enough, or domain.ErrFrozen. Writers that
// need a look at once wait for one.
func (g *guard) look(ctx context.Context) (time.Time, error) {
	select {
	case g.looking <- struct{}{}:
	case <-ctx.Done():
		return time.Time{}, fmt.Errorf("%w: %w", domain.ErrUnavailable, ctx.Err())
	}
	defer func() { <-g.looking }()
	if began := time.Now(); g.looked.IsZero() || began.Sub(g.looked) >= g.trust {
		m, err := readMoving(ctx, g.moves)
		if err != nil {
			return time.Time{}, fmt.Errorf("reading whether the store is frozen: %w", err)
		}
		g.looked, g.frozen = began, m.Freeze.Frozen || m.Unfinished
	}
	if g.frozen {
		return time.Time{}, domain.ErrFrozen
	}
	return g.looked, nil
}

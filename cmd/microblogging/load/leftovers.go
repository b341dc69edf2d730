package load

import (
	"context"
	"errors"
	"strings"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
)

const (
	// beatTable, beatPartition and beatRow are where a namespace has its heartbeat.
	beatTable     = "Alive"
	beatPartition = "load"
	beatRow       = "beat"
	// beatEvery is the time between two beats, and beatTime how long one may take: a beat
	// that gets no answer must not hold up the next.
	beatEvery = 2 * time.Second
	beatTime  = 10 * time.Second
	// aliveFor is how long a namespace counts as in use without a beat.
	aliveFor = 30 * time.Second
)

// firstBeat makes the table of the heartbeat, before any other, and the row in it.
func (n Namespace) firstBeat(ctx context.Context) error {
	if err := n.account.CreateTable(ctx, n.table(beatTable)); err != nil {
		return err
	}
	return n.writeBeat(ctx)
}

// writeBeat changes the row's ETag, which is all that others look at: their clocks may
// differ from this one.
func (n Namespace) writeBeat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beatTime)
	defer cancel()
	return n.account.Transact(ctx, n.table(beatTable), beatPartition,
		[]driver.Operation{driver.Replace(beatRow, driver.Upsert, driver.Time("At", time.Now()))})
}

// beat beats until ctx ends. A beat that fails does no harm: the next may succeed, and while
// the account does not answer, nobody can drop anything.
func (n Namespace) beat(ctx context.Context) {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = n.writeBeat(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// heartbeat reads the ETag of the last beat. It is empty if there is none.
func (n Namespace) heartbeat(ctx context.Context) (driver.ETag, error) {
	row, err := n.account.Get(ctx, n.table(beatTable), beatPartition, beatRow)
	if errors.Is(err, domain.ErrNotFound) {
		return "", nil
	}
	return row.ETag, err
}

// Leftovers are the namespaces that an account had before this load made its own. Each
// belongs to a load that was killed, or to one that is running elsewhere.
type Leftovers struct {
	account Account
	seen    time.Time
	beats   map[string]driver.ETag
}

// FindLeftovers looks which namespaces there are, and reads their heartbeats.
func FindLeftovers(ctx context.Context, account Account) (Leftovers, error) {
	beats, err := heartbeats(ctx, account)
	return Leftovers{account, time.Now(), beats}, err
}

// Wait returns how long it takes until Remove can tell which of them are in use.
func (l Leftovers) Wait() time.Duration {
	if len(l.beats) == 0 {
		return 0
	}
	return max(0, time.Until(l.seen.Add(aliveFor)))
}

// Remove removes those whose heart has not beaten since they were found, and returns how
// many it has removed. It must not be called before Wait has passed.
func (l Leftovers) Remove(ctx context.Context) (removed int, err error) {
	if len(l.beats) == 0 {
		return 0, nil
	}
	now, err := heartbeats(ctx, l.account)
	if err != nil {
		return 0, err
	}
	for id, beat := range l.beats {
		if again, there := now[id]; !there || again != beat {
			continue
		}
		if err := (Namespace{l.account, id}).remove(ctx); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// heartbeats returns the ETags of all namespaces by their ids. One without a table for it
// has none; to read it would create that table.
func heartbeats(ctx context.Context, account Account) (map[string]driver.ETag, error) {
	tables, err := account.TableNames(ctx, tableMark)
	if err != nil {
		return nil, err
	}
	queues, err := account.QueueNames(ctx, queueMark)
	if err != nil {
		return nil, err
	}
	beats := make(map[string]driver.ETag)
	for _, name := range append(tables, queues...) {
		if id, ok := namespaceOf(name); ok {
			beats[id] = ""
		}
	}
	for _, name := range tables {
		id, ok := namespaceOf(name)
		n := Namespace{account, id}
		if !ok || !strings.EqualFold(name, n.table(beatTable)) {
			continue
		}
		if beats[id], err = n.heartbeat(ctx); err != nil {
			return nil, err
		}
	}
	return beats, nil
}

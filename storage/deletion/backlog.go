package deletion

import (
	"context"
	"fmt"
	"time"

	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

// A Backlog is what waits for a worker or for an operator. It is read for an operator who
// asks again and again, so its cost is bounded.
type Backlog struct {
	// Open is how many deletions are due and not known to be at their end: one that ended within
	// the last minutes may count. Those that can be undone do not count, nor those of channels in
	// poison; an account's that waits in poison does. It is 1,000 if there are more.
	Open int
	// Oldest is when the work of the oldest of them was due. It is zero if there is none.
	Oldest time.Time
	// Undated is how many rows of open deletions do not say when their work is due. They do not count
	// as open, and may stay for ever. It is 1,000 if there are more.
	Undated int
	// Messages is the length of the queue, about.
	Messages int64
	// Poisoned is how many messages wait for an operator. It is 1,000 if there are more.
	Poisoned int
}

// maxBacklog is how many open deletions are counted, and how many messages that wait for an operator.
const maxBacklog = 1000

// Backlog reads what waits: from the queue, from the poison messages and from the index of open deletions.
func (s Steps) Backlog(ctx context.Context) (b Backlog, err error) {
	if b.Messages, err = s.queue.Length(ctx); err != nil {
		return Backlog{}, fmt.Errorf("backlog: %w", err)
	}
	for _, err := range s.deletions.Within(ctx, driver.Range{Partition: schema.PoisonPartition, Paging: driver.Paging{KeysOnly: true}}) {
		if err != nil {
			return Backlog{}, fmt.Errorf("backlog: %w", err)
		}
		if b.Poisoned++; b.Poisoned == maxBacklog {
			break
		}
	}
	from, to := schema.OpenPrefix, schema.PrefixEnd(schema.OpenPrefix)
	for row, err := range s.deletions.All(ctx, driver.Scan{From: from, To: to}) {
		if err != nil {
			return Backlog{}, fmt.Errorf("backlog: %w", err)
		}
		switch on := row.Properties.Time(schema.PropDueOn); {
		case on.IsZero():
			b.Undated++
		case on.After(time.Now()):
		case b.Oldest.IsZero() || on.Before(b.Oldest):
			b.Open, b.Oldest = b.Open+1, on
		default:
			b.Open++
		}
		if max(b.Open, b.Undated) == maxBacklog {
			break
		}
	}
	return b, nil
}

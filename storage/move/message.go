package move

import (
	"context"
	"errors"
	"fmt"
	"time"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/driver"
)

const (
	// lease is how long a message of the source is hidden by a copy that is killed.
	lease = 2 * time.Minute
	// lookEvery is the time between two looks for messages that somebody else holds.
	lookEvery = 2 * time.Second
	// patience is how long the copy waits for those. A worker that was killed holds a
	// message for a lease, and one that could not write hides it for a minute.
	patience = 15 * time.Minute
)

// copyMessages copies the messages of the queues, unless an earlier run has.
func (c *copier) copyMessages(ctx context.Context) error {
	if c.at.At[domain.QueueName].Whole {
		return nil
	}
	for _, name := range queues() {
		sent, err := c.copyQueue(ctx, name)
		if err != nil {
			return fmt.Errorf("copying the queue %s: %w", name, err)
		}
		if name == domain.PoisonQueueName {
			c.result.Poison = sent
		} else {
			c.result.Messages = sent
		}
	}
	return c.target.NoteCopy(ctx, c.at.Run, domain.QueueName, storage.CopiedTo{Whole: true})
}

// copyQueue receives every message of a queue, sends it to the target, and gives it back
// when all are sent. Those that somebody else holds it waits for.
func (c *copier) copyQueue(ctx context.Context, name string) (sent int, err error) {
	from, to := driver.NewQueue(c.from.Queues, name), driver.NewQueue(c.to.Queues, name)
	var held []driver.Message
	at := map[string]int{}
	for waited := time.Duration(0); ; {
		n, err := from.Length(ctx) // it may be too high for a while, and never too low
		if err != nil {
			return sent, err
		}
		if int(n) <= len(held) {
			break
		}
		messages, err := from.Receive(ctx, driver.MaxReceive, lease)
		if err != nil {
			return sent, err
		}
		for _, m := range messages {
			if i, again := at[m.ID]; again {
				held[i].Receipt = m.Receipt
				continue
			}
			if err := to.Send(ctx, m.Text); err != nil {
				return sent, err
			}
			sent++
			at[m.ID] = len(held)
			held = append(held, m)
		}
		if len(messages) > 0 {
			continue
		}
		if waited >= patience {
			return sent, fmt.Errorf("workers hold %d messages for more than %s; stop all workers, and run the copy again", int(n)-len(held), patience)
		}
		c.tell(WaitingForMessages, 0, int(n)-len(held))
		if err := c.Pause(ctx, lookEvery); err != nil {
			return sent, err
		}
		waited += lookEvery
	}
	for _, m := range held {
		if _, err := from.Update(ctx, m, m.Text, 0); err != nil && !errors.Is(err, domain.ErrLeaseLost) {
			return sent, err
		}
	}
	return sent, nil
}

package deletion

import (
	"time"

	"microblogging/domain"
	"microblogging/storage/channel"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// Deletions holds the operations on what is to be deleted. It is safe for concurrent use.
type Deletions struct {
	*channel.Lifecycle

	channels, deletions, users *driver.Table
	queue, poison              *driver.Queue

	pause optimistic.Pause
	// undo is how long the deletion of a channel can be undone.
	undo time.Duration
}

// New returns the deletions of a backend whose tables and queues are there. For the time of undo,
// the deletion of a channel can be undone.
func New(backend driver.Backend, channels *channel.Lifecycle, pause optimistic.Pause, undo time.Duration) *Deletions {
	return &Deletions{
		Lifecycle: channels,
		channels:  driver.NewTable(backend, schema.TableChannels),
		deletions: driver.NewTable(backend, schema.TableDeletions),
		users:     driver.NewTable(backend, schema.TableUsers),
		queue:     driver.NewQueue(backend, domain.QueueName),
		poison:    driver.NewQueue(backend, domain.PoisonQueueName),
		pause:     pause,
		undo:      undo,
	}
}

// Messages returns the queue of deletions, from which workers receive.
func (s *Deletions) Messages() *driver.Queue { return s.queue }

package deletion

import (
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
}

// New returns the deletions of a backend whose tables and queues are there.
func New(backend driver.Backend, channels *channel.Lifecycle, pause optimistic.Pause) *Deletions {
	return &Deletions{
		Lifecycle: channels,
		channels:  driver.NewTable(backend, schema.TableChannels),
		deletions: driver.NewTable(backend, schema.TableDeletions),
		users:     driver.NewTable(backend, schema.TableUsers),
		queue:     driver.NewQueue(backend, domain.QueueName),
		poison:    driver.NewQueue(backend, domain.PoisonQueueName),
		pause:     pause,
	}
}

// Messages returns the queue of deletions, from which workers receive.
func (s *Deletions) Messages() *driver.Queue { return s.queue }

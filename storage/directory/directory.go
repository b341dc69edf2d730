// Package directory is the lists of channels: of all, and of an owner's. No transaction spans a
// list and what it names, so whoever reads a list believes the channels' own rows.
package directory

import (
	"microblogging/storage/channel"
	"microblogging/storage/deletion"
	"microblogging/storage/driver"
	"microblogging/storage/optimistic"
	"microblogging/storage/schema"
)

// A Directory holds the operations on lists of channels. It is safe for concurrent use.
type Directory struct {
	*channel.Lifecycle
	deletions *deletion.Deletions

	channels, users *driver.Table

	pause optimistic.Pause
}

// New returns the directory of the channels of a backend whose tables are there.
func New(backend driver.Backend, channels *channel.Lifecycle, deletions *deletion.Deletions, pause optimistic.Pause) *Directory {
	return &Directory{
		Lifecycle: channels,
		deletions: deletions,
		channels:  driver.NewTable(backend, schema.TableChannels),
		users:     driver.NewTable(backend, schema.TableUsers),
		pause:     pause,
	}
}

package load

import (
	"context"
	"time"

	"microblogging/storage/driver"
)

// A Plan says what one run does.
type Plan struct {
	// Channels is how many channels, and so how many partitions, share the load.
	Channels int
	// Fill is how many posts the channels hold together before the load begins.
	Fill int
	Mix  Mix
	// Workers is how many operations are under way at once, at most.
	Workers int
	// Rate is how many operations are due in a second. 0 is a closed loop.
	Rate float64
	// Duration is how long operations are begun.
	Duration time.Duration
}

// A Ground is an empty store that belongs to one run.
type Ground struct {
	driver.Backend
	// Remove removes the store with all that is in it.
	Remove func(ctx context.Context) error
}

// Progress is how far a run has come.
type Progress struct {
	// Filled is how many posts of the fill were made.
	Filled int
	// Elapsed is how long the load has lasted. It is 0 while the channels are filled.
	Elapsed time.Duration
	// Requests is how many operations have ended.
	Requests int64
}

// Targets are the scalability targets that Azure publishes, in entities a second.
type Targets struct {
	// Partition is of today's documentation, for entities of 1 KiB. Partition2011 is of the
	// older text. Account is of the whole account.
	Partition     int `json:"partition"`
	Partition2011 int `json:"partition2011"`
	Account       int `json:"account"`
}

// AzureTargets returns what "Scalability and performance targets for Table storage" says,
// and for Partition2011 "Windows Azure Storage Abstractions and their Scalability Targets".
func AzureTargets() Targets {
	return Targets{Partition: 2_000, Partition2011: 500, Account: 20_000}
}

package telemetry

import (
	"log/slog"

	"microblogging/storage/driver"
)

// Options say what is told, and by whom.
type Options struct {
	// Version is that of the program, and Role that of the process: serve, web or worker.
	Version, Role string
	Log           *slog.Logger
}

// A Telemetry is told what one process does, by hooks that are safe for concurrent use. If it
// is nil, nothing is measured, and Store returns nothing.
type Telemetry struct {
	Options
	metrics
}

// New returns a Telemetry that has counted nothing yet.
func New(o Options) *Telemetry { return &Telemetry{o, newMetrics(o)} }

// Store returns what goes around each call of the store.
func (t *Telemetry) Store() []driver.Around {
	if t == nil {
		return nil
	}
	return []driver.Around{t.around}
}

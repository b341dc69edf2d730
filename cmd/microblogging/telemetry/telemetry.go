package telemetry

import (
	"log/slog"

	"microblogging/storage/driver"
)

// Options say what is told, and by whom.
type Options struct {
	// Version is that of the program, and Storage the kind of store: bolt or azure. Role is that of the
	// process, serve, web or worker, and Instance tells it from the other processes of its role.
	Version, Storage, Role, Instance string
	// Counts makes a Telemetry also if there are no traces.
	Counts bool
	Log    *slog.Logger
}

// A Telemetry is told what one process does, by hooks that are safe for concurrent use. If it
// is nil, nothing is measured, and Store and Stop do nothing.
type Telemetry struct {
	Options
	metrics
	*tracer // nil if there are no traces
}

// Start returns nil if neither metrics nor, by the variables OTEL_*, traces are asked for. The
// error says in a sentence which variable is wrong. Start opens no connection yet.
func Start(o Options) (*Telemetry, error) {
	traces, err := readVariables(o)
	if err != nil || traces == nil && !o.Counts {
		return nil, err
	}
	t := &Telemetry{Options: o, metrics: newMetrics(o)}
	if traces != nil {
		t.tracer = newTracer(*traces, o.Log)
	}
	return t, nil
}

// Stop sends the spans that wait, for StopTime at most. Spans that end later are lost.
func (t *Telemetry) Stop() {
	if t != nil && t.tracer != nil && !t.stop() {
		t.Log.Warn("could not send the last traces")
	}
}

// Store returns what goes around each call of the store.
func (t *Telemetry) Store() []driver.Around {
	if t == nil {
		return nil
	}
	return []driver.Around{t.around}
}

package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"microblogging/storage"
	"microblogging/storage/bolt"
)

const (
	// readAge is how old what was read may be when it is told again.
	readAge = 15 * time.Second
	// readTime bounds one of the reads.
	readTime = 2 * time.Second
)

// A Store is what is read when Prometheus asks.
type Store interface {
	Backlog(ctx context.Context) (storage.Backlog, error)
}

// Embedded is the embedded store.
type Embedded interface {
	Space() (bolt.Space, error)
	Disk() (bolt.Disk, error)
	Writable() error
	LastBackup() (time.Time, error)
}

// Read makes the metrics tell what waits in the store. Embedded is nil for any store but the
// embedded one, and clock is driver.Capabilities.Clock. The reads end when ctx ends. It is called once.
func (t *Telemetry) Read(ctx context.Context, store Store, embedded Embedded, clock func() (store, here time.Time, known bool)) {
	t.registry.MustRegister(&gauges{ctx: ctx, log: t.Log, store: store, embedded: embedded, clock: clock})
}

// gauges reads the store when Prometheus asks. It implements prometheus.Collector.
type gauges struct {
	ctx      context.Context
	log      *slog.Logger
	store    Store
	embedded Embedded
	clock    func() (store, here time.Time, known bool)

	mu      sync.Mutex
	on      time.Time
	backlog storage.Backlog
	err     error
}

// Describe implements prometheus.Collector. It describes nothing, so that nothing is read
// before Prometheus asks.
func (g *gauges) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	tell := func(name, help string, value float64, labels prometheus.Labels) {
		d := prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, nil, labels)
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.read()
	if b := g.backlog; g.err == nil {
		age := 0.0
		if !b.Oldest.IsZero() {
			age = max(time.Since(b.Oldest).Seconds(), 0)
		}
		tell("deletions_open", "Deletions that are due and not at their end, without those that can be undone and those in poison. "+
			"It stops at 1,000. One that has ended counts until the next reconciling pass.", float64(b.Open), nil)
		tell("deletions_oldest_age_seconds", "For how long the work of the oldest open deletion has been due. 0 if none is open.", age, nil)
		tell("queue_messages", "Messages on the queue, about, with those that are being handled: they wait for a worker.",
			float64(b.Messages), prometheus.Labels{"queue": "deletions"})
		tell("poisoned_messages", "Messages that wait for an operator. It stops at 1,000.", float64(b.Poisoned), nil)
		tell("deletions_undated", "Rows of open deletions that cannot be read: they do not say when their work is due. "+
			"They are in no other count. It stops at 1,000.", float64(b.Undated), nil)
	} else {
		g.log.Warn("could not read the store for metrics", "error", g.err)
	}
	tell("store_up", "1 if the store answered when it was last asked for the numbers below, else 0. They are then left out.", zeroIf(g.err), nil)
	if g.clock != nil {
		if store, here, known := g.clock(); known {
			tell("clock_ahead_seconds", "How far the clock of this process is ahead of the store's; negative if it is behind. It is that of the store's last answer. "+
				"The embedded store has no clock: it tells only how far this one is behind the latest time at which that was written to.", here.Sub(store).Seconds(), nil)
		}
	}
	if g.embedded != nil {
		g.tellEmbedded(tell)
	}
}

// tellEmbedded tells about the file of the embedded store. What cannot be read is left out.
func (g *gauges) tellEmbedded(tell func(name, help string, value float64, labels prometheus.Labels)) {
	tell("bolt_writable", "1 while the embedded store writes. 0 if its last commit failed or hangs, or its file cannot be read or has lost its name.",
		zeroIf(g.embedded.Writable()), nil)
	space, err := g.embedded.Space()
	if err == nil {
		tell("bolt_file_bytes", "The size of the file of the embedded store.", float64(space.Bytes), nil)
		tell("bolt_free_bytes", "Space in that file that holds nothing. It is used again; compact gives it back to the disk. It is no space on the disk.", float64(space.Free), nil)
	}
	disk, unknown := g.embedded.Disk()
	if disk.Bytes > 0 {
		tell("bolt_disk_bytes", "The size of the disk that has that file.", float64(disk.Bytes), nil)
		tell("bolt_disk_free_bytes", "Space on that disk that this process may fill.", float64(disk.Free), nil)
	}
	backup, unread := g.embedded.LastBackup()
	if !backup.IsZero() {
		tell("bolt_backup_age_seconds", "For how long the last backup, or a copy to here, has been complete. It is left out if there was none, and that of 1970 if the note of it cannot be read.", max(time.Since(backup).Seconds(), 0), nil)
	}
	if err := errors.Join(err, unknown, unread); err != nil {
		g.log.Warn("could not read all about the embedded store for metrics", "error", err)
	}
}

// zeroIf is 0 if there is an error, and else 1.
func zeroIf(err error) float64 {
	if err != nil {
		return 0
	}
	return 1
}

// read reads the store, unless it has been read a moment ago. A caller that asks during a read
// waits for it, and does not make another.
func (g *gauges) read() {
	if !g.on.IsZero() && time.Since(g.on) < readAge {
		return
	}
	ctx, cancel := context.WithTimeout(g.ctx, readTime)
	defer cancel()
	g.backlog, g.err = g.store.Backlog(ctx)
	g.on = time.Now()
}

package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"microblogging/storage"
	"microblogging/storage/bolt"
)

const (
	// backlogAge is how old what was read may be when it is told again.
	backlogAge = 15 * time.Second
	// readTime bounds one of the reads.
	readTime = 2 * time.Second
)

// A Store is what is read when Prometheus asks.
type Store interface {
	Backlog(ctx context.Context) (storage.Backlog, error)
}

// Read makes the metrics tell what waits in the store. Space is nil for any store but the
// embedded one. The reads end when ctx ends. It is called once.
func (t *Telemetry) Read(ctx context.Context, store Store, space func() (bolt.Space, error)) {
	t.registry.MustRegister(&gauges{ctx: ctx, log: t.Log, space: space, backlog: reading{read: store.Backlog}})
}

// gauges reads the store when Prometheus asks. It implements prometheus.Collector.
type gauges struct {
	ctx     context.Context
	log     *slog.Logger
	space   func() (bolt.Space, error)
	backlog reading
}

// Describe implements prometheus.Collector. It describes nothing, so that nothing is read
// before somebody asks.
func (g *gauges) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(ch chan<- prometheus.Metric) {
	tell := func(name, help string, value float64, labels prometheus.Labels) {
		d := prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, nil, labels)
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	up := 1.0
	b, err := g.backlog.get(g.ctx)
	if err != nil {
		up = 0
		g.log.Warn("the store was not read for metrics", "error", err)
	} else {
		tell("deletions_open", "Deletions that were accepted and are not at their end, without those in poison. "+
			"It stops at 1,000. Of more than 64, some may have ended in the last minutes.", float64(b.Open), nil)
		tell("deletions_oldest_age_seconds", "For how long the oldest open deletion has been asked for. 0 if none is open.", age(b.Oldest), nil)
		for queue, n := range map[string]int64{"deletions": b.Messages, "poison": b.Poisoned} {
			tell("queue_messages", "Messages on the queue, about, with those that are being handled: "+
				"deletions are those that wait for a worker, poison those that wait for an operator.", float64(n), prometheus.Labels{"queue": queue})
		}
	}
	tell("store_up", "1 if the store answered when it was last asked for the numbers below, else 0. They are then left out.", up, nil)
	if g.space == nil {
		return
	}
	space, err := g.space()
	if err != nil {
		g.log.Warn("the size of the store was not read for metrics", "error", err)
		return
	}
	tell("bolt_file_bytes", "The size of the file of the embedded store.", float64(space.Bytes), nil)
	tell("bolt_free_bytes", "Space in that file that holds nothing. It is used again; compact gives it back.", float64(space.Free), nil)
}

// age is for how long something has been so; 0 if it never was.
func age(since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(time.Since(since).Seconds(), 0)
}

// A reading keeps what was read, or why it was not, until it is too old. A caller that asks
// during a read waits for it, and does not make another.
type reading struct {
	read func(context.Context) (storage.Backlog, error)

	mu    sync.Mutex
	on    time.Time
	value storage.Backlog
	err   error
}

func (r *reading) get(ctx context.Context) (storage.Backlog, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.on.IsZero() && time.Since(r.on) < backlogAge {
		return r.value, r.err
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	r.value, r.err = r.read(ctx)
	r.on = time.Now()
	return r.value, r.err
}

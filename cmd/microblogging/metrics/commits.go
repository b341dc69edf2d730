package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"microblogging/storage/bolt"
)

// commitMetrics counts the commits of the embedded store.
type commitMetrics struct {
	commits *prometheus.CounterVec
	changes prometheus.Observer
	took    prometheus.Observer
}

// Commits returns what observes the commits of the embedded store. It is called once, and
// only if that is the store.
func (m *Metrics) Commits() func(bolt.Commit) {
	r := m.registry
	m.commits = commitMetrics{
		commits: counter(r, "bolt_commits_total", "Commits of the embedded store by outcome.", []string{"outcome"}, each("ok", "failed")...),
		changes: histogram(r, "bolt_commit_changes", "How many callers shared a commit of the embedded store.",
			[]float64{1, 2, 4, 8, 16, 32, 64, 128}).WithLabelValues(),
		took: histogram(r, "bolt_commit_duration_seconds", "How long commits of the embedded store take, until they are on the disk.",
			[]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}).WithLabelValues(),
	}
	return m.commits.committed
}

func (c *commitMetrics) committed(commit bolt.Commit) {
	if commit.Err != nil {
		c.commits.WithLabelValues("failed").Inc()
		return
	}
	c.commits.WithLabelValues("ok").Inc()
	c.changes.Observe(float64(commit.Changes))
	c.took.Observe(commit.Took.Seconds())
}

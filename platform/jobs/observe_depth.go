package jobs

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

const (
	// depthFresh is for how long what was read is told again, depthTime how long reading may take.
	depthFresh = 5 * time.Second
	depthTime  = 2 * time.Second
	// deliveries is the kind of the jobs that deliver events.
	deliveries = "events.deliver"
)

// Jobs that are not finished, and those that were given up, by the index on the state. due is how
// long ago the oldest should have begun, age how long ago it was enqueued, in seconds by the clock
// of the database.
const (
	depthPostgres = `SELECT kind, state::text AS state, count(*) AS jobs,
  extract(epoch FROM now() - min(scheduled_at))::float8 AS due, extract(epoch FROM now() - min(created_at))::float8 AS age
FROM river_job WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled', 'discarded')
GROUP BY kind, state`
	depthSQLite = `SELECT kind, state, count(*) AS jobs,
  (julianday('now') - julianday(min(scheduled_at))) * 86400.0 AS due, (julianday('now') - julianday(min(created_at))) * 86400.0 AS age
FROM river_job WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled', 'discarded')
GROUP BY kind, state`
)

// depthRow is how many jobs of a kind are in a state.
type depthRow struct {
	Kind, State string
	Jobs        int64
	Due, Age    float64
}

// depth tells at each scrape which jobs wait: of all processes, since they share the queue.
type depth struct {
	queue *Queue

	jobs, oldest, lag, failures *prometheus.Desc

	mu     sync.Mutex
	read   time.Time
	rows   []depthRow
	failed float64
}

func newDepth(q *Queue) *depth {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(telemetry.MetricName(name), help, labels, nil)
	}

	return &depth{
		queue:    q,
		jobs:     desc("queue_jobs", "Jobs that are not finished, and those that were given up (discarded).", "kind", "state"),
		oldest:   desc("queue_oldest_seconds", "How long the oldest waiting job is overdue.", "kind"),
		lag:      desc("event_lag_seconds", "Age of the oldest event that is not delivered to all listeners."),
		failures: desc("queue_read_failures_total", "How often the queue could not be read for these metrics."),
	}
}

// Describe implements prometheus.Collector.
func (d *depth) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{d.jobs, d.oldest, d.lag, d.failures} {
		out <- desc
	}
}

// Collect implements prometheus.Collector. A queue that cannot be read tells nothing but that.
func (d *depth) Collect(out chan<- prometheus.Metric) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.queue.clock.Now(); d.rows == nil || now.Sub(d.read) >= depthFresh {
		d.refresh(now)
	}
	out <- prometheus.MustNewConstMetric(d.failures, prometheus.CounterValue, d.failed)
	if d.rows == nil {
		return
	}
	oldest, lag := d.ages()
	for kind, seconds := range oldest {
		out <- prometheus.MustNewConstMetric(d.oldest, prometheus.GaugeValue, seconds, kind)
	}
	out <- prometheus.MustNewConstMetric(d.lag, prometheus.GaugeValue, lag)
	for _, row := range d.rows {
		out <- prometheus.MustNewConstMetric(d.jobs, prometheus.GaugeValue, float64(row.Jobs), row.Kind, row.State)
	}
}

// refresh reads the queue, within a short time: a scrape is not worth more.
func (d *depth) refresh(now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), depthTime)
	defer cancel()
	statement := depthPostgres
	if d.queue.db.Dialect() == database.SQLite {
		statement = depthSQLite
	}
	rows := []depthRow{}
	tx := d.queue.db.Raw(ctx, "numbers of jobs, of all companies together").Raw(statement).Scan(&rows)
	d.read, d.rows = now, rows
	if tx.Error != nil {
		d.rows = nil
		d.failed++
		d.queue.log.Debug("the queue could not be read", slog.Any("error", tx.Error))
	}
}

// ages returns for how long the oldest job of each kind waits, zero where none does, and how long ago
// the oldest event was published that is not delivered.
func (d *depth) ages() (oldest map[string]float64, lag float64) {
	oldest = make(map[string]float64, len(d.queue.kinds))
	for kind := range maps.Keys(d.queue.kinds) {
		oldest[kind] = 0
	}
	for _, row := range d.rows {
		if row.State == "discarded" {
			continue
		}
		if row.Kind == deliveries {
			lag = max(lag, row.Age)
		}
		if row.State != "running" {
			oldest[row.Kind] = max(oldest[row.Kind], row.Due)
		}
	}

	return oldest, lag
}

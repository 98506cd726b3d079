package routeengine

import (
	"context"
	"errors"
	"math"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// measurer measures legs with the provider, in the background.
type measurer struct {
	settings settings
	stored   *repository
	db       *database.DB
	queue    *jobs.Queue
	provider vendors.Router
}

func newMeasurer(s settings, stored *repository, queue *jobs.Queue, network *outbound.Network, db *database.DB) (*measurer, error) {
	m := &measurer{settings: s, stored: stored, queue: queue, db: db}
	var err error
	switch s.Provider {
	case osrm:
		m.provider, err = vendors.NewOSRM(network, s.URL)
	case valhalla:
		m.provider, err = vendors.NewValhalla(network, s.URL)
	case offline:
	}

	return m, err
}

// measureArgs are the arguments of the job that measures a leg.
type measureArgs struct {
	From    distance.Point  `json:"from"`
	To      distance.Point  `json:"to"`
	Lane    string          `json:"lane"`
	Profile vendors.Profile `json:"profile"`
	Source  string          `json:"source"`
}

// Kind implements jobs.Args.
func (measureArgs) Kind() string { return "route_engine.measure" }

// measured returns the stored measurements of legs by lane, and enqueues jobs for missing and old ones. It reports whether there were any.
func (m *measurer) measured(ctx context.Context, legs []leg, p vendors.Profile) (map[string]measuredRow, bool, error) {
	if m.provider == nil {
		return nil, false, nil
	}
	lanes := make([]string, len(legs))
	for i, l := range legs {
		lanes[i] = laneOf(l.From, l.To)
	}
	rows, err := m.stored.measured(ctx, string(p), lanes)
	if err != nil {
		return nil, false, err
	}
	var wanted []jobs.Job
	asked := map[string]bool{}
	for i, l := range legs {
		if row, ok := rows[lanes[i]]; ok && !m.stored.due(row.Asked) || asked[lanes[i]] || l.From.point == l.To.point {
			continue
		}
		asked[lanes[i]] = true
		wanted = append(wanted, jobs.Job{
			Args:    measureArgs{From: l.From.point, To: l.To.point, Lane: lanes[i], Profile: p, Source: m.settings.source()},
			Options: []jobs.Option{jobs.Unique(), jobs.Attempts(attempts)},
		})
	}
	if len(wanted) > 0 {
		err = m.db.InTx(ctx, func(ctx context.Context) error { return m.queue.EnqueueMany(ctx, wanted...) })
	}

	return rows, len(wanted) > 0, err
}

// measure is that job. A failure is recorded, and the previous measurement stays.
func (m *measurer) measure(ctx context.Context, args measureArgs) error {
	if m.provider == nil || args.Source != m.settings.source() {
		return nil // the provider has changed
	}
	rows, err := m.stored.measured(ctx, string(args.Profile), []string{args.Lane})
	if err != nil {
		return err
	}
	row, ok := rows[args.Lane]
	if ok && !m.stored.due(row.Asked) {
		return nil
	}
	if !ok {
		row = measuredRow{Source: args.Source, Profile: string(args.Profile), Lane: args.Lane}
	}
	way, failure := m.provider.Route(ctx, args.From, args.To, args.Profile)
	if err := ctx.Err(); err != nil {
		return errors.Join(err, failure)
	}
	switch {
	case errors.Is(failure, vendors.ErrNoRoute):
		row.Outcome, row.Meters, row.Seconds, row.Polyline, failure = outcomeNone, 0, 0, "", nil
	case failure == nil:
		row.Outcome, row.Polyline = outcomeMeasured, way.Polyline
		row.Meters, row.Seconds = int64(math.Round(way.Miles*metersPerMile)), int64(math.Round(way.Minutes*secondsPerMinute))
	}
	row.Asked = m.stored.ended(row.Asked, failure)

	return m.stored.putMeasured(ctx, row)
}

const (
	metersPerMile    = 1609.344
	secondsPerMinute = 60
)

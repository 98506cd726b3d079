package tracking

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// trail is where the truck of a load was: what was recorded, or what the sandbox makes up.
type trail struct {
	rows     *repository
	journeys *journeys
	places   routeengineapi.Places
	settings *settings.Settings[preferences]
	clock    clock.Clock
}

func newTrail(rows *repository, j *journeys, p routeengineapi.Places, kept *settings.Settings[preferences], c clock.Clock) *trail {
	return &trail{rows, j, p, kept, c}
}

// before returns the latest positions of a load before a time, by default all; the latest first.
func (t *trail) before(ctx context.Context, load uuid.UUID, before time.Time) ([]position, error) {
	if before.IsZero() {
		before = t.clock.Now().Add(mostAhead + time.Minute)
	}
	rows, err := t.rows.before(ctx, load, before.UTC(), mostShown)
	if err == nil && len(rows) == 0 {
		rows, err = t.madeUp(ctx, load, before.UTC(), mostShown)
	}

	return rows, err
}

// latest returns the last position until a time of the truck that has the load now. A company with the sandbox gets an invented one if none was
// reported. Error: errNone.
func (t *trail) latest(ctx context.Context, load uuid.UUID, w way, until time.Time) (position, error) {
	of, err := t.journeys.standing(ctx, load)
	if err != nil {
		return position{}, err
	}
	p, err := t.rows.latest(ctx, load, of.Since.UTC(), until)
	if !errors.Is(err, errNone) || until.Before(w.since) {
		return p, err
	}
	terms, failed := t.settings.Read(ctx)
	if failed != nil || !terms.Now.Sandbox {
		return p, errors.Join(failed, err)
	}

	return w.at(until), nil
}

// madeUp are positions of each hour of a load since it was picked up, the latest first, where the company works with what is made up.
func (t *trail) madeUp(ctx context.Context, load uuid.UUID, before time.Time, most int) ([]position, error) {
	terms, err := t.settings.Read(ctx)
	if err != nil || !terms.Now.Sandbox {
		return nil, err
	}
	l, err := t.journeys.seen(ctx, load)
	if err != nil {
		return nil, err
	}
	w, moves := t.journeys.way(ctx, l)
	if !moves {
		return nil, nil
	}
	until := t.clock.Now().UTC()
	if before.Before(until) {
		until = before
	}
	var all []position
	for at := w.since; at.Before(until); at = at.Add(time.Hour) {
		all = append(all, w.at(at))
	}
	slices.Reverse(all)

	return all[:min(len(all), most)], nil
}

// underway adds where the truck was when the delay began, and when it arrives by that; where nobody knows, by the pickup.
func (t *trail) underway(ctx context.Context, load uuid.UUID, on way, s sight, now time.Time, of *tracked) error {
	from, since := on.from, on.since
	p, err := t.latest(ctx, load, on, now.Add(-time.Duration(s.Delay)*time.Minute).UTC())
	switch {
	case errors.Is(err, errNone):
	case err != nil:
		return err
	default:
		near, _ := t.places.Near(ctx, float64(p.Lat)/micro, float64(p.Lng)/micro)
		from, since = near, p.At
		if s.Map {
			of.Position = &trackedAt{At: p.At.UTC(), Position: pointOf(p.Lat, p.Lng), Near: near.City + ", " + near.State, Precision: s.Precision}
			if s.Precision == city {
				of.Position.Position = pointOf(int64(near.Lat*micro), int64(near.Lng*micro))
			}
		}
	}
	if eta := on.arrival(t.places, from, since); eta.After(now) {
		of.ETA = &eta
	}

	return nil
}

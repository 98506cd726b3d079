// Package calendar tells the time where a company is, and understands the words for a time that is counted from the
// present: today-7d, start_of_month+1mo.
package calendar

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// zoneLife is how long the time zone of a company is remembered: so long a change of it may take to show.
	zoneLife = time.Minute
	// remembered is how many companies' time zones are remembered; another one's takes a read.
	remembered = 10_000
)

// Zones tells the time zones of companies.
type Zones interface {
	// TimeZone returns a name of the IANA database.
	TimeZone(ctx context.Context, company uuid.UUID) (string, error)
}

// Calendar tells the time where companies are. It may be used from several goroutines.
type Calendar struct {
	clock  clock.Clock
	source Zones
	zones  *lru.Cache[uuid.UUID, zone]
}

// zone is the time zone of a company, as it was at a time.
type zone struct {
	location *time.Location
	readAt   time.Time
}

// New returns the calendar of companies whose time zones the source knows.
func New(clk clock.Clock, source Zones) (*Calendar, error) {
	zones, err := lru.New[uuid.UUID, zone](remembered)
	if err != nil {
		return nil, fmt.Errorf("calendar: %w", err)
	}

	return &Calendar{clock: clk, source: source, zones: zones}, nil
}

// Now returns the present in the time zone of the company that is calling, in UTC if none is.
func (c *Calendar) Now(ctx context.Context) (time.Time, error) {
	location, err := c.Zone(ctx)

	return c.clock.Now().In(location), err
}

// Zone returns the time zone of the company that is calling, UTC if none is. It reads the database where the zone has not
// been asked for in the last minute.
func (c *Calendar) Zone(ctx context.Context) (*time.Location, error) {
	caller, _ := principal.From(ctx)
	if caller.Company == uuid.Nil {
		return time.UTC, nil
	}
	now := c.clock.Now()
	known, ok := c.zones.Get(caller.Company)
	if age := now.Sub(known.readAt); ok && age >= 0 && age < zoneLife {
		return known.location, nil
	}
	name, err := c.source.TimeZone(ctx, caller.Company)
	if err != nil {
		return time.UTC, fmt.Errorf("time zone: %w", err)
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC, fmt.Errorf("time zone: %w", err)
	}
	c.zones.Add(caller.Company, zone{location: location, readAt: now})

	return location, nil
}

// Key is what the calendar of a context is asked for by, for a context of one's own; see With.
type Key struct{}

var errNone = errors.New("calendar: the context has no calendar; use calendar.With")

// With returns a context with a calendar. Requests have one.
func With(ctx context.Context, c *Calendar) context.Context {
	return context.WithValue(ctx, Key{}, c)
}

// Of returns the calendar of a context; without one, an error.
func Of(ctx context.Context) (*Calendar, error) {
	c, _ := ctx.Value(Key{}).(*Calendar)
	if c == nil {
		return nil, errNone
	}

	return c, nil
}

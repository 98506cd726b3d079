package numbering

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// zoneLife is for how long the time zone of a company is remembered: so long a change of it may take
// to show in numbers.
const zoneLife = time.Minute

// Zones tells the time zones of companies.
type Zones interface {
	// TimeZone returns a name of the IANA database.
	TimeZone(ctx context.Context, company uuid.UUID) (string, error)
}

// zone is the time zone of a company, as it was at a time.
type zone struct {
	location *time.Location
	readAt   time.Time
}

// Option changes the call that it is given to.
type Option func(*call)

type call struct {
	zone     *time.Location
	template string
}

func asked(options []Option) call {
	var c call
	for _, option := range options {
		option(&c)
	}

	return c
}

// In says in which time zone the date of a number is, where it is not that of the company.
func In(zone *time.Location) Option {
	return func(c *call) { c.zone = zone }
}

// today returns the present in the time zone that decides about dates.
func (n *Numbers) today(ctx context.Context, options []Option) (time.Time, error) {
	c := asked(options)
	now := n.clock.Now()
	if c.zone == nil {
		var err error
		if c.zone, err = n.zoneOf(ctx, companyOf(ctx), now); err != nil {
			return now, fmt.Errorf("time zone: %w", err)
		}
	}

	return now.In(c.zone), nil
}

// zoneOf returns the time zone of a company.
func (n *Numbers) zoneOf(ctx context.Context, company uuid.UUID, now time.Time) (*time.Location, error) {
	known, ok := n.zones.Get(company)
	if age := now.Sub(known.readAt); ok && age >= 0 && age < zoneLife {
		return known.location, nil
	}
	name, err := n.source.TimeZone(ctx, company)
	if err != nil {
		return nil, err
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	n.zones.Add(company, zone{location: location, readAt: now})

	return location, nil
}

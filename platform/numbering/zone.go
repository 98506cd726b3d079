package numbering

import (
	"context"
	"time"
)

// Zones tells the time zones of companies; a *calendar.Calendar does.
type Zones interface {
	// Zone returns the time zone of the company that is calling.
	Zone(ctx context.Context) (*time.Location, error)
}

// Option changes the call that it is given to.
type Option func(*call)

type call struct {
	zone     *time.Location
	template string
}

func callOptions(options []Option) call {
	var c call
	for _, option := range options {
		option(&c)
	}

	return c
}

// InZone says in which time zone the date of a number is, where it is not that of the company.
func InZone(zone *time.Location) Option {
	return func(c *call) { c.zone = zone }
}

// today returns the present in the time zone that decides about dates.
func (n *Numbers) today(ctx context.Context, options []Option) (time.Time, error) {
	c := callOptions(options)
	now := n.clock.Now()
	if c.zone == nil {
		var err error
		if c.zone, err = n.zones.Zone(ctx); err != nil {
			return now, err
		}
	}

	return now.In(c.zone), nil
}

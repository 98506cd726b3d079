package sms

import (
	"context"
	"errors"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/state"
)

// ground is what the platform gives to the parts of the area.
type ground struct {
	clock  clock.Clock
	states *state.Log
	bus    *events.Bus
	queue  *jobs.Queue
	items  *item.Registry
}

func newGround(c clock.Clock, states *state.Log, bus *events.Bus, queue *jobs.Queue, items *item.Registry) *ground {
	return &ground{clock: c, states: states, bus: bus, queue: queue, items: items}
}

// core is what all parts of the area stand on.
type core struct {
	*ground
	*repository

	settings settings
	accounts *store
	vendors  *vendors
	identity *identity.Service
}

func newCore(s settings, g *ground, r *repository, v *vendors, i *identity.Service) *core {
	return &core{ground: g, repository: r, settings: s, accounts: v.accounts, vendors: v, identity: i}
}

// within names the field of a refused value.
func within(err error, field string) error {
	if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind == errs.Invalid {
		return refusal.WithField(field, refusal.Message)
	}

	return err
}

// e164 reads a number as the company writes it.
func (c *core) e164(ctx context.Context, text, field string) (string, error) {
	p, err := c.preferences(ctx)
	if err != nil {
		return "", err
	}
	number, err := phone.Parse(text, p.Region)

	return number, within(err, field)
}

package offers

import (
	"context"
	"time"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// ExpireEvery is how often offers are ended that were not answered in time.
const ExpireEvery = time.Minute

// Expire is the job that ends offers that were not answered in time.
type Expire struct{}

// Kind implements jobs.Args.
func (Expire) Kind() string { return "dispatches.expire" }

// Expiry ends offers that were not answered in time.
type Expiry struct {
	rows  *store.Repository
	ender *Ender
	clock clock.Clock
}

// NewExpiry returns an Expiry.
func NewExpiry(rows *store.Repository, e *Ender, c clock.Clock) *Expiry { return &Expiry{rows, e, c} }

// ExpireAll does the job.
func (e *Expiry) ExpireAll(ctx context.Context, _ Expire) error {
	return e.rows.EachDue(ctx, e.clock.Now(), e.ender.Expire)
}

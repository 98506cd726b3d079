package resource

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

const (
	// purgeEvery is how often rows whose retention is over are looked for, purgeBatch how many of a resource are removed
	// in one transaction.
	purgeEvery = time.Hour
	purgeBatch = 500
)

// whyPurge is the reason for statements across companies.
const whyPurge = "what was deleted long ago is removed for all companies together; keys have the company"

// purgeArgs are the arguments of the job that removes what was deleted longer ago than the retention.
type purgeArgs struct{}

// Kind implements jobs.Args.
func (purgeArgs) Kind() string { return "resource.purge" }

// Schedule has the queue remove what was deleted longer ago than the retention. It is called before the queue starts.
func (e *Engine) Schedule(q *jobs.Queue) error {
	if err := e.scheduleExpiries(q); err != nil {
		return err
	}
	if err := e.scheduleIndexing(q); err != nil {
		return err
	}

	return jobs.AddSweep(q, "resource", purgeEvery, purgeArgs{}, e.Purge)
}

// Purge removes for good, of every resource, a batch of the rows whose retention is over with their versions, and a batch of
// what else is older than it is kept. It returns how many.
func (e *Engine) Purge(ctx context.Context) (removed int, err error) {
	before := e.clock.Now().Add(-e.settings.Retention)
	for _, name := range slices.Sorted(maps.Keys(e.resources)) {
		sweep := e.resources[name].sweepStatement()
		if sweep == "" {
			continue
		}
		err := e.db.InTx(ctx, func(ctx context.Context) error {
			var gone []database.Place
			err := e.db.Raw(ctx, whyPurge).Raw(sweep, before, purgeBatch).Scan(&gone).Error
			if err != nil || len(gone) == 0 {
				return database.Translate(err)
			}
			removed += len(gone)
			if err := e.versions.ForgetAll(ctx, name, gone); err != nil {
				return err
			}

			if e.own != nil {
				if err := e.own.Purge(ctx, name, gone); err != nil {
					return err
				}
			}

			return e.index.Remove(ctx, name, gone)
		})
		if err != nil {
			return removed, fmt.Errorf("purge of %s: %w", name, err)
		}
	}

	forgotten, err := e.forgetExpiries(ctx)
	if removed += forgotten; err != nil {
		return removed, err
	}
	forgotten, err = e.versions.Sweep(ctx, e.clock.Now().Add(-e.settings.Versions), purgeBatch)

	return removed + forgotten, err
}

package exchange

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	takeOnEvery = 5 * time.Second
	clearEvery  = time.Hour
	// sweepBatch is how many imports are looked at in one go.
	sweepBatch = 100
	// arrivesFor is how long a file may take to arrive.
	arrivesFor = 24 * time.Hour
)

// takeOn is the job that has imports worked on whose worker is gone.
type takeOn struct{}

// Kind implements jobs.Args.
func (takeOn) Kind() string { return "collection.take_on_imports" }

// takeOnStalled does the job.
func (m *Importer) takeOnStalled(ctx context.Context, _ takeOn) error {
	since := m.clock.Now().Add(-m.settings.StalledAfter)
	keys, err := m.repo.stalled(ctx, since, sweepBatch)
	if err != nil {
		return err
	}
	for _, key := range keys {
		of := principal.With(ctx, principal.ForCompany(key.CompanyID))
		err := m.db.InTx(of, func(ctx context.Context) error {
			row, err := m.repo.findForUpdate(ctx, key.ID)
			if err != nil || !row.State.atWork() || !row.Beat.Before(since) {
				return err
			}
			row.Beat = m.clock.Now() // the next look is that much later
			if err := m.repo.saveProgress(ctx, &row); err != nil {
				return err
			}

			return m.jobs.Enqueue(ctx, workArgs{Import: row.ID})
		})
		if err != nil {
			return fmt.Errorf("import %s: %w", key.ID, err)
		}
	}

	return nil
}

// clearImports is the job that removes imports which are older than they are kept.
type clearImports struct{}

// Kind implements jobs.Args.
func (clearImports) Kind() string { return "collection.clear_imports" }

// clearOld does the job.
func (m *Importer) clearOld(ctx context.Context, _ clearImports) error {
	now := m.clock.Now()
	unfinished := now.Add(-min(arrivesFor, m.settings.Keep))
	for {
		keys, err := m.repo.staleImports(ctx, now.Add(-m.settings.Keep), unfinished, sweepBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, key := range keys {
			of := principal.With(ctx, principal.ForCompany(key.CompanyID))
			if err := m.discard(of, key.ID); err != nil {
				return fmt.Errorf("import %s: %w", key.ID, err)
			}
		}
	}
}

// dropBatch is how many chunks are removed in one transaction.
const dropBatch = 50

// discard removes an import with its file, a part at a time.
func (m *Importer) discard(ctx context.Context, id uuid.UUID) error {
	for {
		var dropped int
		err := m.db.InTx(bookkeepingContext(ctx), func(ctx context.Context) (err error) {
			if dropped, err = m.repo.dropChunks(ctx, id, dropBatch); err != nil || dropped > 0 {
				return err
			}

			return m.repo.deleteImport(ctx, id)
		})
		if err != nil || dropped == 0 {
			return err
		}
	}
}

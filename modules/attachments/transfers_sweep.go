package attachments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// sweepEvery is how often uploads are looked for that nobody goes on with.
const sweepEvery = 15 * time.Minute

// sweepTransfersJob is the job that removes them.
type sweepTransfersJob struct{}

// Kind implements jobs.Args.
func (sweepTransfersJob) Kind() string { return "attachments.sweep_transfers" }

// sweepAll does the job, for all companies.
func (t *transfers) sweepAll(ctx context.Context, _ sweepTransfersJob) error {
	for {
		keys, err := t.files.repository.ExpiredTransfers(ctx, t.files.clock.Now(), purgeBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			if err := t.discard(principal.AsCompany(ctx, k.CompanyID), k.ID); err != nil && !errors.Is(err, store.ErrTransfer) {
				return fmt.Errorf("upload %s: %w", k.ID, err)
			}
		}
	}
}

package scanning

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostRescanned is how many files are scanned anew by one request.
const mostRescanned = 200

// Desk has files scanned anew, or releases them, for who may do that.
type Desk struct {
	repository *store.Repository
	keeper     *files.Keeper
	journal    *files.Journal
	held       *Held
	scanner    *receiving.Scanner
}

// NewDesk returns the desk of a repository.
func NewDesk(r *store.Repository, k *files.Keeper, j *files.Journal, h *Held, sc *receiving.Scanner) *Desk {
	return &Desk{repository: r, keeper: k, journal: j, held: h, scanner: sc}
}

// Rescan has all versions of a file looked at anew; until then nobody can read it. One that is being scanned is refused, unless
// that takes so long that the scan must be lost.
func (d *Desk) Rescan(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Attachment, error) {
	return d.keeper.Change(ctx, id, match, func(ctx context.Context, row *store.Attachment) error {
		if !d.scanner.Enabled() {
			return store.ErrNoScanner
		}
		if d.held.isLost(*row) {
			return d.held.scanAgain(ctx, row)
		}
		if err := d.journal.Step(ctx, row, store.VerbScan, ""); err != nil {
			return err
		}
		row.Scan, row.ScanAgain = store.ScanPending, true

		return d.held.scanAgain(ctx, row)
	})
}

// release gives a quarantined file out, whatever was found in it.
func (d *Desk) release(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (store.Attachment, error) {
	return d.keeper.Change(ctx, id, match, func(ctx context.Context, row *store.Attachment) error {
		if err := d.journal.Step(ctx, row, store.VerbRelease, reason); err != nil {
			return err
		}
		found := row.Quarantine
		row.Scan, row.Quarantine, row.ScanAskedAt = store.ScanReleased, "", nil
		if err := d.journal.Prepare(ctx, *row); err != nil {
			return err
		}

		return d.journal.Released(ctx, id, found, reason)
	})
}

// rescanFailed has files scanned anew that the scanner could not look at, and returns how many, and how many are left.
func (d *Desk) rescanFailed(ctx context.Context) (begun, left int64, err error) {
	if !d.scanner.Enabled() {
		return 0, 0, store.ErrNoScanner
	}
	ids, err := d.repository.FailedScans(ctx, mostRescanned)
	if err != nil {
		return 0, 0, err
	}
	for _, id := range ids {
		_, err := d.Rescan(ctx, id, web.IfMatch{})
		switch {
		case err == nil:
			begun++
		case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, state.ErrNotAllowed): // somebody else was faster
			return begun, 0, err
		}
	}
	left, err = d.repository.CountFailedScans(ctx)

	return begun, left, err
}

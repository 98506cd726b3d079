package attachments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// sweepScansEvery is how often files are looked for whose scan was lost.
const sweepScansEvery = 5 * time.Minute

// mostRescanned is how many files are scanned anew by one request.
const mostRescanned = 200

// sweepScans is the job that has files scanned that are held while no job is about them any more.
type sweepScans struct{}

// Kind implements jobs.Args.
func (sweepScans) Kind() string { return "attachments.sweep_scans" }

// sweepLost does the job, for all companies.
func (s *scans) sweepLost(ctx context.Context, _ sweepScans) error {
	for {
		before := s.files.clock.Now().Add(-s.files.settings.Scan.LostTimeout())
		keys, err := s.files.repository.ScansAskedBefore(ctx, before, purgeBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			if err := s.scanLost(principal.AsCompany(ctx, k.CompanyID), k.ID, before); err != nil {
				return fmt.Errorf("attachment %s: %w", k.ID, err)
			}
		}
	}
}

// scanLost has a file scanned whose scanner was last asked before a time. Should its job not be lost but slow, the file
// is scanned twice.
func (s *scans) scanLost(ctx context.Context, id uuid.UUID, before time.Time) error {
	return s.files.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.files.repository.Lock(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil || row.ScanAskedAt == nil || !row.ScanAskedAt.Before(before) {
			return err
		}
		if row.Scan != store.ScanPending {
			row.ScanAskedAt = nil

			return s.files.repository.Save(ctx, &row)
		}
		s.log.WarnContext(ctx, "the scan of a file was lost and is begun anew", "attachment", id)
		if err := s.askAgain(ctx, &row); err != nil {
			return err
		}

		return s.files.repository.Save(ctx, &row)
	})
}

// askAgain has a file that is held scanned, from its first version on if it was already known.
func (s *scans) askAgain(ctx context.Context, row *store.Attachment) error {
	now := s.files.clock.Now()
	row.ScanAskedAt = &now
	args := scanJob{Attachment: row.ID, Number: row.Content, Again: row.ScanAgain}
	if row.ScanAgain {
		args.Number = 1
	}

	return s.files.queue.Enqueue(ctx, args, jobs.Attempts(scanAttempts))
}

// postpone has the job of a file wait for the scanner, and shows meanwhile that it is not lost.
func (s *scans) postpone(ctx context.Context, row store.Attachment) error {
	ctx = context.WithoutCancel(ctx)
	now := s.files.clock.Now()
	if row.ScanAskedAt == nil || now.Sub(*row.ScanAskedAt) > s.files.settings.Scan.LostTimeout()/2 {
		if err := s.files.db.InTx(ctx, func(ctx context.Context) error { return s.files.repository.NoteScanAsked(ctx, row.ID, now) }); err != nil {
			return err
		}
	}

	return jobs.Later(s.files.settings.Scan.RetryAfter)
}

// isLost reports whether the scan of a file is one that has been under way for too long.
func (s *scans) isLost(row store.Attachment) bool {
	return row.State == store.Scanning && row.ScanAskedAt != nil && !row.ScanAskedAt.After(s.files.clock.Now().Add(-s.files.settings.Scan.LostTimeout()))
}

// rescanFailed has files scanned anew that the scanner could not look at, and returns how many, and how many are left.
func (s *scans) rescanFailed(ctx context.Context) (begun, left int64, err error) {
	if !s.scanner.Enabled() {
		return 0, 0, store.ErrNoScanner
	}
	ids, err := s.files.repository.FailedScans(ctx, mostRescanned)
	if err != nil {
		return 0, 0, err
	}
	for _, id := range ids {
		_, err := s.rescan(ctx, id, web.IfMatch{})
		switch {
		case err == nil:
			begun++
		case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, state.ErrNotAllowed): // somebody else was faster
			return begun, 0, err
		}
	}
	left, err = s.files.repository.CountFailedScans(ctx)

	return begun, left, err
}

package scanning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/settings"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// SweepEvery is how often files are looked for whose scan was lost.
	SweepEvery = 5 * time.Minute
	// sweepBatch is how many are looked for at a time.
	sweepBatch = 200
)

// Sweep is the job that has files scanned that are held while no job is about them any more.
type Sweep struct{}

// Kind implements jobs.Args.
func (Sweep) Kind() string { return "attachments.sweep_scans" }

// Held are the files that nobody can read until a scanner has looked at them.
type Held struct {
	settings   settings.ScanSettings
	repository *store.Repository
	journal    *files.Journal
	clock      clock.Clock
	log        *slog.Logger
}

// NewHeld returns the files of a repository that are held.
func NewHeld(s settings.Settings, r *store.Repository, j *files.Journal, c clock.Clock, log *slog.Logger) *Held {
	return &Held{settings: s.Scan, repository: r, journal: j, clock: c, log: log}
}

// find returns a file, and whether it waits for a scan.
func (h *Held) find(ctx context.Context, id uuid.UUID) (row store.Attachment, waits bool, err error) {
	row, err = h.repository.Find(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return row, false, nil
	}

	return row, err == nil && row.Scan == store.ScanPending, err
}

// next has the scan go on with the next version of a file.
func (h *Held) next(ctx context.Context, args files.ScanJob) error {
	args.Number++

	return h.repository.DB.InTx(ctx, func(ctx context.Context) error { return h.journal.Scan(ctx, args) })
}

// applyVerdict gives a file out that is held, or quarantines it. One that was deleted meanwhile stays so.
func (h *Held) applyVerdict(ctx context.Context, args files.ScanJob, found receiving.Verdict) error {
	return h.repository.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := h.repository.Lock(ctx, args.Attachment)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil || row.Scan != store.ScanPending {
			return err
		}
		before := row.Quarantine
		row.Scan, row.Quarantine, row.ScanAskedAt = found.Result, found.Reason, nil
		row.Version, row.UpdatedAt = row.Version+1, h.clock.Now()
		if row.DeletedAt == nil {
			if err := h.journal.Inspected(ctx, &row); err != nil {
				return err
			}
			if err := h.decided(ctx, row, args, before); err != nil {
				return err
			}
		}

		return h.repository.Save(ctx, &row)
	})
}

// decided tells the others.
func (h *Held) decided(ctx context.Context, row store.Attachment, args files.ScanJob, before string) error {
	switch {
	case !args.Again || row.State == store.Quarantined && before == "":
		return h.journal.Announce(ctx, row)
	case row.State == store.Ready && before != "":
		return h.journal.Released(ctx, row.ID, before, "")
	default:
		return nil
	}
}

// SweepLost does the job, for all companies.
func (h *Held) SweepLost(ctx context.Context, _ Sweep) error {
	for {
		before := h.clock.Now().Add(-h.settings.LostTimeout())
		keys, err := h.repository.ScansAskedBefore(ctx, before, sweepBatch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			if err := h.scanLost(principal.AsCompany(ctx, k.CompanyID), k.ID, before); err != nil {
				return fmt.Errorf("attachment %s: %w", k.ID, err)
			}
		}
	}
}

// scanLost has a file scanned whose scanner was last asked before a time. Should its job not be lost but slow, the file
// is scanned twice.
func (h *Held) scanLost(ctx context.Context, id uuid.UUID, before time.Time) error {
	return h.repository.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := h.repository.Lock(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil || row.ScanAskedAt == nil || !row.ScanAskedAt.Before(before) {
			return err
		}
		if row.Scan != store.ScanPending {
			row.ScanAskedAt = nil

			return h.repository.Save(ctx, &row)
		}
		h.log.WarnContext(ctx, "the scan of a file was lost and is begun anew", "attachment", id)
		if err := h.scanAgain(ctx, &row); err != nil {
			return err
		}

		return h.repository.Save(ctx, &row)
	})
}

// scanAgain has a file that is held scanned.
func (h *Held) scanAgain(ctx context.Context, row *store.Attachment) error {
	return h.journal.ScanAgain(ctx, row, h.clock.Now())
}

// Postpone has the job of a file wait for the scanner, and shows meanwhile that it is not lost.
func (h *Held) Postpone(ctx context.Context, row store.Attachment) error {
	ctx = context.WithoutCancel(ctx)
	now := h.clock.Now()
	if row.ScanAskedAt == nil || now.Sub(*row.ScanAskedAt) > h.settings.LostTimeout()/2 {
		if err := h.repository.DB.InTx(ctx, func(ctx context.Context) error { return h.repository.NoteScanAsked(ctx, row.ID, now) }); err != nil {
			return err
		}
	}

	return jobs.Later(h.settings.RetryAfter)
}

// isLost reports whether the scan of a file is one that has been under way for too long.
func (h *Held) isLost(row store.Attachment) bool {
	return row.State == store.Scanning && row.ScanAskedAt != nil && !row.ScanAskedAt.After(h.clock.Now().Add(-h.settings.LostTimeout()))
}

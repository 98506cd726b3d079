// Package scanning has files looked at by a scanner that could not be when they came, or that are to be looked at anew.
package scanning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/clamd"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/files"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// Scans has held files looked at.
type Scans struct {
	held    *Held
	reader  *files.Reader
	scanner *receiving.Scanner
	log     *slog.Logger
}

// New returns the scans of what is held.
func New(h *Held, r *files.Reader, sc *receiving.Scanner, log *slog.Logger) *Scans {
	return &Scans{held: h, reader: r, scanner: sc, log: log}
}

// Scan does the job.
func (s *Scans) Scan(ctx context.Context, args files.ScanJob) error {
	row, waits, err := s.held.find(ctx, args.Attachment)
	if err != nil || !waits {
		return err
	}
	found, err := s.scanVersion(ctx, row, args.Number)
	switch attempt, _ := jobs.Current(ctx); {
	case errors.Is(err, clamd.ErrAway), errs.KindOf(err) == errs.Unavailable, ctx.Err() != nil:
		return s.held.Postpone(ctx, row)
	case err != nil && !attempt.Last:
		return fmt.Errorf("scanning attachment %s: %w", row.ID, err)
	case err != nil:
		s.log.ErrorContext(ctx, "a file could not be scanned and is quarantined", "attachment", row.ID, "error", err)
		found = receiving.Verdict{Result: store.ScanFailed, Reason: receiving.ReasonFailed}
	}
	if found.Reason == "" && args.Number < row.Content {
		return s.held.next(ctx, args)
	}

	return s.held.applyVerdict(ctx, args, found)
}

// scanVersion looks at a version. Without a scanner, what was held is given out, and what was quarantined is so again.
func (s *Scans) scanVersion(ctx context.Context, row store.Attachment, number int64) (found receiving.Verdict, err error) {
	if !s.scanner.Enabled() {
		return receiving.Verdict{Result: store.ScanNone, Reason: row.Quarantine}, nil
	}
	object, err := s.reader.Open(ctx, row.ID, number)
	if err != nil {
		return receiving.Verdict{}, err
	}
	defer func() { err = errors.Join(err, object.Close()) }()

	return s.scanner.Scan(ctx, object)
}

package attachments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/clamd"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/receiving"
	"github.com/dispatchd/dispatchd/modules/attachments/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// scanAttempts is how often a file is looked at by a scanner that answers and cannot do it.
const scanAttempts = 8

// scanJob is the job that has a version of a file looked at which is held until then, and the later ones
// after it.
type scanJob struct {
	Attachment uuid.UUID `json:"attachment"`
	Number     int64     `json:"number"`
	// Again says that the file could be read before, or was quarantined.
	Again bool `json:"again,omitempty"`
}

// Kind implements jobs.Args.
func (scanJob) Kind() string { return "attachments.scan" }

// scans hold files until a scanner has looked at them.
type scans struct {
	files   *service
	scanner *receiving.Scanner
	log     *slog.Logger
}

func newScans(s *service, sc *receiving.Scanner, log *slog.Logger) *scans {
	return &scans{files: s, scanner: sc, log: log}
}

// scanHeld does the job.
func (s *scans) scanHeld(ctx context.Context, args scanJob) error {
	row, err := s.files.repository.Find(ctx, args.Attachment)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil || row.Scan != store.ScanPending {
		return err
	}
	found, err := s.scanVersion(ctx, row, args.Number)
	switch attempt, _ := jobs.Current(ctx); {
	case errors.Is(err, clamd.ErrAway), errs.KindOf(err) == errs.Unavailable, ctx.Err() != nil:
		return s.postpone(ctx, row)
	case err != nil && !attempt.Last:
		return fmt.Errorf("scanning attachment %s: %w", row.ID, err)
	case err != nil:
		s.log.ErrorContext(ctx, "a file could not be scanned and is quarantined", "attachment", row.ID, "error", err)
		found = receiving.Verdict{Result: store.ScanFailed, Reason: receiving.ReasonFailed}
	}
	if found.Reason == "" && args.Number < row.Content {
		args.Number++

		return s.files.db.InTx(ctx, func(ctx context.Context) error { return s.files.queue.Enqueue(ctx, args, jobs.Attempts(scanAttempts)) })
	}

	return s.applyVerdict(ctx, args, found)
}

// scanVersion looks at a version. Without a scanner, what was held is given out, and what was quarantined is so again.
func (s *scans) scanVersion(ctx context.Context, row store.Attachment, number int64) (found receiving.Verdict, err error) {
	if !s.scanner.Enabled() {
		return receiving.Verdict{Result: store.ScanNone, Reason: row.Quarantine}, nil
	}
	v, err := s.files.repository.FindVersion(ctx, row.ID, number)
	if err != nil {
		return receiving.Verdict{}, err
	}
	object := s.files.storage.Blobs.Open(ctx, v.BlobName, v.Size)
	defer func() { err = errors.Join(err, object.Close()) }()

	return s.scanner.Scan(ctx, object)
}

// applyVerdict gives a file out that is held, or quarantines it. One that was deleted meanwhile stays so.
func (s *scans) applyVerdict(ctx context.Context, args scanJob, found receiving.Verdict) error {
	return s.files.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.files.repository.Lock(ctx, args.Attachment)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil || row.Scan != store.ScanPending {
			return err
		}
		before := row.Quarantine
		row.Scan, row.Quarantine, row.ScanAskedAt = found.Result, found.Reason, nil
		row.Version, row.UpdatedAt = row.Version+1, s.files.clock.Now()
		if row.DeletedAt == nil {
			if err := s.files.applyInspection(ctx, &row); err != nil {
				return err
			}
			if err := s.decided(ctx, row, args, before); err != nil {
				return err
			}
		}

		return s.files.repository.Save(ctx, &row)
	})
}

// decided tells the others.
func (s *scans) decided(ctx context.Context, row store.Attachment, args scanJob, before string) error {
	switch {
	case !args.Again || row.State == store.Quarantined && before == "":
		return s.files.announce(ctx, row)
	case row.State == store.Ready && before != "":
		return s.files.bus.Publish(ctx, attachmentsapi.Released{Attachment: row.ID.String(), Reason: before})
	default:
		return nil
	}
}

// rescan has all versions of a file looked at anew; until then nobody can read it. One that is being scanned is refused, unless
// that takes so long that the scan must be lost.
func (s *scans) rescan(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Attachment, error) {
	return s.files.change(ctx, id, match, func(ctx context.Context, row *store.Attachment) (err error) {
		if !s.scanner.Enabled() {
			return store.ErrNoScanner
		}
		if s.isLost(*row) {
			return s.askAgain(ctx, row)
		}
		row.State, err = store.Lifecycle.Apply(ctx, s.files.states, row.State, state.Move{Verb: store.VerbScan, UUID: id, Part: row.OwnerPart, Thing: *row})
		if err != nil {
			return err
		}
		row.Scan, row.ScanAgain = store.ScanPending, true

		return s.askAgain(ctx, row)
	})
}

// release gives a quarantined file out, whatever was found in it.
func (s *scans) release(ctx context.Context, id uuid.UUID, match web.IfMatch, reason string) (store.Attachment, error) {
	return s.files.change(ctx, id, match, func(ctx context.Context, row *store.Attachment) (err error) {
		row.State, err = store.Lifecycle.Apply(ctx, s.files.states, row.State, state.Move{Verb: store.VerbRelease, UUID: id, Part: row.OwnerPart, Thing: *row, Reason: reason})
		if err != nil {
			return err
		}
		found := row.Quarantine
		row.Scan, row.Quarantine, row.ScanAskedAt = store.ScanReleased, "", nil
		if err := s.files.prepare(ctx, *row); err != nil {
			return err
		}

		return s.files.bus.Publish(ctx, attachmentsapi.Released{Attachment: id.String(), Reason: found, Why: reason})
	})
}

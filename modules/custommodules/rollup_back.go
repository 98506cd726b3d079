package custommodules

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// backBatch is how many records' rollups are computed before the job notes how far it is.
const backBatch = 200

// rollBackRecords does the job rollBack: for a while, and then leaves the rest to the next job.
func (s *service) rollBackRecords(ctx context.Context, job rollBack) error {
	if job.After == uuid.Nil {
		if err := s.awaitWriters(ctx); err != nil {
			return fmt.Errorf("rollup %s: %w", job.Field, err)
		}
	}
	until := s.clock.Now().Add(rollTime)
	for {
		done, err := s.rollBackSome(ctx, &job)
		switch {
		case errors.Is(err, errModuleNotFound), errors.Is(err, errFieldNotFound):
			return nil // nobody needs it any more
		case err != nil:
			return fmt.Errorf("rollup %s: %w", job.Field, err)
		case done:
			return nil
		case s.clock.Now().After(until):
			return s.db.InTx(ctx, func(ctx context.Context) error { return s.jobs.Enqueue(ctx, job) })
		}
	}
}

// rollBackSome computes the rollup or lookup of the next records, and reports whether there were none left.
func (s *service) rollBackSome(ctx context.Context, job *rollBack) (done bool, err error) {
	row, err := s.repo.field(ctx, job.Module, job.Field)
	if err != nil || !rawjson.Same(row.Options, job.Options) {
		return err == nil, err // changed: another job is on it
	}
	made := s.definitions.types.derivedOf(row)
	if made == nil {
		return true, nil
	}
	ids, err := s.repo.recordIDs(ctx, job.Module, job.After, backBatch)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if err := s.rollUpRecord(ctx, staleRecord{record: id, references: []uuid.UUID{made.by()}}); err != nil {
			return false, err
		}
		job.After = id
	}
	if len(ids) > 0 {
		return false, nil
	}

	return true, s.finishRollBack(ctx, *job)
}

// finishRollBack says that the rollup has the values of all records, and has its index made ready.
func (s *service) finishRollBack(ctx context.Context, job rollBack) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.repo.advance(ctx, job.Module, s.change(ctx)); err != nil {
			return err
		}
		row, err := s.repo.field(ctx, job.Module, job.Field)
		if err != nil || !rawjson.Same(row.Options, job.Options) {
			return err
		}
		row.Rolling = false
		if err := s.repo.updateField(ctx, row); err != nil || row.Slot == nil || row.SlotReady {
			return err
		}

		return s.jobs.Enqueue(ctx, buildIndex{Module: job.Module, Field: job.Field, Since: *row.SlotSince})
	})
}

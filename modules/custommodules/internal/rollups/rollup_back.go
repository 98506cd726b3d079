package rollups

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// backBatch is how many records' rollups are computed before the job notes how far it is.
const backBatch = 200

// RollBackRecords does the job RollBack: for a while, and then leaves the rest to the next job.
func (s *Service) RollBackRecords(ctx context.Context, job modeling.RollBack) error {
	if job.After == uuid.Nil {
		if err := s.records.AwaitWriters(ctx); err != nil {
			return fmt.Errorf("rollup %s: %w", job.Field, err)
		}
	}
	until := s.clock.Now().Add(records.RollTime)
	for {
		done, err := s.rollBackSome(ctx, &job)
		switch {
		case errors.Is(err, definition.ErrModuleNotFound), errors.Is(err, definition.ErrFieldNotFound):
			return nil // nobody needs it any more
		case err != nil:
			return fmt.Errorf("rollup %s: %w", job.Field, err)
		case done:
			return nil
		case s.clock.Now().After(until):
			return s.db.InTx(ctx, func(ctx context.Context) error { return s.Jobs.Enqueue(ctx, job) })
		}
	}
}

// rollBackSome computes the rollup or lookup of the next records, and reports whether there were none left.
func (s *Service) rollBackSome(ctx context.Context, job *modeling.RollBack) (done bool, err error) {
	row, err := s.repo.Field(ctx, job.Module, job.Field)
	if err != nil || !rawjson.Equal(row.Options, job.Options) {
		return err == nil, err // changed: another job is on it
	}
	made := s.definitions.Types.DerivedOf(row)
	if made == nil {
		return true, nil
	}
	ids, err := s.repo.RecordIDs(ctx, job.Module, job.After, backBatch)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if err := s.RollUpRecord(ctx, records.StaleRecord{Record: id, References: []uuid.UUID{made.ReferenceID()}}); err != nil {
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
func (s *Service) finishRollBack(ctx context.Context, job modeling.RollBack) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.repo.Advance(ctx, job.Module, s.records.Change(ctx)); err != nil {
			return err
		}
		row, err := s.repo.Field(ctx, job.Module, job.Field)
		if err != nil || !rawjson.Equal(row.Options, job.Options) {
			return err
		}
		row.Rolling = false
		if err := s.repo.UpdateField(ctx, row); err != nil || row.Slot == nil || row.SlotReady {
			return err
		}

		return s.Jobs.Enqueue(ctx, modeling.BuildIndex{Module: job.Module, Field: job.Field, Since: *row.SlotSince})
	})
}

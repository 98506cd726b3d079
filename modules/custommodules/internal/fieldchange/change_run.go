package fieldchange

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// ChangeBatch is how many records are changed in one transaction.
const ChangeBatch = 200

// abortError is why a change cannot go on.
type abortError struct {
	record  uuid.UUID
	problem string
}

// Error implements error.
func (b abortError) Error() string { return b.problem }

// ApplyRecords does such a job: it goes through the records that were there when the job began, by id. What is
// written meanwhile is right already. Each transaction notes how far it has come, so after an interruption the
// job goes on there, and two of them do nothing twice.
func (s *Service) ApplyRecords(ctx context.Context, job modeling.ChangeRecords) error {
	if err := s.records.AwaitWriters(ctx); err != nil {
		return fmt.Errorf("change %s: %w", job.Change, err)
	}
	for end := s.clock.Now().Add(runTime); ; {
		left, err := s.ApplySome(ctx, job.Change)
		if err == nil && left == nothingLeft {
			err = s.completeChange(ctx, job.Change)
		}
		if why, ok := errors.AsType[abortError](err); ok {
			return s.abortChange(ctx, job.Change, why)
		}
		if errors.Is(err, definition.ErrChangeNotFound) || errors.Is(err, definition.ErrModuleNotFound) {
			return nil // it goes on when the module is restored
		}
		if errors.Is(err, store.ErrMovedOn) {
			continue // a value has just been given free
		}
		if err != nil {
			return fmt.Errorf("change %s: %w", job.Change, err)
		}
		if left != SomeLeft {
			return nil
		}
		if s.clock.Now().After(end) {
			return jobs.Later(time.Second)
		}
	}
}

// left says whether there are records that a change has yet to go through.
type left int

const (
	// OverAlready is of a change that is not being applied any more.
	OverAlready left = iota
	// SomeLeft says that there is more to do, nothingLeft that all is done.
	SomeLeft
	nothingLeft
)

// ApplySome changes the next records.
func (s *Service) ApplySome(ctx context.Context, id uuid.UUID) (rest left, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		rest = OverAlready
		row, err := s.repo.HoldChange(ctx, id)
		if err != nil || row.State != definition.ChangeApplying {
			return err
		}
		if err := s.repo.Hold(ctx, row.ModuleID); err != nil {
			return err
		}
		if row.UntilID == nil {
			if row.UntilID, row.Total, err = s.repo.LastRecord(ctx, row.ModuleID); err != nil {
				return err
			}
		}
		done := 0
		if row.UntilID != nil {
			if done, err = s.ApplyBatch(ctx, &row); err != nil {
				return err
			}
		}
		if rest = SomeLeft; done < ChangeBatch {
			rest = nothingLeft
		}

		return s.repo.SaveChange(ctx, &row, s.clock.Now())
	})

	return rest, err
}

// ApplyBatch changes the next records, and returns how many it has looked at.
func (s *Service) ApplyBatch(ctx context.Context, row *definition.ChangeRow) (int, error) {
	d, err := s.definitions.Load(ctx, row.ModuleID)
	if err != nil {
		return 0, err
	}
	step, err := stepOf(d, *row)
	if err != nil {
		return 0, err
	}
	records, err := s.repo.HeldAfter(ctx, row.ModuleID, row.Position, *row.UntilID, ChangeBatch)
	if err != nil {
		return 0, err
	}
	ctx = history.WithSource(ctx, store.ChangeSourcePrefix+row.ID.String())
	for _, record := range records {
		made, failed, err := s.applyOne(ctx, step, record)
		if err != nil {
			return 0, err
		}
		row.Position = record.ID
		if made {
			row.Changed++
		}
		if failed {
			row.Failed++
		}
	}
	row.Done += int64(len(records))

	return len(records), nil
}

// abortChange ends a change at a record that it breaks, and leaves the field as it was.
func (s *Service) abortChange(ctx context.Context, id uuid.UUID, why abortError) error {
	return s.endChange(ctx, id, func(row *definition.ChangeRow) {
		row.State, row.StoppedAt, row.Problem = definition.ChangeStopped, &why.record, why.problem
	})
}

// endChange undoes a change that is being applied.
func (s *Service) endChange(ctx context.Context, id uuid.UUID, note func(*definition.ChangeRow)) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.repo.HoldChange(ctx, id)
		if err != nil || row.State != definition.ChangeApplying {
			return err
		}
		if err := s.undo(ctx, &row); err != nil {
			return err
		}
		note(&row)
		if err := s.repo.SaveChange(ctx, &row, s.clock.Now()); err != nil {
			return err
		}

		return s.changeOver(ctx, row)
	})
	if err != nil {
		return fmt.Errorf("change %s: %w", id, err)
	}

	return nil
}

// CancelChange ends a change before its time. The field stays as it was, but one that was deleted stays deleted.
func (s *Service) CancelChange(ctx context.Context, module, id uuid.UUID) (definition.ChangeRow, error) {
	return s.withChange(ctx, module, id, func(ctx context.Context, row *definition.ChangeRow) error {
		switch row.State {
		case definition.ChangeApplying:
			if err := s.undo(ctx, row); err != nil {
				return err
			}
			row.State = definition.ChangeCancelled

			return s.changeOver(ctx, *row)
		case definition.ChangePlanning, definition.ChangePlanned, definition.ChangeStopped:
			if err := s.repo.ForgetValues(ctx, id); err != nil {
				return err
			}
		case definition.ChangeCancelled:
			return nil
		case definition.ChangeApplied:
			return wrongState(*row, definition.ChangePlanning, definition.ChangePlanned, definition.ChangeApplying, definition.ChangeStopped, definition.ChangeCancelled)
		}
		row.State = definition.ChangeCancelled

		return nil
	})
}

// ResumeChange applies a change again that was stopped or cancelled, from the first record on; of one that is
// being applied, it makes sure that a job is. One that is applied stays so.
func (s *Service) ResumeChange(ctx context.Context, module, id uuid.UUID) (definition.ChangeRow, error) {
	return s.withChange(ctx, module, id, func(ctx context.Context, row *definition.ChangeRow) error {
		switch {
		case row.State == definition.ChangeApplied:
			return nil
		case row.State == definition.ChangeApplying:
			return s.Jobs.Enqueue(ctx, modeling.ChangeRecords{Change: id})
		case row.Decision != nil && row.Kind == definition.ChangeDelete && row.State == definition.ChangeCancelled:
			if err := s.modeling.NoChangeRuns(ctx, module); err != nil {
				return err
			}
			row.State = definition.ChangeApplying
			if err := s.recordChange(ctx, definition.ChangeCancelled, *row); err != nil {
				return err
			}

			return s.Jobs.Enqueue(ctx, modeling.ChangeRecords{Change: id})
		case row.Decision != nil && (row.State == definition.ChangeStopped || row.State == definition.ChangeCancelled):
			return s.begin(ctx, row, nil)
		}

		return wrongState(*row, definition.ChangeApplying, definition.ChangeApplied, definition.ChangeStopped, definition.ChangeCancelled)
	})
}

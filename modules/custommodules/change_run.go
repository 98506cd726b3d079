package custommodules

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// changeBatch is how many records are changed in one transaction.
const changeBatch = 200

// changeRecords is the job that applies a change to the records of a module.
type changeRecords struct {
	Change uuid.UUID `json:"change"`
}

// Kind implements jobs.Args.
func (changeRecords) Kind() string { return "custom_modules.change_records" }

// changeSourcePrefix begins the source of the versions that a change of a field makes.
const changeSourcePrefix = "field_change:"

// broken is why a change cannot go on.
type broken struct {
	record  uuid.UUID
	problem string
}

// Error implements error.
func (b broken) Error() string { return b.problem }

// applyRecords does such a job: it goes through the records that were there when the job began, by id. What is
// written meanwhile is right already. Each transaction notes how far it has come, so after an interruption the
// job goes on there, and two of them do nothing twice.
func (s *service) applyRecords(ctx context.Context, job changeRecords) error {
	if err := s.awaitWriters(ctx); err != nil {
		return fmt.Errorf("change %s: %w", job.Change, err)
	}
	for end := s.clock.Now().Add(runTime); ; {
		left, err := s.applySome(ctx, job.Change)
		if err == nil && left == nothingLeft {
			err = s.completeChange(ctx, job.Change)
		}
		if why, ok := errors.AsType[broken](err); ok {
			return s.stop(ctx, job.Change, why)
		}
		if errors.Is(err, errChangeNotFound) || errors.Is(err, errModuleNotFound) {
			return nil // it goes on when the module is restored
		}
		if errors.Is(err, errMovedOn) {
			continue // a value has just been given free
		}
		if err != nil {
			return fmt.Errorf("change %s: %w", job.Change, err)
		}
		if left != someLeft {
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
	// overAlready is of a change that is not being applied any more.
	overAlready left = iota
	someLeft
	nothingLeft
)

// applySome changes the next records.
func (s *service) applySome(ctx context.Context, id uuid.UUID) (rest left, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		rest = overAlready
		row, err := s.repo.holdChange(ctx, id)
		if err != nil || row.State != changeApplying {
			return err
		}
		if err := s.repo.hold(ctx, row.ModuleID); err != nil {
			return err
		}
		if row.UntilID == nil {
			if row.UntilID, row.Total, err = s.repo.lastRecord(ctx, row.ModuleID); err != nil {
				return err
			}
		}
		done := 0
		if row.UntilID != nil {
			if done, err = s.applyBatch(ctx, &row); err != nil {
				return err
			}
		}
		if rest = someLeft; done < changeBatch {
			rest = nothingLeft
		}

		return s.repo.saveChange(ctx, &row, s.clock.Now())
	})

	return rest, err
}

// applyBatch changes the next records, and returns how many it has looked at.
func (s *service) applyBatch(ctx context.Context, row *changeRow) (int, error) {
	d, err := s.definitions.load(ctx, row.ModuleID)
	if err != nil {
		return 0, err
	}
	step, err := d.stepOf(*row)
	if err != nil {
		return 0, err
	}
	records, err := s.repo.heldAfter(ctx, row.ModuleID, row.Position, *row.UntilID, changeBatch)
	if err != nil {
		return 0, err
	}
	ctx = history.WithSource(ctx, changeSourcePrefix+row.ID.String())
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

// stop ends a change at a record that it breaks, and leaves the field as it was.
func (s *service) stop(ctx context.Context, id uuid.UUID, why broken) error {
	return s.endChange(ctx, id, func(row *changeRow) {
		row.State, row.StoppedAt, row.Problem = changeStopped, &why.record, why.problem
	})
}

// endChange undoes a change that is being applied.
func (s *service) endChange(ctx context.Context, id uuid.UUID, note func(*changeRow)) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.repo.holdChange(ctx, id)
		if err != nil || row.State != changeApplying {
			return err
		}
		if err := s.undo(ctx, &row); err != nil {
			return err
		}
		note(&row)
		if err := s.repo.saveChange(ctx, &row, s.clock.Now()); err != nil {
			return err
		}

		return s.changeOver(ctx, row)
	})
	if err != nil {
		return fmt.Errorf("change %s: %w", id, err)
	}

	return nil
}

// cancelChange ends a change before its time. The field stays as it was, but one that was deleted stays deleted.
func (s *service) cancelChange(ctx context.Context, module, id uuid.UUID) (changeRow, error) {
	return s.withChange(ctx, module, id, func(ctx context.Context, row *changeRow) error {
		switch row.State {
		case changeApplying:
			if err := s.undo(ctx, row); err != nil {
				return err
			}
			row.State = changeCancelled

			return s.changeOver(ctx, *row)
		case changePlanning, changePlanned, changeStopped:
			if err := s.repo.forgetValues(ctx, id); err != nil {
				return err
			}
		case changeCancelled:
			return nil
		case changeApplied:
			return row.wrongState(changePlanning, changePlanned, changeApplying, changeStopped, changeCancelled)
		}
		row.State = changeCancelled

		return nil
	})
}

// resumeChange applies a change again that was stopped or cancelled, from the first record on; of one that is
// being applied, it makes sure that a job is. One that is applied stays so.
func (s *service) resumeChange(ctx context.Context, module, id uuid.UUID) (changeRow, error) {
	return s.withChange(ctx, module, id, func(ctx context.Context, row *changeRow) error {
		switch {
		case row.State == changeApplied:
			return nil
		case row.State == changeApplying:
			return s.jobs.Enqueue(ctx, changeRecords{Change: id})
		case row.Decision != nil && row.Kind == changeDelete && row.State == changeCancelled:
			if err := s.noChangeRuns(ctx, module); err != nil {
				return err
			}
			row.State = changeApplying
			if err := s.recordChange(ctx, changeCancelled, *row); err != nil {
				return err
			}

			return s.jobs.Enqueue(ctx, changeRecords{Change: id})
		case row.Decision != nil && (row.State == changeStopped || row.State == changeCancelled):
			return s.begin(ctx, row, nil)
		}

		return row.wrongState(changeApplying, changeApplied, changeStopped, changeCancelled)
	})
}

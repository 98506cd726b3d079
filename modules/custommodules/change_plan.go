package custommodules

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const (
	// planBatch is how many records a plan reads at once, and planAtOnce how many it reads before it
	// answers; the rest is for a job.
	planBatch  = 500
	planAtOnce = 10_000
	// planLife is how long a plan may be applied.
	planLife = 24 * time.Hour
	// runTime is how long a job goes on before it lets others have their turn.
	runTime = 5 * time.Minute
)

// changeSpec is a change of a field that is asked for.
type changeSpec struct {
	Change  changeKind      `json:"change" enum:"type,required,unique,delete" doc:"What is to become of the field: another type or other options, a value in every record, no value twice, or no field."`
	Type    typeName        `json:"type,omitempty" doc:"The new type; with type alone."`
	Options rawjson.Object  `json:"options,omitempty" doc:"The options of the new type."`
	Default json.RawMessage `json:"default,omitempty" doc:"The default of the new type. Without it, the present default is converted."`
}

// planChange makes the plan of a change: what it would do to the records that are there. Its errors are
// errModuleNotFound, errNotPermitted, errFieldNotFound and errInvalidChange.
func (s *service) planChange(ctx context.Context, module, field uuid.UUID, spec changeSpec) (row changeRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		in, err := s.definable(ctx, module)
		if err != nil {
			return err
		}
		rows, err := s.repo.fieldsOf(ctx, module)
		if err != nil {
			return err
		}
		before, err := s.repo.field(ctx, module, field)
		if err != nil {
			return err
		}
		if err := s.checkChange(ctx, in, before, spec, rows); err != nil {
			return err
		}
		if row, err = s.newChange(ctx, before, spec, rows); err != nil {
			return err
		}
		if err := s.repo.insertChange(ctx, row); err != nil {
			return err
		}

		return s.jobs.Enqueue(ctx, planRecords{Change: row.ID}, jobs.At(s.clock.Now().Add(planPatience)))
	})
	if err != nil {
		return row, fmt.Errorf("plan for field %s: %w", field, err)
	}
	for read := 0; read < planAtOnce && row.State == changePlanning; read += planBatch {
		if row, err = s.planSome(ctx, row.ID); err != nil {
			return row, err
		}
	}
	if row.State == changePlanning {
		err = s.db.InTx(ctx, func(ctx context.Context) error { return s.jobs.Enqueue(ctx, planRecords{Change: row.ID}) })
	}

	return row, err
}

// planPatience is how long the job waits that goes on with a plan whose request was broken off.
const planPatience = time.Minute

// definable returns a module whose fields the caller may change, or errModuleNotFound or errNotPermitted.
func (s *service) definable(ctx context.Context, module uuid.UUID) (moduleRow, error) {
	in, err := s.repo.module(ctx, module)
	if err != nil {
		return in, err
	}

	return in, in.Permissions.permit(ctx, mayDefine)
}

func (s *service) newChange(ctx context.Context, before fieldRow, spec changeSpec, rows []fieldRow) (changeRow, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return changeRow{}, fmt.Errorf("what is asked for: %w", err)
	}
	uses, err := s.usesOf(ctx, before, spec, rows)
	if err != nil {
		return changeRow{}, err
	}
	report, err := json.Marshal(changeReport{Uses: uses, Samples: []changeSample{}, Groups: []duplicates{}})
	if err != nil {
		return changeRow{}, fmt.Errorf("report: %w", err)
	}
	change := s.change(ctx)

	return changeRow{
		ID: database.NewID(), ModuleID: before.ModuleID, FieldID: before.ID, Kind: spec.Change, State: changePlanning, Spec: text,
		Report: report, Fingerprint: fingerprint(rows), Version: 1,
		CreatedAt: change.at, CreatedBy: change.by, UpdatedAt: change.at, UpdatedBy: change.by,
	}, nil
}

// fingerprint tells whether fields are still what they were.
func fingerprint(rows []fieldRow) string {
	var all []byte
	for _, row := range rows {
		all = fmt.Appendf(all, "%s %d\n", row.ID, row.Version)
	}
	sum := sha256.Sum256(all)

	return hex.EncodeToString(sum[:])
}

// planRecords is the job that goes on with a plan of a large module.
type planRecords struct {
	Change uuid.UUID `json:"change"`
}

// Kind implements jobs.Args.
func (planRecords) Kind() string { return "custom_modules.plan_change" }

// plan does such a job.
func (s *service) plan(ctx context.Context, job planRecords) error {
	for end := s.clock.Now().Add(runTime); ; {
		row, err := s.planSome(ctx, job.Change)
		if errors.Is(err, errChangeNotFound) || errors.Is(err, errModuleNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("plan %s: %w", job.Change, err)
		}
		if row.State != changePlanning {
			return nil
		}
		if s.clock.Now().After(end) {
			return jobs.Later(time.Second)
		}
	}
}

// planSome reads the next records for a plan. With the last of them, it is made.
func (s *service) planSome(ctx context.Context, id uuid.UUID) (row changeRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.repo.holdChange(ctx, id); err != nil || row.State != changePlanning {
			return err
		}
		look, err := s.examiner(ctx, row)
		if errors.Is(err, errChangeStale) || errors.Is(err, errFieldNotFound) {
			row.State, row.Problem = changeCancelled, errChangeStale.Message
			if err := s.repo.forgetValues(ctx, id); err != nil {
				return err
			}

			return s.repo.saveChange(ctx, &row, s.clock.Now())
		}
		if err != nil {
			return err
		}
		records, err := s.repo.recordsAfter(ctx, row.ModuleID, row.Position, planBatch)
		if err != nil {
			return err
		}
		for _, record := range records {
			look.record(record)
			row.Position = record.ID
		}
		row.Done += int64(len(records))
		if err := s.repo.compareValues(ctx, look.values); err != nil {
			return err
		}
		if len(records) < planBatch {
			if err := s.finishPlan(ctx, &row, look); err != nil {
				return err
			}
		}
		if row.Report, err = json.Marshal(look.report); err != nil {
			return fmt.Errorf("report: %w", err)
		}

		return s.repo.saveChange(ctx, &row, s.clock.Now())
	})

	return row, err
}

// finishPlan sums up the values that several records have.
func (s *service) finishPlan(ctx context.Context, row *changeRow, look *examiner) error {
	row.State, row.PlannedAt = changePlanned, new(s.clock.Now())
	if !look.compares {
		return nil
	}
	top, groups, records, err := s.repo.sharedValues(ctx, row.ID, mostSamples)
	if err != nil {
		return err
	}
	look.report.DuplicateGroups, look.report.DuplicateRecords = groups, records
	for _, one := range top {
		ids, err := s.repo.sharing(ctx, row.ID, one.Value, mostSamples)
		if err != nil {
			return err
		}
		look.report.Groups = append(look.report.Groups, duplicates{Value: clipped(one.Value), Count: one.Count, Records: ids})
	}

	return s.repo.forgetValues(ctx, row.ID)
}

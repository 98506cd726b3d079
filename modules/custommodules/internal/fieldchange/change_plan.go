package fieldchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const (
	// PlanBatch is how many records a plan reads at once, and planAtOnce how many it reads before it
	// answers; the rest is for a job.
	PlanBatch  = 500
	planAtOnce = 10_000
	// planLife is how long a plan may be applied.
	planLife = 24 * time.Hour
	// runTime is how long a job goes on before it lets others have their turn.
	runTime = 5 * time.Minute
)

// ChangeSpec is a change of a field that is asked for.
type ChangeSpec struct {
	Change  definition.ChangeKind `json:"change" enum:"type,required,unique,delete" doc:"The change to plan: another type or options (type), a value in every record (required), no duplicates (unique), or no field (delete)."`
	Type    definition.TypeName   `json:"type,omitempty" doc:"The new type; only for the change type."`
	Options rawjson.Object        `json:"options,omitempty" doc:"The options of the new type."`
	Default json.RawMessage       `json:"default,omitempty" doc:"The default of the new type. Without it, the present default is converted."`
}

// PlanChange makes the plan of a change: what it would do to the records that are there. Its errors are
// ErrModuleNotFound, ErrNotPermitted, ErrFieldNotFound and ErrInvalidChange.
func (s *Service) PlanChange(ctx context.Context, module, field uuid.UUID, spec ChangeSpec) (row definition.ChangeRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		in, err := s.Definable(ctx, module)
		if err != nil {
			return err
		}
		rows, err := s.repo.FieldsOf(ctx, module)
		if err != nil {
			return err
		}
		before, err := s.repo.Field(ctx, module, field)
		if err != nil {
			return err
		}
		if err := s.checkChange(ctx, in, before, spec, rows); err != nil {
			return err
		}
		if row, err = s.newChange(ctx, before, spec, rows); err != nil {
			return err
		}
		if err := s.repo.InsertChange(ctx, row); err != nil {
			return err
		}

		return s.Jobs.Enqueue(ctx, planRecords{Change: row.ID}, jobs.At(s.clock.Now().Add(planPatience)))
	})
	if err != nil {
		return row, fmt.Errorf("plan for field %s: %w", field, err)
	}
	for read := 0; read < planAtOnce && row.State == definition.ChangePlanning; read += PlanBatch {
		if row, err = s.planSome(ctx, row.ID); err != nil {
			return row, err
		}
	}
	if row.State == definition.ChangePlanning {
		err = s.db.InTx(ctx, func(ctx context.Context) error { return s.Jobs.Enqueue(ctx, planRecords{Change: row.ID}) })
	}

	return row, err
}

// planPatience is how long the job waits that goes on with a plan whose request was broken off.
const planPatience = time.Minute

// Definable returns a module whose fields the caller may change, or ErrModuleNotFound or ErrNotPermitted.
func (s *Service) Definable(ctx context.Context, module uuid.UUID) (definition.ModuleRow, error) {
	in, err := s.repo.Module(ctx, module)
	if err != nil {
		return in, err
	}

	return in, in.Permissions.Permit(ctx, definition.MayDefine)
}

func (s *Service) newChange(ctx context.Context, before definition.FieldRow, spec ChangeSpec, rows []definition.FieldRow) (definition.ChangeRow, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return definition.ChangeRow{}, fmt.Errorf("requested change: %w", err)
	}
	uses, err := s.usesOf(ctx, before, spec, rows)
	if err != nil {
		return definition.ChangeRow{}, err
	}
	report, err := json.Marshal(ChangeReport{Uses: uses, Samples: []ChangeSample{}, Groups: []Duplicates{}})
	if err != nil {
		return definition.ChangeRow{}, fmt.Errorf("report: %w", err)
	}
	change := s.records.Change(ctx)

	return definition.ChangeRow{
		ID: database.NewID(), ModuleID: before.ModuleID, FieldID: before.ID, Kind: spec.Change, State: definition.ChangePlanning, Spec: text,
		Report: report, Fingerprint: fingerprint(rows), Version: 1,
		CreatedAt: change.At, CreatedBy: change.By, UpdatedAt: change.At, UpdatedBy: change.By,
	}, nil
}

// fingerprint tells whether fields are still what they were.
func fingerprint(rows []definition.FieldRow) string {
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

// Plan does such a job.
func (s *Service) Plan(ctx context.Context, job planRecords) error {
	for end := s.clock.Now().Add(runTime); ; {
		row, err := s.planSome(ctx, job.Change)
		if errors.Is(err, definition.ErrChangeNotFound) || errors.Is(err, definition.ErrModuleNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("plan %s: %w", job.Change, err)
		}
		if row.State != definition.ChangePlanning {
			return nil
		}
		if s.clock.Now().After(end) {
			return jobs.Later(time.Second)
		}
	}
}

// planSome reads the next records for a plan. With the last of them, it is made.
func (s *Service) planSome(ctx context.Context, id uuid.UUID) (row definition.ChangeRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.repo.HoldChange(ctx, id); err != nil || row.State != definition.ChangePlanning {
			return err
		}
		look, err := s.examiner(ctx, row)
		if errors.Is(err, definition.ErrChangeStale) || errors.Is(err, definition.ErrFieldNotFound) {
			row.State, row.Problem = definition.ChangeCancelled, definition.ErrChangeStale.Message
			if err := s.repo.ForgetValues(ctx, id); err != nil {
				return err
			}

			return s.repo.SaveChange(ctx, &row, s.clock.Now())
		}
		if err != nil {
			return err
		}
		records, err := s.repo.RecordsAfter(ctx, row.ModuleID, row.Position, PlanBatch)
		if err != nil {
			return err
		}
		for _, record := range records {
			look.record(record)
			row.Position = record.ID
		}
		row.Done += int64(len(records))
		if err := s.repo.CompareValues(ctx, look.values); err != nil {
			return err
		}
		if len(records) < PlanBatch {
			if err := s.finishPlan(ctx, &row, look); err != nil {
				return err
			}
		}
		if row.Report, err = json.Marshal(look.report); err != nil {
			return fmt.Errorf("report: %w", err)
		}

		return s.repo.SaveChange(ctx, &row, s.clock.Now())
	})

	return row, err
}

// finishPlan sums up the values that several records have.
func (s *Service) finishPlan(ctx context.Context, row *definition.ChangeRow, look *examiner) error {
	row.State, row.PlannedAt = definition.ChangePlanned, new(s.clock.Now())
	if !look.compares {
		return nil
	}
	top, groups, records, err := s.repo.SharedValues(ctx, row.ID, MostSamples)
	if err != nil {
		return err
	}
	look.report.DuplicateGroups, look.report.DuplicateRecords = groups, records
	for _, one := range top {
		ids, err := s.repo.Sharing(ctx, row.ID, one.Value, MostSamples)
		if err != nil {
			return err
		}
		look.report.Groups = append(look.report.Groups, Duplicates{Value: clipText(one.Value), Count: one.Count, Records: ids})
	}

	return s.repo.ForgetValues(ctx, row.ID)
}

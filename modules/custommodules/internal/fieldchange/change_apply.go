package fieldchange

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// ChangeDecision is what becomes of values that a change breaks.
type ChangeDecision struct {
	OnFailure definition.OnFailure `json:"on_failure,omitempty" enum:"refuse,clear,default" doc:"What to do with a value that does not convert or that another record already has: stop the change (refuse, the default), clear the value, or replace it with the default. The old value stays in the history of the record."`
	Default   json.RawMessage      `json:"default,omitempty" doc:"The value for on_failure: default, of the new type."`
	Fill      json.RawMessage      `json:"fill,omitempty" doc:"The value for records without one, if the field becomes required."`
}

// ApplyChange begins to apply a plan. Its errors are ErrChangeNotFound, ErrModuleNotFound, ErrNotPermitted,
// ErrModuleArchived, ErrInvalidChange, ErrChangeState, ErrChangeStale, ErrChangeUndecided, ErrChangeRunning,
// and ErrFieldInUse.
func (s *Service) ApplyChange(ctx context.Context, module, fieldID, plan uuid.UUID, given ChangeDecision) (definition.ChangeRow, error) {
	return s.withChange(ctx, module, plan, func(ctx context.Context, row *definition.ChangeRow) error {
		if row.FieldID != fieldID {
			return definition.ErrChangeNotFound
		}
		if row.State != definition.ChangePlanned {
			return wrongState(*row, definition.ChangePlanned)
		}
		if s.clock.Now().Sub(*row.PlannedAt) > planLife {
			return definition.ErrChangeStale.WithMessage("The plan is older than a day. Make a new one.")
		}

		return s.begin(ctx, row, &given)
	})
}

// wrongState refuses what a state does not allow.
func wrongState(c definition.ChangeRow, allowed ...definition.ChangeState) error {
	return definition.ErrChangeState.WithMessage("The change is %s.", c.State).WithDetail("state", c.State).WithDetail("allowed", allowed)
}

// withChange runs fn with a change, for a caller who may change the module's fields, and stores what it makes
// of it.
func (s *Service) withChange(
	ctx context.Context, module, id uuid.UUID, fn func(context.Context, *definition.ChangeRow) error,
) (row definition.ChangeRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.Definable(ctx, module); err != nil {
			return err
		}
		if row, err = s.repo.HoldChange(ctx, id); err != nil {
			return err
		}
		if row.ModuleID != module {
			return definition.ErrChangeNotFound
		}
		if err := fn(ctx, &row); err != nil {
			return err
		}
		row.UpdatedBy = s.records.Change(ctx).By

		return s.repo.SaveChange(ctx, &row, s.clock.Now())
	})
	if err != nil {
		return row, fmt.Errorf("change %s: %w", id, err)
	}

	return row, nil
}

// begin makes the definition ready for a change, and has a job go through the records. A decision is given when
// the change is applied, and kept for when it is resumed.
func (s *Service) begin(ctx context.Context, row *definition.ChangeRow, given *ChangeDecision) error {
	in, err := s.repo.Advance(ctx, row.ModuleID, s.records.Change(ctx))
	if err != nil {
		return err
	}
	if in.ArchivedAt != nil {
		return definition.ErrModuleArchived
	}
	if err := s.modeling.NoChangeRuns(ctx, row.ModuleID); err != nil {
		return err
	}
	rows, err := s.repo.FieldsOf(ctx, row.ModuleID)
	if err != nil {
		return err
	}
	if fingerprint(rows) != row.Fingerprint {
		return definition.ErrChangeStale
	}
	before, err := s.repo.Field(ctx, row.ModuleID, row.FieldID)
	if err != nil {
		return err
	}
	if err := s.checkChange(ctx, in, before, SpecOf(*row), rows); err != nil {
		return err
	}
	if given != nil {
		if err := s.applyDecision(row, before, given); err != nil {
			return err
		}
	}
	was := row.State
	row.State, row.Position, row.UntilID, row.StoppedAt, row.Problem = definition.ChangeApplying, uuid.Nil, nil, nil, ""
	row.Total, row.Done, row.Changed, row.Failed = 0, 0, 0, 0
	if err := s.prepare(ctx, &in, row, before, rows); err != nil {
		return err
	}
	if err := s.recordChange(ctx, was, *row); err != nil {
		return err
	}

	return s.Jobs.Enqueue(ctx, modeling.ChangeRecords{Change: row.ID})
}

// applyDecision checks what was decided about values that the change breaks, and keeps it.
func (s *Service) applyDecision(row *definition.ChangeRow, before definition.FieldRow, given *ChangeDecision) error {
	if given.OnFailure == "" {
		given.OnFailure = definition.RefuseFailing
	}
	var found definition.Problems
	s.checkDecision(*row, before, *given, &found)
	if err := found.ErrorAs(definition.ErrInvalidChange, "on_failure"); err != nil {
		return err
	}
	report := ReportOf(*row)
	broken := report.Fails + report.DuplicateGroups
	if row.Kind == definition.ChangeRequired && given.Fill == nil {
		broken = report.Lacks
	}
	if broken > 0 && given.OnFailure == definition.RefuseFailing && given.Fill == nil {
		return definition.ErrChangeUndecided.WithDetail("fails", report.Fails).WithDetail("lacks", report.Lacks).
			WithDetail("duplicate_groups", report.DuplicateGroups)
	}
	text, err := json.Marshal(given)
	row.Decision = new(rawjson.Object(text))

	return err
}

func (s *Service) checkDecision(row definition.ChangeRow, before definition.FieldRow, given ChangeDecision, found *definition.Problems) {
	spec := SpecOf(row)
	switch given.OnFailure {
	case definition.RefuseFailing:
	case definition.ClearFailing:
		if row.Kind == definition.ChangeRequired || row.Kind == definition.ChangeType && before.Required {
			found.Add("on_failure", "A value of a required field cannot be cleared.")
		}
	case definition.DefaultFailing:
		if row.Kind != definition.ChangeType || before.IsUnique {
			found.Add("on_failure", "A default is only for values that do not convert, in a field that is not unique.")
		}
	default:
		found.Add("on_failure", "The on failure must be refuse, clear or default.")
	}
	if (given.OnFailure == definition.DefaultFailing) != (given.Default != nil) {
		found.Add("default", "Send a default together with on_failure: default.")
	} else if given.Default != nil {
		s.checkFillValue("default", spec.Type, spec.Options, given.Default, found)
	}
	switch {
	case given.Fill == nil:
	case row.Kind != definition.ChangeRequired:
		found.Add("fill", "A fill is only for a field that becomes required.")
	case before.IsUnique:
		found.Add("fill", "A fill would give several records the same value of a unique field.")
	default:
		s.checkFillValue("fill", before.Type, before.Options, given.Fill, found)
	}
}

// checkFillValue finds what is wrong with a value that is to be given to records.
func (s *Service) checkFillValue(path string, typ definition.TypeName, options, raw []byte, found *definition.Problems) {
	values, err := s.definitions.Types.Values(typ, options)
	if err != nil {
		found.Add(path, "The "+path+" cannot be read.")

		return
	}
	_, names := values.(field.UserNamer)
	_, refers := values.(definition.Referring)
	if definition.NamesItems(values) || names || refers {
		found.Add(path, "The "+path+" cannot be given for a field of this type.")

		return
	}
	if len(rawjson.OrNothing(raw)) == 0 {
		found.Add(path, "The "+path+" must be a value.")

		return
	}
	v, err := values.Parse(raw)
	switch {
	case err != nil:
		found.Add(path, "The "+path+" "+err.Error())
	case v.Empty():
		found.Add(path, "The "+path+" must be a value.")
	}
}

// SpecOf is what the change was asked for.
func SpecOf(c definition.ChangeRow) ChangeSpec { return decodeKept[ChangeSpec](c.Spec) }

// DecisionOf is what was decided about values that the change breaks.
func DecisionOf(c definition.ChangeRow) ChangeDecision {
	if c.Decision == nil {
		return ChangeDecision{}
	}

	return decodeKept[ChangeDecision](*c.Decision)
}

// ReportOf is what the plan found.
func ReportOf(c definition.ChangeRow) ChangeReport { return decodeKept[ChangeReport](c.Report) }

// decodeKept reads what was kept of a change, which is of our own making.
func decodeKept[T any](text rawjson.Object) T {
	var read T
	if json.Unmarshal(text, &read) != nil {
		return *new(T)
	}

	return read
}

package custommodules

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// changeDecision is what becomes of values that a change breaks.
type changeDecision struct {
	OnFailure onFailure       `json:"on_failure,omitempty" enum:"refuse,clear,default" doc:"What becomes of a value that does not convert, and of one that another record has already: the change stops (refuse, which is what it does without a decision), the value is taken away, or the default takes its place. The old value is in the history of the record."`
	Default   json.RawMessage `json:"default,omitempty" doc:"The value for on_failure: default, of the new type."`
	Fill      json.RawMessage `json:"fill,omitempty" doc:"The value for records that lack one, where it is to be required."`
}

// applyChange begins to apply a plan. Its errors are errChangeNotFound, errModuleNotFound, errNotPermitted,
// errModuleArchived, errInvalidChange, errChangeState, errChangeStale, errChangeUndecided, errChangeRunning,
// and errFieldInUse.
func (s *service) applyChange(ctx context.Context, module, field, plan uuid.UUID, given changeDecision) (changeRow, error) {
	return s.withChange(ctx, module, plan, func(ctx context.Context, row *changeRow) error {
		if row.FieldID != field {
			return errChangeNotFound
		}
		if row.State != changePlanned {
			return row.wrongState(changePlanned)
		}
		if s.clock.Now().Sub(*row.PlannedAt) > planLife {
			return errChangeStale.WithMessage("The plan is older than a day. Make a new one.")
		}

		return s.begin(ctx, row, &given)
	})
}

// wrongState refuses what a state does not allow.
func (c changeRow) wrongState(allowed ...changeState) error {
	return errChangeState.WithMessage("The change is %s.", c.State).WithDetail("state", c.State).WithDetail("allowed", allowed)
}

// withChange runs fn with a change, for a caller who may change the module's fields, and stores what it makes
// of it.
func (s *service) withChange(
	ctx context.Context, module, id uuid.UUID, fn func(context.Context, *changeRow) error,
) (row changeRow, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.definable(ctx, module); err != nil {
			return err
		}
		if row, err = s.repo.holdChange(ctx, id); err != nil {
			return err
		}
		if row.ModuleID != module {
			return errChangeNotFound
		}
		if err := fn(ctx, &row); err != nil {
			return err
		}
		row.UpdatedBy = s.change(ctx).by

		return s.repo.saveChange(ctx, &row, s.clock.Now())
	})
	if err != nil {
		return row, fmt.Errorf("change %s: %w", id, err)
	}

	return row, nil
}

// begin makes the definition ready for a change, and has a job go through the records. A decision is given when
// the change is applied, and kept for when it is resumed.
func (s *service) begin(ctx context.Context, row *changeRow, given *changeDecision) error {
	in, err := s.repo.advance(ctx, row.ModuleID, s.change(ctx))
	if err != nil {
		return err
	}
	if in.ArchivedAt != nil {
		return errModuleArchived
	}
	if err := s.noChangeRuns(ctx, row.ModuleID); err != nil {
		return err
	}
	rows, err := s.repo.fieldsOf(ctx, row.ModuleID)
	if err != nil {
		return err
	}
	if fingerprint(rows) != row.Fingerprint {
		return errChangeStale
	}
	before, err := s.repo.field(ctx, row.ModuleID, row.FieldID)
	if err != nil {
		return err
	}
	if err := s.checkChange(ctx, in, before, row.spec(), rows); err != nil {
		return err
	}
	if given != nil {
		if err := s.decide(row, before, given); err != nil {
			return err
		}
	}
	was := row.State
	row.State, row.Position, row.UntilID, row.StoppedAt, row.Problem = changeApplying, uuid.Nil, nil, nil, ""
	row.Total, row.Done, row.Changed, row.Failed = 0, 0, 0, 0
	if err := s.prepare(ctx, &in, row, before, rows); err != nil {
		return err
	}
	if err := s.recordChange(ctx, was, *row); err != nil {
		return err
	}

	return s.jobs.Enqueue(ctx, changeRecords{Change: row.ID})
}

// decide checks what was decided about values that the change breaks, and keeps it.
func (s *service) decide(row *changeRow, before fieldRow, given *changeDecision) error {
	if given.OnFailure == "" {
		given.OnFailure = refuseFailing
	}
	var found problems
	s.checkDecision(*row, before, *given, &found)
	if err := found.as(errInvalidChange, "on_failure"); err != nil {
		return err
	}
	report := row.report()
	broken := report.Fails + report.DuplicateGroups
	if row.Kind == changeRequired && given.Fill == nil {
		broken = report.Lacks
	}
	if broken > 0 && given.OnFailure == refuseFailing && given.Fill == nil {
		return errChangeUndecided.WithDetail("fails", report.Fails).WithDetail("lacks", report.Lacks).
			WithDetail("duplicate_groups", report.DuplicateGroups)
	}
	text, err := json.Marshal(given)
	row.Decision = new(rawjson.Object(text))

	return err
}

func (s *service) checkDecision(row changeRow, before fieldRow, given changeDecision, found *problems) {
	spec := row.spec()
	switch given.OnFailure {
	case refuseFailing:
	case clearFailing:
		if row.Kind == changeRequired || row.Kind == changeType && before.Required {
			found.add("on_failure", "A value of a required field cannot be taken away.")
		}
	case defaultFailing:
		if row.Kind != changeType || before.IsUnique {
			found.add("on_failure", "A default is for values that do not convert, of a field that is not unique.")
		}
	default:
		found.add("on_failure", "The on failure must be refuse, clear or default.")
	}
	if (given.OnFailure == defaultFailing) != (given.Default != nil) {
		found.add("default", "A default goes with on_failure: default, and that with a default.")
	} else if given.Default != nil {
		s.checkGiven("default", spec.Type, spec.Options, given.Default, found)
	}
	switch {
	case given.Fill == nil:
	case row.Kind != changeRequired:
		found.add("fill", "A fill is for a field that is to be required.")
	case before.IsUnique:
		found.add("fill", "A fill would give several records the same value of a unique field.")
	default:
		s.checkGiven("fill", before.Type, before.Options, given.Fill, found)
	}
}

// checkGiven finds what is wrong with a value that is to be given to records.
func (s *service) checkGiven(path string, typ typeName, options, raw []byte, found *problems) {
	values, err := s.definitions.types.values(typ, options)
	if err != nil {
		found.add(path, "The "+path+" cannot be read.")

		return
	}
	_, names := values.(field.UserNamer)
	_, refers := values.(referring)
	if namesItems(values) || names || refers {
		found.add(path, "The "+path+" cannot be given for a field of this type.")

		return
	}
	if len(rawjson.OrNothing(raw)) == 0 {
		found.add(path, "The "+path+" must be a value.")

		return
	}
	v, err := values.Parse(raw)
	switch {
	case err != nil:
		found.add(path, "The "+path+" "+err.Error())
	case v.Empty():
		found.add(path, "The "+path+" must be a value.")
	}
}

// spec is what the change was asked for.
func (c changeRow) spec() changeSpec { return kept[changeSpec](c.Spec) }

// decision is what was decided about values that the change breaks.
func (c changeRow) decision() changeDecision {
	if c.Decision == nil {
		return changeDecision{}
	}

	return kept[changeDecision](*c.Decision)
}

// report is what the plan found.
func (c changeRow) report() changeReport { return kept[changeReport](c.Report) }

// kept reads what was kept of a change, which is of our own making.
func kept[T any](text rawjson.Object) T {
	var read T
	if json.Unmarshal(text, &read) != nil {
		return *new(T)
	}

	return read
}

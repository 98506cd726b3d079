package custommodules

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/fieldchange"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

func fieldChangeRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/fields/{field_uuid}/plan", ID: "plan_field_change", Access: web.Scope("define"),
		Summary: "Plan a field change that affects existing records",
		Description: "The plan counts the values that would convert, lose something, or fail, the records that lack a value, and " +
			"the values that several records have, with examples. It changes nothing. For a module with more than " +
			"10,000 records, its state is planning at first: read it again until it is planned.",
		Errors: []*errs.Error{definition.ErrModuleNotFound, definition.ErrFieldNotFound, definition.ErrNotPermitted, definition.ErrInvalidChange},
	}, s.postPlan)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/fields/{field_uuid}/apply", ID: "apply_field_change", Access: web.Scope("define"),
		Summary: "Apply a plan",
		Description: "A job goes through the records; read the change for its progress. Until it is applied, the other fields of the module stay as " +
			"they are. Each record is checked again when its turn comes: if it conflicts with the change and no " +
			"decision covers that, the change stops and the field stays as it was.",
		Errors: []*errs.Error{
			definition.ErrModuleNotFound, definition.ErrChangeNotFound, definition.ErrNotPermitted, definition.ErrInvalidChange, definition.ErrChangeStale, definition.ErrChangeState, definition.ErrChangeUndecided,
			definition.ErrChangeRunning, definition.ErrFieldInUse, definition.ErrModuleArchived,
		},
	}, s.postApply)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/field_changes", ID: "list_field_changes", Access: web.Scope("define"),
		Summary: "List the planned and applied field changes of a module, the latest first", Description: changeList().Describe(),
		Errors: append(list.Errors, definition.ErrModuleNotFound, definition.ErrNotPermitted),
	}, s.listFieldChanges)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/field_changes/{change_uuid}", ID: "read_field_change", Access: web.Scope("define"),
		Summary: "Read a field change with its progress", Errors: []*errs.Error{definition.ErrModuleNotFound, definition.ErrChangeNotFound, definition.ErrNotPermitted},
	}, s.getFieldChange)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/field_changes/{change_uuid}/cancel", ID: "cancel_field_change", Access: web.Scope("define"),
		Summary:     "Cancel a field change",
		Description: "The field stays as it was. Records already processed keep their new version. A deleted field stays deleted: cancelling then only ends the work on the records.",
		Errors:      []*errs.Error{definition.ErrModuleNotFound, definition.ErrChangeNotFound, definition.ErrNotPermitted, definition.ErrChangeState},
	}, s.postCancelChange)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/modules/{uuid}/field_changes/{change_uuid}/resume", ID: "resume_field_change", Access: web.Scope("define"),
		Summary:     "Resume a stopped or cancelled field change",
		Description: "It keeps the decision that the change was applied with. For a change that is being applied, it ensures that a job is running.",
		Errors: []*errs.Error{
			definition.ErrModuleNotFound, definition.ErrChangeNotFound, definition.ErrNotPermitted, definition.ErrInvalidChange, definition.ErrChangeState, definition.ErrChangeStale, definition.ErrChangeRunning, definition.ErrModuleArchived,
		},
	}, s.postResumeChange)
}

// fieldChangeResource is a change of a field as answers show it.
type fieldChangeResource struct {
	UUID       uuid.UUID                  `json:"uuid"`
	ModuleUUID uuid.UUID                  `json:"module_uuid"`
	FieldUUID  uuid.UUID                  `json:"field_uuid"`
	NewField   *uuid.UUID                 `json:"new_field_uuid" doc:"The field that replaces the changed one under its key."`
	State      definition.ChangeState     `json:"state" enum:"planning,planned,applying,applied,stopped,cancelled"`
	Asked      fieldchange.ChangeSpec     `json:"asked"`
	Decision   fieldchange.ChangeDecision `json:"decision"`
	Report     fieldchange.ChangeReport   `json:"report"`
	Progress   changeProgress             `json:"progress"`
	Stopped    *changeStop                `json:"stopped" doc:"Why it stopped, null unless it did."`
	Problem    string                     `json:"problem" doc:"Why the service cancelled it."`
	PlannedAt  *time.Time                 `json:"planned_at"`
	CreatedAt  time.Time                  `json:"created_at"`
	UpdatedAt  time.Time                  `json:"updated_at"`
}

// changeProgress is how far the work on the records has got.
type changeProgress struct {
	Total   int64 `json:"total" doc:"Records to process."`
	Done    int64 `json:"done" doc:"Records processed."`
	Changed int64 `json:"changed" doc:"Records that got a new version."`
	Failed  int64 `json:"failed" doc:"Records whose value was cleared, or replaced by the default."`
}

// changeStop is the record at which a change stopped.
type changeStop struct {
	Record  uuid.UUID `json:"record_uuid"`
	Problem string    `json:"problem"`
}

var changeList = sync.OnceValue(func() list.Schema {
	return list.ShownAs[fieldChangeResource](list.Schema{
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true, Sortable: true},
		Fields: []list.Field{
			{Name: "field_uuid", Expr: "field_id", Kind: kind.UUID, Filterable: true},
			{Name: "state", Expr: "state", Kind: kind.Text, Filterable: true},
		},
		DefaultSort: []string{"-uuid"},
	})
})

type planInput struct {
	UUID      uuid.UUID `path:"uuid"`
	FieldUUID uuid.UUID `path:"field_uuid"`
	Body      fieldchange.ChangeSpec
}

func (s *service) postPlan(ctx context.Context, in *planInput) (*web.Resource[fieldChangeResource], error) {
	return s.answerFieldChange(ctx)(s.changes.PlanChange(ctx, in.UUID, in.FieldUUID, in.Body))
}

type applyInput struct {
	UUID      uuid.UUID `path:"uuid"`
	FieldUUID uuid.UUID `path:"field_uuid"`
	Body      applyBody
}

// applyBody is the body of such a request. It has the keys of ChangeDecision itself: those of an embedded struct
// that is not exported would not be known.
type applyBody struct {
	Plan      uuid.UUID            `json:"plan_uuid" doc:"The change that was planned."`
	OnFailure definition.OnFailure `json:"on_failure,omitempty" enum:"refuse,clear,default" doc:"What to do with a value that does not convert or that another record already has: stop the change (refuse, the default), clear the value, or replace it with the default. The old value stays in the history of the record."`
	Default   json.RawMessage      `json:"default,omitempty" doc:"The value for on_failure: default, of the new type."`
	Fill      json.RawMessage      `json:"fill,omitempty" doc:"The value for records without one, if the field becomes required."`
}

func (b applyBody) decision() fieldchange.ChangeDecision {
	return fieldchange.ChangeDecision{OnFailure: b.OnFailure, Default: b.Default, Fill: b.Fill}
}

func (s *service) postApply(ctx context.Context, in *applyInput) (*web.Resource[fieldChangeResource], error) {
	return s.answerFieldChange(ctx)(s.changes.ApplyChange(ctx, in.UUID, in.FieldUUID, in.Body.Plan, in.Body.decision()))
}

type listChangesInput struct {
	list.Input

	UUID uuid.UUID `path:"uuid"`
}

func (s *service) listFieldChanges(ctx context.Context, in *listChangesInput) (*list.Output[fieldChangeResource], error) {
	q, err := in.Parse(ctx, changeList())
	if err != nil {
		return nil, err
	}
	if _, err := s.changes.Definable(ctx, in.UUID); err != nil {
		return nil, err
	}
	page, err := s.repo.FieldChanges(ctx, in.UUID, q)
	if err != nil {
		return nil, err
	}
	hidden, err := s.sensitiveIn(ctx, in.UUID)

	return list.Answer(q, list.Convert(page, func(row definition.ChangeRow) fieldChangeResource { return shownChange(row, hidden[row.FieldID]) })), err
}

type changeInput struct {
	UUID       uuid.UUID `path:"uuid"`
	ChangeUUID uuid.UUID `path:"change_uuid"`
}

func (s *service) getFieldChange(ctx context.Context, in *changeInput) (*web.Resource[fieldChangeResource], error) {
	if _, err := s.changes.Definable(ctx, in.UUID); err != nil {
		return nil, err
	}

	return s.answerFieldChange(ctx)(s.repo.FieldChange(ctx, in.UUID, in.ChangeUUID))
}

func (s *service) postCancelChange(ctx context.Context, in *changeInput) (*web.Resource[fieldChangeResource], error) {
	return s.answerFieldChange(ctx)(s.changes.CancelChange(ctx, in.UUID, in.ChangeUUID))
}

func (s *service) postResumeChange(ctx context.Context, in *changeInput) (*web.Resource[fieldChangeResource], error) {
	return s.answerFieldChange(ctx)(s.changes.ResumeChange(ctx, in.UUID, in.ChangeUUID))
}

func (s *service) answerFieldChange(ctx context.Context) func(definition.ChangeRow, error) (*web.Resource[fieldChangeResource], error) {
	return func(row definition.ChangeRow, err error) (*web.Resource[fieldChangeResource], error) {
		if err != nil {
			return nil, err
		}
		hidden, err := s.sensitiveIn(ctx, row.ModuleID)
		if err != nil {
			return nil, err
		}
		location := locationOf(ctx, row.ModuleID) + "/field_changes/" + row.ID.String()

		return web.NewResource(shownChange(row, hidden[row.FieldID]), row.Version, location), nil
	}
}

// sensitiveIn returns the fields of a module, those that are gone among them, whose values the caller does not see.
func (s *service) sensitiveIn(ctx context.Context, module uuid.UUID) (map[uuid.UUID]bool, error) {
	if definition.SeesSensitive(ctx) {
		return nil, nil //nolint:nilnil // he sees all
	}

	return s.repo.SensitiveFields(ctx, module)
}

// shownChange is a change as answers show it; without values, it has no examples.
func shownChange(c definition.ChangeRow, withoutValues bool) fieldChangeResource {
	shown := fieldChangeResource{
		UUID: c.ID, ModuleUUID: c.ModuleID, FieldUUID: c.FieldID, NewField: c.IncomingID, State: c.State, Asked: fieldchange.SpecOf(c), Decision: fieldchange.DecisionOf(c),
		Progress: changeProgress{Total: c.Total, Done: c.Done, Changed: c.Changed, Failed: c.Failed}, Problem: c.Problem, Report: fieldchange.ReportOf(c),
		PlannedAt: c.PlannedAt, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	if c.StoppedAt != nil {
		shown.Stopped, shown.Problem = &changeStop{Record: *c.StoppedAt, Problem: c.Problem}, ""
	}
	if withoutValues {
		shown.Report.Samples, shown.Report.Groups = []fieldchange.ChangeSample{}, []fieldchange.Duplicates{}
		shown.Decision.Default, shown.Decision.Fill = nil, nil
	}

	return shown
}

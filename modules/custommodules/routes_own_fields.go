package custommodules

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/fieldchange"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/ownfields"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errNotExtended = errs.New(errs.Conflict, "custom_modules.collection_not_extended",
	"This collection does not support own fields. The fields of a custom module are under "+definition.Base+"/modules/{uuid}/fields.")

// collectionsBase is where the own fields of resources are.
const collectionsBase = "/collections/api/v1/collections"

// ownFieldRoutes are the operations on the fields of modules once more, for the fields that a company adds to a collection
// of an area.
func ownFieldRoutes(r *web.Router, s *service) {
	all := "/collections/{name}/fields"
	one := all + "/{field_uuid}"
	refusals := func(more ...*errs.Error) []*errs.Error {
		return append(more, collection.ErrNotFound, principal.ErrScopeMissing, errNotExtended)
	}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: all, ID: "list_own_fields", Access: web.Read,
		Summary: "List the fields that the company has added to a collection", Description: fieldList().Describe(), Errors: refusals(list.Errors...),
	}, onOwnFields(s, nil, s.listOwnFields))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: all, ID: "create_own_field", Access: web.Scope("define"),
		Summary: "Add a field to a collection",
		Description: "Rows have its values under its key in `custom`, lists filter and sort by `custom.<key>`, and files have a column of that name. " +
			"Existing rows have no value for it, even if it is required.",
		Errors: refusals(definition.ErrInvalidDefinition, definition.ErrTooManyFields, definition.ErrNoFreeSlot, definition.ErrFieldKeyTaken),
	}, onOwnFields(s, nil, s.postOwnField))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: one, ID: "read_own_field", Access: web.Read,
		Summary: "Read a field that the company has added to a collection", Errors: refusals(definition.ErrFieldNotFound),
	}, onOwnFields(s, definition.ErrFieldNotFound, s.getOwnField))
	web.Register(r, web.Operation{
		Method: http.MethodPatch, Path: one, ID: "update_own_field", Access: web.Scope("define"),
		Summary:     "Change a field that the company has added to a collection",
		Description: "The body is a JSON Merge Patch (RFC 7396). Existing values stay unchanged.",
		Errors:      refusals(definition.ErrFieldNotFound, definition.ErrInvalidDefinition, definition.ErrFieldKeyTaken, definition.ErrNoFreeSlot),
	}, onOwnFields(s, definition.ErrFieldNotFound, s.patchOwnField))
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: one, ID: "delete_own_field", Access: web.Scope("define"),
		Summary: "Remove a field that the company has added to a collection", Description: "Its values are no longer shown. The field can be restored.",
		Errors: refusals(definition.ErrFieldNotFound, definition.ErrFieldInUse),
	}, onOwnFields(s, definition.ErrFieldNotFound, s.deleteOwnField))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: one + "/restore", ID: "restore_own_field", Access: web.Scope("define"),
		Summary: "Restore a field that was removed from a collection",
		Errors:  refusals(definition.ErrFieldNotFound, definition.ErrInvalidDefinition, definition.ErrFieldKeyTaken, definition.ErrTooManyFields, definition.ErrNoFreeSlot, definition.ErrChangeRunning),
	}, onOwnFields(s, definition.ErrFieldNotFound, s.postRestoreOwnField))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: one + "/plan", ID: "plan_own_field_change", Access: web.Scope("define"),
		Summary:     "Plan a change of a collection's field that affects existing values",
		Description: "Works as plan_field_change of custom modules.", Errors: refusals(definition.ErrFieldNotFound, definition.ErrInvalidChange),
	}, onOwnFields(s, definition.ErrFieldNotFound, s.postOwnPlan))
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: one + "/apply", ID: "apply_own_field_change", Access: web.Scope("define"),
		Summary: "Apply a planned change of a collection's field", Description: "Works as apply_field_change of custom modules.",
		Errors: refusals(definition.ErrFieldNotFound, definition.ErrInvalidChange, definition.ErrChangeNotFound, definition.ErrChangeRunning, definition.ErrChangeStale, definition.ErrChangeState, definition.ErrChangeUndecided),
	}, onOwnFields(s, definition.ErrFieldNotFound, s.postOwnApply))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/collections/{name}/field_changes/{change_uuid}", ID: "read_own_field_change", Access: web.Scope("define"),
		Summary: "Read a change of a collection's field", Errors: refusals(definition.ErrChangeNotFound),
	}, onOwnFields(s, definition.ErrChangeNotFound, s.getOwnFieldChange))
}

// ownFieldsOf returns a context for work on the fields of a collection, and their module, uuid.Nil if it has none yet.
func (s *service) ownFieldsOf(ctx context.Context, name collection.Name) (context.Context, uuid.UUID, error) {
	c, err := s.others.Collections.Open(ctx, name, collection.Read)
	if err != nil {
		return ctx, uuid.Nil, err
	}
	if extended, ok := c.(resource.Extended); !ok || !extended.Extends() {
		return ctx, uuid.Nil, errNotExtended
	}
	there, err := s.repo.OwnModules(ctx)

	return ownfields.AsOwn(ctx, string(name)), there[string(name)], err
}

// onOwnFields serves an operation on the fields of a collection by one on those of their module, which is uuid.Nil for a
// collection that has none yet; with missing, that is refused.
func onOwnFields[I interface{ Collection() collection.Name }, O any](
	s *service, missing *errs.Error, serve func(ctx context.Context, module uuid.UUID, in I) (O, error),
) func(context.Context, I) (O, error) {
	return func(ctx context.Context, in I) (none O, err error) {
		ctx, module, err := s.ownFieldsOf(ctx, in.Collection())
		if err == nil && module == uuid.Nil && missing != nil {
			err = missing
		}
		if err != nil {
			return none, err
		}

		return serve(ctx, module, in)
	}
}

type listOwnFieldsInput struct {
	list.Input
	ownfields.Path

	Deleted bool `query:"deleted" doc:"Lists only deleted items, which can be restored."`
}

func (s *service) listOwnFields(ctx context.Context, module uuid.UUID, in *listOwnFieldsInput) (*list.Output[fieldResource], error) {
	q, err := in.Parse(ctx, fieldList())
	if err != nil {
		return nil, err
	}
	page, err := s.repo.Fields(ctx, module, q, in.Deleted)
	if err != nil {
		return nil, err
	}

	return list.Answer(q, list.Convert(page, s.showField)), nil
}

type postOwnFieldInput struct {
	ownfields.Path

	Body definition.NewField
}

func (s *service) postOwnField(ctx context.Context, module uuid.UUID, in *postOwnFieldInput) (*web.Resource[fieldResource], error) {
	var row definition.FieldRow
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if module == uuid.Nil {
			if module, err = s.own.OwnModule(ctx, in.Name); err != nil {
				return err
			}
		}
		row, err = s.modeling.AddField(ctx, module, in.Body)

		return err
	})

	return s.answerWrittenField(ctx)(row, err)
}

func (s *service) getOwnField(ctx context.Context, module uuid.UUID, in *ownfields.FieldPath) (*web.Resource[fieldResource], error) {
	return s.getField(ctx, &getFieldInput{UUID: module, FieldUUID: in.FieldUUID})
}

type patchOwnFieldInput struct {
	web.IfMatch
	ownfields.FieldPath

	Body fieldPatch
}

func (s *service) patchOwnField(ctx context.Context, module uuid.UUID, in *patchOwnFieldInput) (*web.Resource[fieldResource], error) {
	return s.patchField(ctx, &patchFieldInput{IfMatch: in.IfMatch, UUID: module, FieldUUID: in.FieldUUID, Body: in.Body})
}

type deleteOwnFieldInput struct {
	web.IfMatch
	ownfields.FieldPath
}

func (s *service) deleteOwnField(ctx context.Context, module uuid.UUID, in *deleteOwnFieldInput) (*struct{}, error) {
	return nil, s.modeling.DeleteField(ctx, module, in.FieldUUID, in.IfMatch)
}

func (s *service) postRestoreOwnField(ctx context.Context, module uuid.UUID, in *ownfields.FieldPath) (*web.Resource[fieldResource], error) {
	return s.postRestoreField(ctx, &restoreFieldInput{UUID: module, FieldUUID: in.FieldUUID})
}

type ownPlanInput struct {
	ownfields.FieldPath

	Body fieldchange.ChangeSpec
}

func (s *service) postOwnPlan(ctx context.Context, module uuid.UUID, in *ownPlanInput) (*web.Resource[fieldChangeResource], error) {
	return s.postPlan(ctx, &planInput{UUID: module, FieldUUID: in.FieldUUID, Body: in.Body})
}

type ownApplyInput struct {
	ownfields.FieldPath

	Body applyBody
}

func (s *service) postOwnApply(ctx context.Context, module uuid.UUID, in *ownApplyInput) (*web.Resource[fieldChangeResource], error) {
	return s.postApply(ctx, &applyInput{UUID: module, FieldUUID: in.FieldUUID, Body: in.Body})
}

type ownChangeInput struct {
	ownfields.Path

	ChangeUUID uuid.UUID `path:"change_uuid"`
}

func (s *service) getOwnFieldChange(ctx context.Context, module uuid.UUID, in *ownChangeInput) (*web.Resource[fieldChangeResource], error) {
	return s.getFieldChange(ctx, &changeInput{UUID: module, ChangeUUID: in.ChangeUUID})
}

// locationOf is where what belongs to a module is: its fields, and changes of them.
func locationOf(ctx context.Context, module uuid.UUID) string {
	if of := definition.OwnOf(ctx); of != "" {
		return collectionsBase + "/" + of
	}

	return definition.Base + "/modules/" + module.String()
}

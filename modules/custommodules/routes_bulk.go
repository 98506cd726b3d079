package custommodules

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

func bulkRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/records/bulk", ID: "bulk_records", Access: web.Write,
		Summary: "Create, change and delete records of a module, many at once",
		Description: "Each item says what to `do`: `create` with a payload; `update` with uuid and payload (a merge patch); " +
			"`upsert`, which changes the record that has the payload's value in the unique field `by`, or creates one; `delete` with uuid. " +
			"A `version` makes an item fail if the record has another one. With `atomic` (the default) all items succeed or nothing " +
			"happens, and the errors name the items (`items.3.payload.vin`). Without it, each item has a result of its own, and the " +
			"answer is 200 in any case. An answer has the records as long as they are not larger together than a request may be; of " +
			"the others `brief` has the uuid and the version.",
		Errors:        []*errs.Error{errModuleNotFound, errModuleArchived, errInvalidRecord, errBulkRefused, errNotPermitted},
		MaxBody:       s.settings.MaxBulkSize,
		RequestSchema: bulkSchema(s.settings.MaxBulk),
	}, s.postBulk)
}

// bulkBody is the body of a bulk request.
type bulkBody struct {
	ModuleUUID uuid.UUID  `json:"module_uuid"`
	Atomic     *bool      `json:"atomic,omitempty"`
	Items      []bulkItem `json:"items"`
}

func bulkSchema(most int) *huma.Schema {
	text := func(format, about string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Format: format, Description: about}
	}
	item := &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"do":      {Type: huma.TypeString, Enum: []any{"create", "update", "upsert", "delete"}},
			"uuid":    text("uuid", "The record to update or delete."),
			"version": {Type: huma.TypeInteger, Description: "The version that the item is meant for."},
			"by":      text("", "The key of the unique field of an upsert."),
			"payload": {Type: huma.TypeObject, AdditionalProperties: true},
		},
		Required: []string{"do"}, AdditionalProperties: false,
	}

	return &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"module_uuid": text("uuid", "The module of the records."),
			"atomic":      {Type: huma.TypeBoolean, Default: true, Description: "Whether all items succeed or none."},
			"items":       {Type: huma.TypeArray, Items: item, MinItems: new(1), MaxItems: &most},
		},
		Required: []string{"module_uuid", "items"}, AdditionalProperties: false,
		Examples: []any{map[string]any{
			"module_uuid": demoCustomers, "items": []any{map[string]any{"do": "create", "payload": map[string]any{"name": "Piedmont Autos"}}},
		}},
	}
}

// check returns errInvalidRecord with everything that is wrong with the shape of the request. What is wrong with an
// item that may fail by itself is kept with it.
func (b bulkBody) check(most int) error {
	var found problems
	if b.ModuleUUID == uuid.Nil {
		found.add("module_uuid", "The module uuid is required.")
	}
	if len(b.Items) == 0 || len(b.Items) > most {
		found.add("items", fmt.Sprintf("The items must be between 1 and %d.", most))
	}
	for i, item := range b.Items {
		var wrong problems
		if item.check(&wrong); b.atomic() {
			found.under("items."+strconv.Itoa(i), wrong)
		} else {
			b.Items[i].wrong = wrong.as(errInvalidRecord, "do")
		}
	}

	return found.as(errInvalidRecord, "items")
}

func (i bulkItem) check(found *problems) {
	aims := i.Do == bulkUpdate || i.Do == bulkDelete
	switch i.Do {
	case bulkCreate, bulkUpdate, bulkUpsert:
		checkPayload(i.Payload, found)
	case bulkDelete:
		if i.Payload != nil {
			found.add("payload", "The payload must not be given to a delete.")
		}
	default:
		found.add("do", "The do must be create, update, upsert or delete.")
	}
	if aims && i.UUID == uuid.Nil {
		found.add("uuid", "The uuid is required.")
	}
	if !aims && i.UUID != uuid.Nil {
		found.add("uuid", "The uuid must not be given to a "+string(i.Do)+".")
	}
	if i.Do == bulkUpsert && i.By == "" {
		found.add("by", "The by is required: the key of a unique field.")
	}
	if i.Do != bulkUpsert && i.By != "" {
		found.add("by", "The by is for an upsert alone.")
	}
	if i.Version < 0 || i.Do == bulkCreate && i.Version != 0 {
		found.add("version", "The version is that of a record which is there.")
	}
}

func (b bulkBody) atomic() bool { return b.Atomic == nil || *b.Atomic }

type postBulkInput struct{ web.RawJSON }

type bulkOutput struct{ Body bulkAnswer }

// bulkAnswer has a result for each item, in their order.
type bulkAnswer struct {
	Data []bulkResult `json:"data" nullable:"false"`
	Meta bulkMeta     `json:"meta"`
}

type bulkMeta struct {
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}

// bulkResult is what became of an item.
type bulkResult struct {
	OK     bool       `json:"ok"`
	Record *record    `json:"record,omitempty" doc:"The record, but of a deletion."`
	Brief  *briefly   `json:"brief,omitempty" doc:"In place of the record, when those before it have filled the answer."`
	Error  *bulkError `json:"error,omitempty"`
}

// briefly is what is left of a record for which the answer has no room.
type briefly struct {
	UUID    uuid.UUID `json:"uuid"`
	Version int64     `json:"version"`
}

// SchemaName is the name of briefly in the OpenAPI document.
func (briefly) SchemaName() string { return "CustomModulesBriefRecord" }

// bulkError is why an item failed, in the words in which the operation for one record answers.
type bulkError struct {
	Message string              `json:"message"`
	Code    string              `json:"code"`
	Errors  map[string][]string `json:"errors,omitempty"`
	Details map[string]any      `json:"details,omitempty"`
}

func (s *service) postBulk(ctx context.Context, in *postBulkInput) (*bulkOutput, error) {
	var body bulkBody
	if err := in.Decode(&body); err != nil {
		return nil, err
	}
	if err := body.check(s.settings.MaxBulk); err != nil {
		return nil, err
	}
	if _, err := s.readableModule(ctx, body.ModuleUUID); err != nil {
		return nil, err
	}
	if err := s.mayBulk(ctx, body); err != nil {
		return nil, err
	}
	outcomes, err := s.bulk(ctx, body.ModuleUUID, body.Items, body.atomic())
	if err != nil {
		return nil, err
	}
	out := &bulkOutput{}
	for _, outcome := range outcomes {
		out.Body.add(outcome)
	}

	return out, nil
}

// mayBulk returns errNotPermitted for a caller who may do none of the items, or not all of those that succeed or fail
// together.
func (s *service) mayBulk(ctx context.Context, body bulkBody) error {
	needed := map[action]bool{}
	for _, item := range body.Items {
		if item.deletes() {
			needed[mayDelete] = true
		} else {
			needed[mayWrite] = true
		}
	}
	var refused error
	for a := range needed {
		err := s.definitions.follow(ctx, body.ModuleUUID, a, func(context.Context, *definition) error { return nil })
		switch {
		case err == nil && !body.atomic():
			return nil
		case err != nil && !errors.Is(err, errNotPermitted):
			return err
		case err != nil:
			refused = err
		}
	}

	return refused
}

func (a *bulkAnswer) add(outcome bulkOutcome) {
	result := bulkResult{OK: true}
	refusal, failed := errors.AsType[*errs.Error](outcome.err)
	switch {
	case failed:
		result = bulkResult{Error: &bulkError{
			Message: refusal.Message, Code: refusal.Code, Errors: refusal.Fields, Details: refusal.Details,
		}}
		a.Meta.Failed++
	case outcome.shown != nil:
		result.Record = outcome.shown
	case outcome.record != nil:
		result.Brief = &briefly{UUID: outcome.record.ID, Version: outcome.record.Version}
	}
	if result.OK {
		a.Meta.Succeeded++
	}
	a.Data = append(a.Data, result)
}

// orNone names keys, or says that there are none.
func orNone(keys []string) string {
	if len(keys) == 0 {
		return "the module has none"
	}

	return strings.Join(keys, ", ")
}

package driverlink

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/inspecting"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/signing"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/httperror"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
)

// Entries applies what drivers record.
type Entries struct {
	receipts  *Receipts
	recorder  *inspecting.Recorder
	damages   *inspecting.Damages
	submitter *inspecting.Submitter
	signer    *signing.Signer
}

// NewEntries returns Entries.
func NewEntries(r *Receipts, k *inspecting.Recorder, d *inspecting.Damages, s *inspecting.Submitter, signs *signing.Signer) *Entries {
	return &Entries{r, k, d, s, signs}
}

func (d *Entries) inspect(ctx context.Context, h held, e inspecting.Entry) (recorded, error) {
	b, err := h.with(e.Vehicle)
	if err != nil {
		return recorded{}, err
	}

	return d.receipts.once(ctx, entry{b.Load, e.ClientID, "inspection", e}, func(ctx context.Context) (uuid.UUID, error) {
		row, err := d.recorder.Record(ctx, b.ID, e)

		return row.ID, err
	})
}

func (d *Entries) damage(ctx context.Context, h held, e inspecting.DamageEntry) (recorded, error) {
	b, err := h.with(e.Vehicle)
	if err != nil {
		return recorded{}, err
	}

	return d.receipts.once(ctx, entry{b.Load, e.ClientID, "damage", e}, func(ctx context.Context) (uuid.UUID, error) {
		row, err := d.damages.Record(ctx, b.ID, e)

		return row.ID, err
	})
}

func (d *Entries) submit(ctx context.Context, h held, e inspecting.SubmitEntry) (recorded, error) {
	b, err := h.with(e.Vehicle)
	if err != nil {
		return recorded{}, err
	}

	return d.receipts.once(ctx, entry{b.Load, e.ClientID, "submit", e}, func(ctx context.Context) (uuid.UUID, error) {
		row, err := d.submitter.Submit(ctx, b.ID, e)

		return row.ID, err
	})
}

func (d *Entries) sign(ctx context.Context, h held, e signing.Entry) (recorded, error) {
	b, there := h.bill(e.BOL)
	if !there {
		return recorded{}, store.ErrInvalidSignature.WithField("bol_uuid", "There is no such bill of lading of the load.")
	}

	return d.receipts.once(ctx, entry{b.Load, e.ClientID, "signature", e}, func(ctx context.Context) (uuid.UUID, error) {
		row, err := d.signer.Sign(ctx, e, false)

		return row.ID, err
	})
}

// Desk takes what drivers record by their links.
type Desk struct {
	entrance *Entrance
	entries  *Entries
	schemas  entrySchemas
}

// NewDesk returns a Desk.
func NewDesk(e *Entrance, entries *Entries) *Desk {
	return &Desk{e, entries, newEntrySchemas()}
}

// entrySchemas describe what phones have kept, to check it as the bodies of operations are checked.
type entrySchemas struct{ inspection, damage, submit, signature *huma.Schema }

func newEntrySchemas() entrySchemas {
	return entrySchemas{
		jsonbody.SchemaFor[inspecting.Entry](), jsonbody.SchemaFor[inspecting.DamageEntry](), jsonbody.SchemaFor[inspecting.SubmitEntry](), jsonbody.SchemaFor[signing.Entry](),
	}
}

// entryInput is an entry of a phone.
type entryInput[E any] struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body E
}

type recordedOutput struct{ Body recorded }

// operation is one of the operations by which drivers record something.
type operation struct {
	path, id, summary string
	page              func(web.Answer) web.Page
}

// register registers an operation by which drivers record something.
func register[E any](r *web.Router, d *Desk, op operation, apply func(ctx context.Context, h held, e E) (recorded, error)) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/" + op.path, ID: op.id, Access: web.Public, Summary: op.summary,
		Errors: append(store.EntryErrors(), refusals()...), TakesForm: true, Page: op.page,
	}, func(ctx context.Context, in *entryInput[E]) (*recordedOutput, error) {
		ctx, h, err := d.entrance.enter(ctx, in.Link)
		if err != nil {
			return nil, err
		}
		made, err := apply(ctx, h, in.Body)

		return &recordedOutput{made}, err
	})
}

// EntryRoutes are the operations by which drivers record something.
func EntryRoutes(r *web.Router, d *Desk) {
	page := newPages().face.After
	register(r, d, operation{"inspections", "record_driver_inspection", "Record how a vehicle was found, by a driver's link", page}, d.entries.inspect)
	register(r, d, operation{"damages", "record_driver_damage", "Record a damage by a driver's link", page}, d.entries.damage)
	register(r, d, operation{"submissions", "submit_driver_inspection", "Complete an inspection by a driver's link", page}, d.entries.submit)
	register(r, d, operation{"signatures", "sign_driver_bol", "Sign a bill of lading by a driver's link", page}, d.entries.sign)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/driver/{link}/sync", ID: "sync_driver", Access: web.Public, Summary: "Send what a phone has kept without a network",
		Description: "Each operation is applied by itself, in an order that makes sense: inspections, damages, submissions, signatures. Repeating one is answered as before. The results are in the order of the operations.",
		Errors:      refusals(),
	}, d.sync)
}

type syncInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body struct {
		Operations []syncOperation `json:"operations" maxItems:"200" nullable:"false"`
	}
}

// syncOperation is an entry that a phone has kept.
type syncOperation struct {
	Kind string         `json:"kind" enum:"inspection,damage,submit,signature"`
	Data rawjson.Object `json:"data" doc:"The body of the operation that records it: InspectionEntry, DamageEntry, SubmitEntry or BOLSignatureEntry, with its client_id."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (syncOperation) SchemaName() string { return "SyncOperation" }

// syncResult is what became of one.
type syncResult struct {
	Status  int                 `json:"status" doc:"As the operation by itself would have: 200, 409, 422 …"`
	Result  *recorded           `json:"result" doc:"Null for a failure."`
	Code    string              `json:"code"`
	Message string              `json:"message"`
	Errors  map[string][]string `json:"errors" nullable:"false" doc:"By field."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (syncResult) SchemaName() string { return "SyncResult" }

type syncOutput struct {
	Body struct {
		Results []syncResult `json:"results" nullable:"false"`
	}
}

func (d *Desk) sync(ctx context.Context, in *syncInput) (*syncOutput, error) {
	ctx, h, err := d.entrance.enter(ctx, in.Link)
	if err != nil {
		return nil, err
	}
	all := in.Body.Operations
	out := &syncOutput{}
	out.Body.Results = make([]syncResult, len(all))
	for _, i := range inOrder(all) {
		made, err := d.apply(ctx, h, all[i])
		if err != nil && !errs.IsRefusal(err) {
			return nil, err
		}
		out.Body.Results[i] = resultOf(made, err)
	}

	return out, nil
}

// inOrder are the places of some entries in the order in which they are applied: a signature comes after what is signed.
func inOrder(all []syncOperation) []int {
	order := make([]int, len(all))
	for i := range all {
		order[i] = i
	}
	rank := func(i int) int {
		return slices.Index([]string{"inspection", "damage", "submit", "signature"}, all[i].Kind)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })

	return order
}

// apply applies an entry by itself.
func (d *Desk) apply(ctx context.Context, h held, op syncOperation) (recorded, error) {
	switch op.Kind {
	case "inspection":
		return applied(ctx, h, d.schemas.inspection, op.Data, d.entries.inspect)
	case "damage":
		return applied(ctx, h, d.schemas.damage, op.Data, d.entries.damage)
	case "submit":
		return applied(ctx, h, d.schemas.submit, op.Data, d.entries.submit)
	}

	return applied(ctx, h, d.schemas.signature, op.Data, d.entries.sign)
}

// applied applies an entry that a phone has kept.
func applied[E any](
	ctx context.Context, h held, schema *huma.Schema, text []byte, apply func(ctx context.Context, h held, e E) (recorded, error),
) (recorded, error) {
	var e E
	if err := jsonbody.DecodeAs(text, schema, &e); err != nil {
		return recorded{}, err
	}

	return apply(ctx, h, e)
}

// resultOf is what became of an entry.
func resultOf(made recorded, err error) syncResult {
	failure, refused := errors.AsType[*errs.Error](err)
	if !refused {
		return syncResult{Status: http.StatusOK, Result: &made, Errors: map[string][]string{}}
	}
	r := syncResult{Status: httperror.Status(failure.Kind), Code: failure.Code, Message: failure.Message, Errors: map[string][]string{}}
	maps.Copy(r.Errors, failure.Fields)

	return r
}

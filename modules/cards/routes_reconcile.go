package cards

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/internal/reconcile"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

const reconcileScope = "reconcile"

func reconcileRoutes(r *web.Router, s *reconcileHandlers) {
	scope, path := web.Scope(reconcileScope), "/reconciliations"
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: path, ID: "create_reconciliation", Access: scope, Summary: "Compare an account with its vendor",
		Description: "A job compares the payments and refunds of a window. Each difference has a remedy; nothing is changed until it is applied.",
		Errors:      []*errs.Error{store.ErrInvalid, store.ErrAccount, store.ErrNoAccount, store.ErrDisabled},
	}, s.postReconciliation)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: path, ID: "list_reconciliations", Access: web.Read, Summary: "List reconciliations",
		Description: reconciliationSchema().Describe(), Errors: list.Errors,
	}, list.Serve(reconciliationSchema(), s.store.Reconciliations, newReconciliationBody))
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: path + "/{uuid}", ID: "read_reconciliation", Access: web.Read, Summary: "Read a reconciliation",
		Errors: []*errs.Error{store.ErrReconciliation},
	}, s.getReconciliation)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: path + "/{uuid}/apply", ID: "apply_reconciliation", Access: scope, Summary: "Correct the differences of a reconciliation",
		Description: "By what the vendor had when it was compared. What has changed since is left as it is (stale). Applying it again changes nothing.",
		Errors:      []*errs.Error{store.ErrReconciliation, store.ErrReconciling},
	}, s.applyReconciliation)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payouts/fetch", ID: "fetch_payouts", Access: scope, Summary: "Fetch payouts now",
		Description: "A job fetches the payouts of an account; otherwise this happens once a day.",
		Errors:      []*errs.Error{store.ErrAccount, store.ErrNoAccount, store.ErrDisabled},
	}, s.fetchPayouts)
}

// reconciliationBody is a reconciliation as the API shows it.
type reconciliationBody struct {
	UUID        uuid.UUID                 `json:"uuid"`
	AccountUUID uuid.UUID                 `json:"account_uuid"`
	From        time.Time                 `json:"from"`
	To          time.Time                 `json:"to"`
	State       store.ReconciliationState `json:"state" enum:"running,done,applied,failed"`
	Reason      *string                   `json:"reason" doc:"Why it failed; null if it did not."`
	Matched     int64                     `json:"matched" doc:"How many payments and refunds are the same here and at the vendor."`
	Findings    []findingBody             `json:"findings" nullable:"false"`
	CreatedBy   *uuid.UUID                `json:"created_by_uuid"`
	Version     int64                     `json:"version" doc:"Increases with every change; also the ETag."`
	CreatedAt   time.Time                 `json:"created_at"`
	UpdatedAt   time.Time                 `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (reconciliationBody) SchemaName() string { return "CardReconciliation" }

// findingBody is a difference between a payment or a refund here and at the vendor.
type findingBody struct {
	Kind    string     `json:"kind" enum:"missing_here,missing_there,differing" doc:"missing_there: the vendor has no such payment or refund."`
	Of      string     `json:"of" enum:"payment,refund"`
	UUID    *uuid.UUID `json:"uuid" doc:"The payment or refund here; null if it is missing here."`
	Vendor  string     `json:"vendor_id" doc:"The vendor's id; empty if the vendor never named one."`
	Here    *sideBody  `json:"here" doc:"Null if it is missing here."`
	There   *sideBody  `json:"there" doc:"Null if the vendor does not have it."`
	Remedy  string     `json:"remedy" enum:"add,fail,take_over" doc:"What applying does: add it here, mark it as failed, or take over what the vendor has."`
	Outcome string     `json:"outcome" doc:"Empty until the reconciliation is applied; then applied, or stale if it changed in between."`
	Payment string     `json:"vendor_payment_id,omitempty" doc:"Of a refund, the vendor's id of its payment."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (findingBody) SchemaName() string { return "CardFinding" }

// sideBody is what one side has.
type sideBody struct {
	State    string         `json:"state"`
	Amount   money.Amount   `json:"amount"`
	Currency money.Currency `json:"currency"`
	At       *time.Time     `json:"at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (sideBody) SchemaName() string { return "CardFindingSide" }

func newSideBody(s *store.Side) *sideBody {
	if s == nil {
		return nil
	}
	in := money.Currency(s.Currency)

	return &sideBody{State: s.State, Amount: money.OfUnits(s.Units, in).Amount, Currency: in, At: s.At}
}

func newReconciliationBody(row store.Reconciliation) reconciliationBody {
	findings := make([]findingBody, len(row.Findings))
	for i, f := range row.Findings {
		findings[i] = findingBody{f.Kind, f.Of, f.UUID, f.Vendor, newSideBody(f.Here), newSideBody(f.There), f.Remedy, f.Outcome, f.Payment}
	}

	return reconciliationBody{
		UUID: row.ID, AccountUUID: row.AccountID, From: row.FromAt, To: row.ToAt, State: row.State, Reason: web.Optional(row.Reason),
		Matched: row.Matched, Findings: findings, CreatedBy: row.CreatedBy, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

func reconciliationResource(row store.Reconciliation, err error) (*web.Resource[reconciliationBody], error) {
	if err != nil {
		return nil, err
	}

	return web.NewResource(newReconciliationBody(row), row.Version, base+"/reconciliations/"+row.ID.String()), nil
}

var reconciliationSchema = sync.OnceValue(func() list.Schema {
	return list.ShownAs[reconciliationBody](list.Schema{
		Fields: []list.Field{
			{Name: "account_uuid", Expr: "account_id", Kind: kind.UUID, Filterable: true},
			{Name: "state", Expr: "state", Kind: kind.Text, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
	})
})

type postReconciliationInput struct {
	Body struct {
		AccountUUID uuid.UUID `json:"account_uuid,omitzero" doc:"By default the company's default account."`
		From        time.Time `json:"from" doc:"Compares what was made from here on."`
		To          time.Time `json:"to" doc:"Compares what was made before."`
	}
}

// reconcileHandlers answer the operations on reconciliations and payouts.
type reconcileHandlers struct {
	store   *store.Repository
	compare *reconcile.Service
	apply   *reconcile.Applier
	payouts *reconcile.Schedule
}

func newReconcileHandlers(r *store.Repository, c *reconcile.Service, a *reconcile.Applier, p *reconcile.Schedule) *reconcileHandlers {
	return &reconcileHandlers{store: r, compare: c, apply: a, payouts: p}
}

func (s *reconcileHandlers) postReconciliation(ctx context.Context, in *postReconciliationInput) (*web.Resource[reconciliationBody], error) {
	return reconciliationResource(s.compare.Start(ctx, in.Body.AccountUUID, in.Body.From, in.Body.To))
}

type readInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *reconcileHandlers) getReconciliation(ctx context.Context, in *readInput) (*web.Resource[reconciliationBody], error) {
	return reconciliationResource(s.store.Reconciliation(ctx, in.UUID))
}

func (s *reconcileHandlers) applyReconciliation(ctx context.Context, in *orderInput) (*web.Resource[reconciliationBody], error) {
	return reconciliationResource(s.apply.Apply(ctx, in.UUID, in.IfMatch))
}

type fetchPayoutsInput struct {
	Body struct {
		AccountUUID uuid.UUID `json:"account_uuid,omitzero" doc:"By default the company's default account."`
	}
}

func (s *reconcileHandlers) fetchPayouts(ctx context.Context, in *fetchPayoutsInput) (*struct{}, error) {
	return nil, s.payouts.Start(ctx, in.Body.AccountUUID)
}

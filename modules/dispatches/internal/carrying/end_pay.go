package carrying

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// EndPay keeps what carriers get that no longer have their loads.
type EndPay struct {
	dispatches *resource.Resource[store.Dispatch]
	clock      clock.Clock
}

// NewEndPay returns an EndPay.
func NewEndPay(dispatches *resource.Resource[store.Dispatch], c clock.Clock) *EndPay {
	return &EndPay{dispatches, c}
}

// EndPayRoutes registers the operation.
func EndPayRoutes(r *web.Router, e *EndPay) {
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/dispatches/{uuid}/end_pay", ID: "put_dispatch_end_pay", Access: web.Write, Summary: "Say what a carrier gets that no longer has the load",
		Description: "tonu: for a truck that was ordered and not used, of a dispatch that was canceled before the pickup. part: for its part of the way, of one that was abandoned. By default what it is. " +
			"It is no part of the carrier_pay of the load, which the next carrier gets. Another amount takes its place until it is paid; 0.00 takes it away.",
		Errors: []*errs.Error{e.dispatches.NotFound(), store.ErrInvalidDispatch, store.ErrNotEnded, store.ErrEndPayPaid},
	}, e.put)
}

type endPayInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Amount money.Amount `json:"amount" doc:"In the currency of the dispatch." example:"150.00"`
		Kind   string       `json:"kind,omitempty" enum:"tonu,part"`
		Paid   bool         `json:"paid,omitempty" doc:"Whether it was paid to the carrier."`
	}
}

func (e *EndPay) put(ctx context.Context, in *endPayInput) (*web.Resource[store.Dispatch], error) {
	if err := e.dispatches.MaySet(ctx, "end_pay"); err != nil { // 0.00 removes an earlier amount
		return nil, err
	}
	row, err := e.dispatches.Change(ctx, in.UUID, in.IfMatch, store.VerbEndPay, func(_ context.Context, row *store.Dispatch) error {
		return row.SetEndPay(store.EndPay{Amount: in.Body.Amount, Kind: in.Body.Kind, Paid: in.Body.Paid}, e.clock.Now())
	})

	return e.dispatches.Answer(ctx, row, err)
}

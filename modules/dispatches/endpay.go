package dispatches

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errStillHas = errs.New(errs.Conflict, "dispatches.not_ended", "The carrier has the load: what it gets is the carrier_pay. Add a charge to the load instead.")
	errEndPaid  = errs.New(errs.Conflict, "dispatches.end_pay_paid", "This was paid, and can no longer be changed.")
)

// The kinds of what a carrier gets that no longer has its load.
const (
	tonu    = "tonu"
	partPay = "part"
)

func endPayRoutes(r *web.Router, d *desk) {
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/dispatches/{uuid}/end_pay", ID: "put_dispatch_end_pay", Access: web.Write, Summary: "Say what a carrier gets that no longer has the load",
		Description: "tonu: for a truck that was ordered and not used, of a dispatch that was canceled before the pickup. part: for its part of the way, of one that was abandoned. By default what it is. " +
			"It is no part of the carrier_pay of the load, which the next carrier gets. Another amount takes its place until it is paid; 0.00 takes it away.",
		Errors: []*errs.Error{d.dispatches.NotFound(), store.ErrInvalidDispatch, errStillHas, errEndPaid},
	}, d.putEndPay)
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

func (d *desk) putEndPay(ctx context.Context, in *endPayInput) (*web.Resource[store.Dispatch], error) {
	if err := d.dispatches.MaySet(ctx, "end_pay"); err != nil { // 0.00 removes an earlier amount
		return nil, err
	}
	b := in.Body
	row, err := d.dispatches.Change(ctx, in.UUID, in.IfMatch, store.VerbEndPay, func(_ context.Context, row *store.Dispatch) error {
		kind := tonu
		if row.PickedUpAt != nil {
			kind = partPay
		}
		units, ok := endUnits(b.Amount, row.Currency)
		switch {
		case row.IsLive():
			return errStillHas
		case row.EndPaidAt != nil && row.EndPay == b.Amount && (b.Kind == "" || b.Kind == row.EndPayKind) && b.Paid:
			return nil
		case row.EndPaidAt != nil:
			return errEndPaid
		case !ok:
			return store.ErrInvalidDispatch.WithField("amount", row.Currency.AmountRule("amount", mostEndPay))
		case b.Kind != "" && b.Kind != kind:
			return store.ErrInvalidDispatch.WithField("kind", "The kind of this dispatch is "+kind+".")
		case units == 0 && b.Paid:
			return store.ErrInvalidDispatch.WithField("amount", "An amount that was paid is more than 0.")
		}
		if row.EndPay, row.EndPayKind = b.Amount, kind; units == 0 {
			row.EndPay, row.EndPayKind = "", ""
		}
		if now := d.now(); b.Paid {
			row.EndPaidAt = &now
		}

		return nil
	})

	return d.dispatches.Answer(ctx, row, err)
}

// mostEndPay is the most that a carrier gets, in the smallest unit of a currency.
const mostEndPay = 10_000_000_000

// endUnits is an amount in the smallest unit. It is false for one that is negative, too large, or not in whole units.
func endUnits(a money.Amount, in money.Currency) (int64, bool) {
	made, err := money.Of(a, in)
	if err != nil {
		return 0, false
	}
	n, whole := made.Units()

	return n, whole && n >= 0 && n <= mostEndPay
}

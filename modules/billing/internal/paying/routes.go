package paying

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Payments answer the operations on invoices.
type Payments struct {
	tables  *store.Tables
	cashier *Cashier
}

// NewPayments returns Payments.
func NewPayments(t *store.Tables, c *Cashier) *Payments {
	return &Payments{tables: t, cashier: c}
}

// PaymentRoutes are the operations by which companies pay invoices.
func PaymentRoutes(r *web.Router, s *Payments) {
	missing := s.tables.Invoices.NotFound()
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/invoices/{uuid}/pay", ID: "pay_invoice", Access: web.Write, Summary: "Charge an open invoice",
		Description: "Charges the card of the subscription, or another one. The result may come later: see /payments.",
		Errors:      s.tables.MoveErrors(missing, store.ErrNothingToPay, store.ErrPaymentPending, store.ErrNoCard, store.ErrCardNotFound),
	}, s.postPay)
}

type payInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Card string `json:"card_uuid,omitempty" maxLength:"36" doc:"Another card than that of the subscription."`
	}
}

func (s *Payments) postPay(ctx context.Context, in *payInput) (*web.Resource[store.Invoice], error) {
	row, err := s.cashier.payInvoice(ctx, in.UUID, in.Body.Card)

	return s.tables.Invoices.Answer(ctx, row, err)
}

package paying

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes are the operations by which companies pay invoices.
func Routes(r *web.Router, s *Cashier) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/invoices/{uuid}/pay", ID: "pay_invoice", Access: web.Write, Summary: "Charge an open invoice",
		Description: "Charges the card of the subscription, or another one. The result may come later: see /payments.",
		Errors: s.tables.MoveErrors(
			s.tables.Invoices.NotFound(), store.ErrNothingToPay, store.ErrPaymentPending, store.ErrNoCard, store.ErrCardNotFound,
		),
	}, s.postPay)
}

type payInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Card string `json:"card_uuid,omitempty" maxLength:"36" doc:"Another card than that of the subscription."`
	}
}

func (s *Cashier) postPay(ctx context.Context, in *payInput) (*web.Resource[store.Invoice], error) {
	row, err := s.payInvoice(ctx, in.UUID, in.Body.Card)

	return s.tables.Invoices.Answer(ctx, row, err)
}

package square

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// refunds has the handlers of the operations on refunds.
type refunds struct {
	charges  cardsapi.Charges
	payments cardsapi.PaymentRecords
}

func newRefunds(c cardsapi.Charges, p cardsapi.PaymentRecords) *refunds { return &refunds{c, p} }

func refundRoutes(r *web.Router, s *refunds) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/refunds", ID: "create_refund", Access: web.Scope("refund"), Summary: "Refund a payment at Square",
		Description: "In whole or in part. Square is called after the response. The same idempotency_key again returns the first refund.",
		Errors:      []*errs.Error{cardsapi.ErrPayment, cardsapi.ErrInvalid, cardsapi.ErrNotRefundable, cardsapi.ErrReference, errInvalid},
	}, s.postRefund)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/refunds/{id}", ID: "read_refund", Access: web.Read, Summary: "Read a refund at Square",
		Errors: []*errs.Error{cardsapi.ErrRefund},
	}, s.getRefund)
}

// refund is a refund as the API shows it.
type refund struct {
	UUID        uuid.UUID `json:"uuid"`
	ID          *string   `json:"id" doc:"Square's id of the refund; null until Square has named one."`
	PaymentUUID uuid.UUID `json:"payment_uuid"`
	AccountUUID uuid.UUID `json:"account_uuid"`
	State       string    `json:"state" enum:"queued,sending,pending,completed,failed,unknown"`
	Status      *string   `json:"status" doc:"Square's own word: PENDING, COMPLETED, REJECTED or FAILED."`
	AmountMoney moneyBody `json:"amount_money"`
	Why         *string   `json:"refund_reason" doc:"Why the money is given back."`
	Reference   string    `json:"reference" doc:"square: and the idempotency_key, or the name that another area gave the refund."`
	Reason      *string   `json:"reason" doc:"Why it failed, independent of the vendor; null if it did not."`
	Code        *string   `json:"code" doc:"Square's own code."`
	Detail      *string   `json:"detail" doc:"Square's own text."`
	Explanation *string   `json:"explanation" doc:"What the reason means, and what to do."`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (refund) SchemaName() string { return "SquareRefund" }

// refundEnvelope is a refund as Square's API returns it.
type refundEnvelope struct {
	Refund refund `json:"refund"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (refundEnvelope) SchemaName() string { return "RefundEnvelope" }

func (s *refunds) answerRefund(ctx context.Context, id string) (*web.Resource[refundEnvelope], error) {
	f, err := s.payments.Refund(ctx, gateway.Name, id)
	if err != nil {
		return nil, err
	}

	return web.NewResource(refundEnvelope{refund{
		UUID: parsed(f.UUID), ID: web.Optional(f.VendorID), PaymentUUID: parsed(f.Payment), AccountUUID: parsed(f.Account), State: string(f.State),
		Status: web.Optional(f.VendorStatus), AmountMoney: moneyBody{f.Amount.Units, f.Amount.Currency}, Why: web.Optional(f.Note), Reference: f.Reference,
		Reason: web.Optional(string(f.Reason)), Code: web.Optional(f.Code), Detail: web.Optional(f.Detail), Explanation: web.Optional(f.Explanation),
		CreatedAt: f.CreatedAt, UpdatedAt: f.UpdatedAt,
	}}, f.Version, base+"/refunds/"+f.UUID), nil
}

// createRefundRequest is a refund to make.
type createRefundRequest struct {
	PaymentID      string     `json:"payment_id" minLength:"1" maxLength:"200" doc:"Our UUID of the payment, or Square's id."`
	IdempotencyKey string     `json:"idempotency_key,omitempty" maxLength:"180" doc:"Your name of the refund, unique in the company; made up if it is left out."`
	AmountMoney    *moneyBody `json:"amount_money,omitempty" doc:"By default all that can still be refunded."`
	Reason         string     `json:"reason,omitempty" maxLength:"192" doc:"Why the money is given back."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (createRefundRequest) SchemaName() string { return "CreateRefundRequest" }

type createRefundInput struct{ Body createRefundRequest }

func (s *refunds) postRefund(ctx context.Context, in *createRefundInput) (*web.Resource[refundEnvelope], error) {
	b := in.Body
	of, err := s.payments.Payment(ctx, gateway.Name, b.PaymentID)
	if err != nil {
		return nil, err
	}
	order := cardsapi.RefundOrder{Reference: referenceOf(b.IdempotencyKey), Payment: of.UUID, Reason: b.Reason}
	if a := b.AmountMoney; a != nil {
		switch {
		case a.Currency != of.Amount.Currency:
			return nil, errInvalid.WithField("amount_money.currency", "The payment is in "+of.Amount.Currency+".")
		case a.Amount < 1:
			return nil, errInvalid.WithField("amount_money.amount", "The amount must be 1 or more.")
		}
		order.Units = a.Amount
	}
	made, err := s.charges.Refund(ctx, order)
	if err != nil {
		return nil, err
	}

	return s.answerRefund(ctx, made.UUID)
}

func (s *refunds) getRefund(ctx context.Context, in *idInput) (*web.Resource[refundEnvelope], error) {
	return s.answerRefund(ctx, in.ID)
}

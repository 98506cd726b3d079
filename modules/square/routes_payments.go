package square

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// charges has the handlers of the operations on payments.
type charges struct {
	opener   *opener
	charges  cardsapi.Charges
	ends     cardsapi.Authorizations
	cards    cardsapi.CardRecords
	payments cardsapi.PaymentRecords
}

func newCharges(o *opener, c cardsapi.Charges, ends cardsapi.Authorizations, cards cardsapi.CardRecords, p cardsapi.PaymentRecords) *charges {
	return &charges{o, c, ends, cards, p}
}

func paymentRoutes(r *web.Router, s *charges) {
	charge, ends := web.Scope("charge"), []*errs.Error{cardsapi.ErrPayment, cardsapi.ErrNotAuthorized}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payments", ID: "create_payment", Access: charge, Summary: "Charge a card at Square",
		Description: "Square is called after the response: read the payment until its state is captured or failed, or listen to the events of the area cards. The same idempotency_key again returns the first payment, and never charges a card twice.",
		Errors:      append(slices.Clone(which), cardsapi.ErrInvalid, cardsapi.ErrReference, cardsapi.ErrCard, cardsapi.ErrCardState, errInvalid),
	}, s.postPayment)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/payments", ID: "list_payments", Access: web.Read, Summary: "List payments at Square",
		Description: "Those that were made with this service, by whatever area, the newest first.", Errors: []*errs.Error{cardsapi.ErrPayment},
	}, s.getPayments)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/payments/{id}", ID: "read_payment", Access: web.Read, Summary: "Read a payment at Square",
		Errors: []*errs.Error{cardsapi.ErrPayment},
	}, s.getPayment)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payments/{id}/complete", ID: "complete_payment", Access: charge, Summary: "Complete an approved payment",
		Description: "Square takes the amount after the response.", Errors: ends,
	}, func(ctx context.Context, in *idInput) (*web.Resource[paymentEnvelope], error) {
		return s.end(ctx, in.ID, s.ends.Capture)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payments/{id}/cancel", ID: "cancel_payment", Access: charge, Summary: "Cancel an approved payment",
		Description: "Square releases the amount after the response.", Errors: ends,
	}, func(ctx context.Context, in *idInput) (*web.Resource[paymentEnvelope], error) {
		return s.end(ctx, in.ID, s.ends.Cancel)
	})
}

// moneyBody is an amount as Square's API has it.
type moneyBody struct {
	Amount   int64  `json:"amount" doc:"In the smallest unit of the currency: 1250 USD are 12.50 dollars." example:"1250"`
	Currency string `json:"currency" minLength:"3" maxLength:"3" example:"USD"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (moneyBody) SchemaName() string { return "SquareMoney" }

// payment is a payment as the API shows it.
type payment struct {
	UUID          uuid.UUID  `json:"uuid"`
	ID            *string    `json:"id" doc:"Square's id of the payment; null until Square has named one."`
	AccountUUID   uuid.UUID  `json:"account_uuid"`
	State         string     `json:"state" enum:"queued,sending,requires_action,authorized,captured,failed,canceled,unknown" doc:"unknown: Square has not answered, and is being asked. Do not charge the card again."`
	Status        *string    `json:"status" doc:"Square's own word for the state; null until Square has said one."`
	AmountMoney   moneyBody  `json:"amount_money"`
	RefundedMoney moneyBody  `json:"refunded_money"`
	DisputedMoney moneyBody  `json:"disputed_money"`
	ProcessingFee moneyBody  `json:"processing_fee_money" doc:"Square's fee; 0 until it is known."`
	CardUUID      *uuid.UUID `json:"card_uuid" doc:"The saved card; null if a token was charged."`
	Autocomplete  bool       `json:"autocomplete"`
	Reference     string     `json:"reference" doc:"square: and the idempotency_key, or the name that another area gave the payment."`
	Note          *string    `json:"note"`
	StatementText *string    `json:"statement_description_identifier"`
	Reason        *string    `json:"reason" doc:"Why it failed, independent of the vendor; null if it did not."`
	Code          *string    `json:"code" doc:"Square's own code."`
	Detail        *string    `json:"detail" doc:"Square's own text."`
	Explanation   *string    `json:"explanation" doc:"What the reason means, and what to do."`
	Final         bool       `json:"final" doc:"Whether the card must not be charged again."`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (payment) SchemaName() string { return "Payment" }

func showPayment(p cardsapi.PaymentRecord) payment {
	in := func(units int64) moneyBody { return moneyBody{Amount: units, Currency: p.Amount.Currency} }
	shown := payment{
		UUID: parsed(p.UUID), ID: web.Optional(p.VendorID), AccountUUID: parsed(p.Account), State: string(p.State), Status: web.Optional(p.VendorStatus),
		AmountMoney: in(p.Amount.Units), RefundedMoney: in(p.Refunded), DisputedMoney: in(p.Disputed), ProcessingFee: in(p.Fee),
		Autocomplete: !p.Authorize, Reference: p.Reference, Note: web.Optional(p.Note), StatementText: web.Optional(p.Statement),
		Reason: web.Optional(string(p.Reason)), Code: web.Optional(p.Code), Detail: web.Optional(p.Detail), Explanation: web.Optional(p.Explanation),
		Final: p.Final, CreatedAt: p.At, UpdatedAt: p.UpdatedAt,
	}
	if p.Card != "" {
		id := parsed(p.Card)
		shown.CardUUID = &id
	}

	return shown
}

// paymentEnvelope is a payment as Square's API returns it.
type paymentEnvelope struct {
	Payment payment `json:"payment"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (paymentEnvelope) SchemaName() string { return "PaymentEnvelope" }

func (s *charges) answerPayment(ctx context.Context, id string) (*web.Resource[paymentEnvelope], error) {
	row, err := s.payments.Payment(ctx, gateway.Name, id)
	if err != nil {
		return nil, err
	}

	return web.NewResource(paymentEnvelope{showPayment(row)}, row.Version, base+"/payments/"+row.UUID), nil
}

// createPaymentRequest is a payment to make.
type createPaymentRequest struct {
	AccountUUID       uuid.UUID      `json:"account_uuid,omitzero" doc:"By default that of the card, or the only enabled account at Square."`
	IdempotencyKey    string         `json:"idempotency_key,omitempty" maxLength:"180" doc:"Your name of the payment, unique in the company; made up if it is left out."`
	SourceID          string         `json:"source_id" minLength:"1" maxLength:"500" doc:"The token that Square's card fields return, or a saved card: our UUID or Square's id (ccof:…). It is no card number." example:"cnon:card-nonce-ok"`
	VerificationToken string         `json:"verification_token,omitempty" maxLength:"500" doc:"What verifyBuyer of the card fields returns (3-D Secure)."`
	AmountMoney       moneyBody      `json:"amount_money"`
	Autocomplete      *bool          `json:"autocomplete,omitempty" doc:"false only reserves the amount, until the payment is completed or canceled." default:"true"`
	Owner             cardsapi.Owner `json:"owner,omitzero" doc:"The item that the payment is for."`
	Note              string         `json:"note,omitempty" maxLength:"500" doc:"For the company; the cardholder does not see it."`
	StatementText     string         `json:"statement_description_identifier,omitempty" maxLength:"20" doc:"What the cardholder's statement shows."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (createPaymentRequest) SchemaName() string { return "CreatePaymentRequest" }

type createPaymentInput struct{ Body createPaymentRequest }

// cardOnFile begins Square's ids of saved cards.
const cardOnFile = "ccof:"

func (s *charges) postPayment(ctx context.Context, in *createPaymentInput) (*web.Resource[paymentEnvelope], error) {
	b := in.Body
	order := cardsapi.Charge{
		Reference: referenceOf(b.IdempotencyKey), Owner: b.Owner, Note: b.Note, Statement: b.StatementText,
		Amount: cardsapi.Money{Units: b.AmountMoney.Amount, Currency: b.AmountMoney.Currency}, Present: b.VerificationToken != "",
		Authorize: b.Autocomplete != nil && !*b.Autocomplete,
	}
	if _, err := uuid.Parse(b.SourceID); err == nil || strings.HasPrefix(b.SourceID, cardOnFile) {
		saved, err := s.cards.Card(ctx, gateway.Name, b.SourceID)
		if err != nil {
			return nil, err
		}
		if b.AccountUUID != uuid.Nil && b.AccountUUID.String() != saved.Account {
			return nil, errInvalid.WithField("account_uuid", "The card belongs to another account. Leave out the account_uuid.")
		}
		if b.VerificationToken != "" {
			return nil, errInvalid.WithField("verification_token", "A saved card is charged without a verification_token.")
		}
		order.Card, order.Account = saved.UUID, saved.Account
	} else {
		chosen, err := s.opener.account(ctx, b.AccountUUID)
		if err != nil {
			return nil, err
		}
		order.Token, order.Account = cardsapi.Token{ID: b.SourceID, Verification: b.VerificationToken}, chosen.UUID
	}
	made, err := s.charges.Charge(ctx, order)
	if err != nil {
		return nil, err
	}

	return s.answerPayment(ctx, made.UUID)
}

type paymentsOutput struct {
	Body struct {
		Payments []payment `json:"payments" nullable:"false"`
		Cursor   *string   `json:"cursor" doc:"For the next page; null on the last one."`
	}
}

func (s *charges) getPayments(ctx context.Context, in *pageInput) (*paymentsOutput, error) {
	rows, err := s.payments.Payments(ctx, gateway.Name, in.after(), in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &paymentsOutput{}
	rows, out.Body.Cursor = cut(rows, in.Limit, func(r cardsapi.PaymentRecord) string { return r.UUID })
	out.Body.Payments = make([]payment, len(rows))
	for i, row := range rows {
		out.Body.Payments[i] = showPayment(row)
	}

	return out, nil
}

func (s *charges) getPayment(ctx context.Context, in *idInput) (*web.Resource[paymentEnvelope], error) {
	return s.answerPayment(ctx, in.ID)
}

// end orders the end of an approved payment.
func (s *charges) end(
	ctx context.Context, id string, order func(ctx context.Context, payment string) (cardsapi.Payment, error),
) (*web.Resource[paymentEnvelope], error) {
	row, err := s.payments.Payment(ctx, gateway.Name, id)
	if err != nil {
		return nil, err
	}
	if _, err := order(ctx, row.UUID); err != nil {
		return nil, err
	}

	return s.answerPayment(ctx, row.UUID)
}

package cards

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// orderErrors are the failures of everything that orders something of a vendor.
func orderErrors(own ...*errs.Error) []*errs.Error {
	return append(append(own, item.Errors...), store.ErrInvalid, store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, store.ErrReference, store.ErrVendor, store.ErrRefused)
}

func cardRoutes(r *web.Router, s *paymentHandlers) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/cards", ID: "create_card", Access: web.Write, Summary: "Save a card",
		Description: "The vendor keeps the card of a token, which its card fields return. The card is active once the vendor has accepted it. The same reference again returns the first card.",
		Errors:      orderErrors(),
	}, s.postCard)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/cards/{uuid}/remove", ID: "remove_card", Access: web.Write, Summary: "Remove a card",
		Description: "It can no longer be charged, and the vendor forgets it.", Errors: []*errs.Error{store.ErrCard, state.ErrNotAllowed, state.ErrMoved},
	}, s.removeCard)
}

func paymentRoutes(r *web.Router, s *paymentHandlers) {
	charge, life := web.Scope(store.ChargeScope), []*errs.Error{store.ErrPayment, state.ErrMoved}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payments", ID: "create_payment", Access: charge, Summary: "Charge a card",
		Description: "Charges a saved card, or a token. The vendor is called after the response: read the payment, or listen to its events. The same reference again returns the first payment.",
		Errors:      orderErrors(store.ErrCard, store.ErrCardState, store.ErrCurrency, store.ErrNoCapture, money.ErrScale),
	}, s.postPayment)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payments/{uuid}/capture", ID: "capture_payment", Access: charge, Summary: "Capture an authorized payment",
		Description: "The vendor takes the amount after the response.", Errors: append(life, store.ErrNotAuthorized),
	}, s.capture)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payments/{uuid}/cancel", ID: "cancel_payment", Access: charge, Summary: "Cancel an authorized payment",
		Description: "The vendor releases the amount after the response.", Errors: append(life, store.ErrNotAuthorized),
	}, s.cancel)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payments/{uuid}/ask_again", ID: "ask_again_payment", Access: charge, Summary: "Ask the vendor about a payment once more",
		Description: "For a payment whose outcome is unknown, after the vendor was asked for modules.cards.ask_for.", Errors: append(life, store.ErrNotUnknown),
	}, s.askAgain)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payments/{uuid}/give_up", ID: "give_up_payment", Access: charge, Summary: "End a payment whose outcome is unknown as failed",
		Description: "Check at the vendor first that the card was not charged. If the vendor reports the payment as captured later, it is captured.",
		Errors:      append(life, store.ErrNotUnknown, state.ErrNotAllowed, state.ErrNoReason),
	}, s.giveUp)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/payments/{uuid}/refunds", ID: "create_refund", Access: web.Scope(store.RefundScope), Summary: "Refund a payment",
		Description: "In whole or in part. The vendor is called after the response. The same reference again returns the first refund.",
		Errors:      []*errs.Error{store.ErrPayment, store.ErrInvalid, store.ErrNotRefundable, store.ErrReference, store.ErrCurrency, money.ErrScale},
	}, s.postRefund)
}

// paymentHandlers answer the operations on payments, refunds and cards.
type paymentHandlers struct {
	book   *payments.Book
	orders *payments.Orders
}

func newPaymentHandlers(b *payments.Book, o *payments.Orders) *paymentHandlers {
	return &paymentHandlers{book: b, orders: o}
}

type postCardInput struct {
	Body struct {
		Reference    string         `json:"reference,omitempty" maxLength:"200" doc:"Your name of the card, unique in the company; made up if it is left out."`
		AccountUUID  uuid.UUID      `json:"account_uuid,omitzero" doc:"By default the company's default account."`
		Owner        cardsapi.Owner `json:"owner,omitzero" doc:"The item that the card belongs to."`
		Name         string         `json:"name,omitempty" maxLength:"200" doc:"What the vendor shows of the owner."`
		Email        string         `json:"email,omitempty" maxLength:"200"`
		PostalCode   string         `json:"postal_code,omitempty" maxLength:"20"`
		Token        string         `json:"token" minLength:"1" maxLength:"500" doc:"What the vendor's card fields return. It is no card number." example:"tok_ok"`
		Verification string         `json:"verification,omitempty" maxLength:"500" doc:"The vendor's proof that the cardholder was asked (3-D Secure)."`
	}
}

// referenceOr is a reference, or one that is made up.
func referenceOr(given, prefix string) string {
	if given != "" {
		return given
	}

	return prefix + ":" + database.NewID().String()
}

func (s *paymentHandlers) postCard(ctx context.Context, in *postCardInput) (*web.Resource[store.Card], error) {
	b := in.Body
	row, err := s.orders.Save(ctx, cardsapi.SaveCard{
		Reference: referenceOr(b.Reference, "card"), Account: optionalID(b.AccountUUID), Owner: b.Owner, Name: b.Name, Email: b.Email,
		PostalCode: b.PostalCode, Token: cardsapi.Token{ID: b.Token, Verification: b.Verification},
	})

	return s.book.Cards.Answer(ctx, row, err)
}

type orderInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

func (s *paymentHandlers) removeCard(ctx context.Context, in *orderInput) (*web.Resource[store.Card], error) {
	row, err := s.orders.Remove(ctx, in.UUID, in.IfMatch, state.Move{})

	return s.book.Cards.Answer(ctx, row, err)
}

type postPaymentInput struct {
	Body struct {
		Reference    string         `json:"reference,omitempty" maxLength:"200" doc:"Your name of the payment, unique in the company; made up if it is left out."`
		AccountUUID  uuid.UUID      `json:"account_uuid,omitzero" doc:"By default the account of the card, or the company's default account."`
		Owner        cardsapi.Owner `json:"owner,omitzero" doc:"The item that the payment is for."`
		Amount       money.Amount   `json:"amount" doc:"As a decimal string." example:"12.50"`
		Currency     money.Currency `json:"currency" example:"USD"`
		CardUUID     uuid.UUID      `json:"card_uuid,omitzero" doc:"A saved card."`
		Token        string         `json:"token,omitempty" maxLength:"500" doc:"What the vendor's card fields return, instead of a saved card. It is no card number." example:"tok_ok"`
		Verification string         `json:"verification,omitempty" maxLength:"500" doc:"The vendor's proof that the cardholder was asked (3-D Secure)."`
		Note         string         `json:"note,omitempty" maxLength:"500" doc:"For the company; the cardholder does not see it."`
		Statement    string         `json:"statement,omitempty" maxLength:"20" doc:"What the cardholder's statement shows."`
		Authorize    bool           `json:"authorize,omitempty" doc:"Only reserve the amount, until the payment is captured or canceled."`
		Present      bool           `json:"present,omitempty" doc:"Whether the cardholder is there and can confirm the payment."`
	}
}

func (s *paymentHandlers) postPayment(ctx context.Context, in *postPaymentInput) (*web.Resource[store.Payment], error) {
	b := in.Body
	amount, err := payments.MoneyOf(b.Amount, b.Currency)
	if err != nil {
		return nil, err
	}
	row, err := s.orders.Charge(ctx, cardsapi.Charge{
		Reference: referenceOr(b.Reference, "payment"), Account: optionalID(b.AccountUUID), Owner: b.Owner, Amount: amount,
		Card: optionalID(b.CardUUID), Token: cardsapi.Token{ID: b.Token, Verification: b.Verification}, Note: b.Note, Statement: b.Statement,
		Authorize: b.Authorize, Present: b.Present,
	})

	return s.book.Payments.Answer(ctx, row, err)
}

func (s *paymentHandlers) capture(ctx context.Context, in *orderInput) (*web.Resource[store.Payment], error) {
	row, err := s.orders.Capture(ctx, in.UUID, in.IfMatch)

	return s.book.Payments.Answer(ctx, row, err)
}

func (s *paymentHandlers) cancel(ctx context.Context, in *orderInput) (*web.Resource[store.Payment], error) {
	row, err := s.orders.Cancel(ctx, in.UUID, in.IfMatch)

	return s.book.Payments.Answer(ctx, row, err)
}

func (s *paymentHandlers) askAgain(ctx context.Context, in *orderInput) (*web.Resource[store.Payment], error) {
	row, err := s.orders.AskAgain(ctx, in.UUID, in.IfMatch)

	return s.book.Payments.Answer(ctx, row, err)
}

type giveUpInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reason string `json:"reason" maxLength:"1000" doc:"What was found at the vendor; kept in the log."`
	}
}

func (s *paymentHandlers) giveUp(ctx context.Context, in *giveUpInput) (*web.Resource[store.Payment], error) {
	row, err := s.orders.GiveUp(ctx, in.UUID, in.IfMatch, state.Move{Verb: store.VerbGiveUp, UUID: in.UUID, Reason: in.Body.Reason})

	return s.book.Payments.Answer(ctx, row, err)
}

type postRefundInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Reference string         `json:"reference,omitempty" maxLength:"200" doc:"Your name of the refund, unique in the company; made up if it is left out."`
		Amount    money.Amount   `json:"amount,omitempty" doc:"By default all that can still be refunded." example:"5.00"`
		Currency  money.Currency `json:"currency,omitempty" doc:"By default, and at most, that of the payment." example:"USD"`
		Note      string         `json:"note,omitempty" maxLength:"500" doc:"Why the money is given back."`
	}
}

func (s *paymentHandlers) postRefund(ctx context.Context, in *postRefundInput) (*web.Resource[store.Refund], error) {
	b := in.Body
	of, err := s.book.Payments.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	if b.Currency != "" && b.Currency != of.Currency {
		return nil, store.ErrCurrency.WithField("currency", "The payment is in "+string(of.Currency)+".")
	}
	o := cardsapi.RefundOrder{Reference: referenceOr(b.Reference, "refund"), Payment: in.UUID.String(), Reason: b.Note}
	if b.Amount != "" {
		amount, err := payments.MoneyOf(b.Amount, of.Currency)
		if err != nil {
			return nil, err
		}
		o.Units = amount.Units
	}
	row, err := s.orders.Refund(ctx, o)

	return s.book.Refunds.Answer(ctx, row, err)
}

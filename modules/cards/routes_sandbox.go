package cards

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/web"
)

func sandboxRoutes(r *web.Router, s *sandboxHandlers) {
	charge := web.Scope(store.ChargeScope)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/sandbox/payments", ID: "add_sandbox_payment", Access: charge, Summary: "Charge a card at the sandbox",
		Description: "As somebody does at the vendor: the payment is not known here, until a reconciliation finds it.",
		Errors:      []*errs.Error{store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, store.ErrNotSandbox, store.ErrInvalid, money.ErrScale},
	}, s.addSandboxPayment)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/sandbox/payments/{uuid}/play", ID: "play_sandbox_payment", Access: charge, Summary: "Have something happen to a sandbox payment",
		Description: "confirm and refuse answer for the cardholder of tok_3ds; dispute_open, dispute_won and dispute_lost for the banks; refund is one at the vendor. forget and change are errors of the vendor that are not reported.",
		Errors:      []*errs.Error{store.ErrPayment, store.ErrNotSandbox, store.ErrRefused, store.ErrVendor},
	}, s.playSandboxPayment)
}

// sandboxHandlers have things happen at the sandbox.
type sandboxHandlers struct {
	book     *payments.Book
	orders   *payments.Orders
	accounts *store.Accounts
	box      *sandbox.Sandbox
}

func newSandboxHandlers(b *payments.Book, o *payments.Orders, a *store.Accounts, box *sandbox.Sandbox) *sandboxHandlers {
	return &sandboxHandlers{book: b, orders: o, accounts: a, box: box}
}

type addSandboxPaymentInput struct {
	Body struct {
		AccountUUID uuid.UUID      `json:"account_uuid,omitzero" doc:"By default the company's default account."`
		Amount      money.Amount   `json:"amount" example:"12.50"`
		Currency    money.Currency `json:"currency" example:"USD"`
	}
}

type sandboxPaymentOutput struct{ Body sandboxPaymentBody }

type sandboxPaymentBody struct {
	VendorID string `json:"vendor_id"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (sandboxPaymentBody) SchemaName() string { return "SandboxPayment" }

func (s *sandboxHandlers) addSandboxPayment(ctx context.Context, in *addSandboxPaymentInput) (*sandboxPaymentOutput, error) {
	row, err := s.accounts.Ready(ctx, in.Body.AccountUUID)
	if err != nil {
		return nil, err
	}
	if row.Provider != sandbox.Name {
		return nil, store.ErrNotSandbox
	}
	amount, err := payments.MoneyOf(in.Body.Amount, in.Body.Currency)
	if err != nil {
		return nil, err
	}
	id, err := s.box.Add(ctx, row.ID, amount)

	return &sandboxPaymentOutput{Body: sandboxPaymentBody{VendorID: id}}, err
}

type playInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Event sandbox.Event `json:"event" enum:"confirm,refuse,dispute_open,dispute_won,dispute_lost,refund,forget,change"`
	}
}

func (s *sandboxHandlers) playSandboxPayment(ctx context.Context, in *playInput) (*web.Resource[store.Payment], error) {
	row, err := s.orders.Payment(ctx, in.UUID.String())
	if err != nil {
		return nil, err
	}
	err = s.play(ctx, row, in.Body.Event)

	return s.book.Payments.Answer(ctx, row, err)
}

// play has something happen to a payment of the sandbox.
func (s *sandboxHandlers) play(ctx context.Context, row store.Payment, event sandbox.Event) error {
	account, err := s.accounts.One(ctx, row.Account)
	if err != nil {
		return err
	}
	if account.Provider != sandbox.Name || row.VendorID == nil {
		return store.ErrNotSandbox
	}
	err = s.box.PlayNow(ctx, account.ID, *row.VendorID, event)
	if failure, ok := err.(*cardsapi.VendorError); ok { //nolint:errorlint // it is the sandbox's, and not wrapped
		return accounts.CallerError(failure)
	}

	return err
}

package paylinks

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Routes registers the operations on pay links: those of the company, and those of whoever has a link, which are pages too.
func Routes(r *web.Router, d *Desk) {
	charge, show := web.Scope(store.ChargeScope), newPages()
	wrong := errs.New(errs.Invalid, "link.invalid", "The given data was invalid.")
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/pay_links", ID: "create_pay_link", Access: charge, Secret: true, Summary: "Make a link by which somebody pays by card",
		Description: "Anyone with the link pays the amount on a page, without an account. Only this response has its text. It is good for 30 days, unless expires_at says otherwise.",
		Errors:      append(item.Errors, store.ErrInvalid, store.ErrAccount, store.ErrNoAccount, store.ErrDisabled, store.ErrVendor, store.ErrRefused, money.ErrScale, link.ErrPortalOff, wrong),
	}, d.post)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/pay_links/{uuid}/revoke", ID: "revoke_pay_link", Access: charge, Summary: "Revoke a pay link",
		Description: "What is being paid by it is paid.", Errors: []*errs.Error{store.ErrPayLink},
	}, func(ctx context.Context, in *revokeInput) (*web.Resource[store.PayLink], error) {
		row, err := d.revoke(ctx, in.UUID, in.IfMatch)

		return d.Rows.Answer(ctx, row, err)
	})

	refusals := append([]*errs.Error{store.ErrPayLink, store.ErrAccount, store.ErrDisabled, store.ErrVendor, store.ErrRefused}, link.Refusals...)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/pay/{link}", ID: "read_pay_page", Access: web.Public, Summary: "Read what a pay link asks for",
		Description: "Reading changes nothing. With Accept: text/html, the response is the page on which people pay.", Errors: refusals, Page: show.face.Page,
	}, func(ctx context.Context, in *lookInput) (*viewOutput, error) {
		v, err := d.look(ctx, in.Link, in.Answered)

		return &viewOutput{v}, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/pay/{link}", ID: "pay", Access: web.Public, Summary: "Pay by a link",
		Description: "Charges the card of a token, after the response. While a payment by the link is in progress, or was made, there is no other one: the response is its stage. Browsers are redirected to the page.",
		Errors:      append(refusals, store.ErrInvalid, store.ErrTooManyTries, store.ErrCurrency), TakesForm: true, Page: show.done,
	}, func(ctx context.Context, in *payInput) (*viewOutput, error) {
		v, err := d.pay(ctx, in.Link, cardsapi.Token{ID: in.Body.Token, Verification: in.Body.Verification})

		return &viewOutput{v}, err
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/pay/{link}/confirm", ID: "confirm_payment_of_sandbox", Access: web.Public, Summary: "Answer for the cardholder whom the sandbox asks",
		Description: "Other vendors ask the cardholder at their own address (3-D Secure).",
		Errors:      append(refusals, store.ErrNotAsked, store.ErrNotSandbox), TakesForm: true, Page: show.confirmed,
	}, func(ctx context.Context, in *confirmInput) (*viewOutput, error) {
		v, err := d.confirm(ctx, in.Link, in.Body.Accept)

		return &viewOutput{v}, err
	})
}

type postInput struct {
	Body struct {
		Title       string         `json:"title" minLength:"1" maxLength:"200" doc:"What is paid, as the page says it." example:"Transport of a 2021 Honda Accord"`
		Message     string         `json:"message,omitempty" maxLength:"2000" doc:"What the page says below."`
		AccountUUID uuid.UUID      `json:"account_uuid,omitzero" doc:"By default the company's default account."`
		Owner       resource.Item  `json:"owner,omitzero" doc:"The item that is paid, and which the payments belong to."`
		Amount      money.Amount   `json:"amount" doc:"As a decimal string." example:"850.00"`
		Currency    money.Currency `json:"currency" example:"USD"`
		ExpiresAt   time.Time      `json:"expires_at,omitzero" doc:"When the link ends, in 366 days at the latest."`
	}
}

type linkOutput struct{ Body linkBody }

type linkBody struct {
	UUID      uuid.UUID `json:"uuid"`
	Link      string    `json:"link" doc:"Text of the link; no other response has it."`
	URL       string    `json:"url" doc:"Address of the page. Without a host where web.base_url is not set."`
	ExpiresAt time.Time `json:"expires_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (linkBody) SchemaName() string { return "NewCardPayLink" }

func (d *Desk) post(ctx context.Context, in *postInput) (*linkOutput, error) {
	b := in.Body
	amount, err := payments.MoneyOf(b.Amount, b.Currency)
	if err != nil {
		return nil, err
	}
	row, text, err := d.create(ctx, store.PayLink{
		Title: b.Title, Message: b.Message, Account: b.AccountUUID, Owner: b.Owner, Amount: store.AmountOf(amount.Units, b.Currency),
		Currency: b.Currency, ExpiresAt: b.ExpiresAt.UTC(),
	})

	return &linkOutput{linkBody{row.ID, text, d.baseURL + base + "/pay/" + text, row.ExpiresAt}}, err
}

type revokeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type lookInput struct {
	Link     string `path:"link" maxLength:"200" doc:"Text of the link."`
	Answered bool   `query:"answered" doc:"The cardholder has just confirmed or refused: until the vendor reports that, the stage is charging."`
}

type viewOutput struct{ Body View }

type payInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body payBody
}

type payBody struct {
	Token        string `json:"token" minLength:"1" maxLength:"500" doc:"What the vendor's card fields return. It is no card number." example:"tok_ok"`
	Verification string `json:"verification,omitempty" maxLength:"500" doc:"The vendor's proof that the cardholder was asked (3-D Secure)."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (payBody) SchemaName() string { return "CardPayRequest" }

type confirmInput struct {
	Link string `path:"link" maxLength:"200" doc:"Text of the link."`
	Body confirmBody
}

type confirmBody struct {
	Accept bool `json:"accept"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (confirmBody) SchemaName() string { return "CardConfirmation" }

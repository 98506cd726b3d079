// Package paylinks makes links by which people without an account pay an amount by card, and the page on which they do.
package paylinks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Purpose is what pay links are for.
const Purpose link.Purpose = "cards.pay"

const (
	base     = "/cards/api/v1"
	day      = 24 * time.Hour
	linkLife = 30 * day
	// mostAttempts is how many cards may be declined: who tries stolen cards gets no further.
	mostAttempts = 10
)

// LinkRules are the rules of pay links.
func LinkRules() link.Rules {
	return link.Rules{Portal: link.Customers, Life: linkLife, MaxLife: 366 * day}
}

// Neighbours are the services that pay links use. Confirm answers for the cardholder whom the sandbox asks.
type Neighbours struct {
	Rows    *resource.Resource[store.PayLink]
	Book    *payments.Book
	Orders  *payments.Orders
	Links   *link.Service
	Brands  companiesapi.Brands
	Confirm func(ctx context.Context, of store.Payment, accepts bool) error
}

// Desk makes pay links, and takes payments by them.
type Desk struct {
	Neighbours

	baseURL string
}

// New returns a Desk.
func New(n Neighbours, w web.Settings) *Desk {
	return &Desk{Neighbours: n, baseURL: strings.TrimSuffix(w.BaseURL, "/")}
}

func subjectOf(id uuid.UUID) link.Subject { return link.Subject{Type: store.PayLinkItem, ID: id} }

// create stores a pay link, whose text only the response has.
func (d *Desk) create(ctx context.Context, row store.PayLink) (store.PayLink, string, error) {
	account, err := d.Orders.Account(ctx, optional(row.Account))
	if err != nil {
		return row, "", err
	}
	if row.Account, err = uuid.Parse(account.UUID); err != nil {
		return row, "", err
	}
	now := d.Book.Clock.Now()
	if row.ExpiresAt.IsZero() {
		row.ExpiresAt = now.Add(linkLife)
	}
	var text string
	err = d.Book.DB.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = d.Rows.Create(ctx, row); err != nil {
			return err
		}
		_, text, err = d.Links.Create(ctx, link.NewLink{Purpose: Purpose, Subject: subjectOf(row.ID), ExpiresAt: row.ExpiresAt})

		return err
	})

	return row, text, err
}

// revoke ends a link. What is being paid by it is paid.
func (d *Desk) revoke(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.PayLink, error) {
	return d.Rows.Change(ctx, id, match, store.VerbRevoke, func(ctx context.Context, l *store.PayLink) error {
		if l.RevokedAt == nil {
			now := d.Book.Clock.Now()
			l.RevokedAt = &now
		}
		_, err := d.Links.RevokeAll(ctx, Purpose, subjectOf(id))

		return err
	})
}

// enter returns the row of a link that can be used, and the context of its company. It changes nothing.
func (d *Desk) enter(ctx context.Context, text string) (context.Context, store.PayLink, error) {
	ctx, found, err := d.Links.Enter(ctx, Purpose, text)
	if err != nil {
		return ctx, store.PayLink{}, err
	}
	row, err := d.Rows.Find(ctx, found.Subject.ID)

	return ctx, row, err
}

// Stage is how far somebody is with paying.
type Stage string

// The stages.
const (
	Open     Stage = "open"
	Declined Stage = "declined"
	Charging Stage = "charging"
	Confirm  Stage = "confirm"
	Paid     Stage = "paid"
	Closed   Stage = "closed"
)

// View is a pay link as whoever has it sees it.
type View struct {
	Brand     page.Brand          `json:"brand"`
	Title     string              `json:"title"`
	Message   string              `json:"message"`
	Amount    money.Amount        `json:"amount"`
	Currency  money.Currency      `json:"currency"`
	Stage     Stage               `json:"stage" enum:"open,declined,charging,confirm,paid,closed" doc:"closed: too many cards were declined."`
	Why       string              `json:"why" doc:"Why the last card was declined; empty if none was."`
	ActionURL string              `json:"action_url" doc:"Where the cardholder confirms the payment, in the stage confirm; empty for the sandbox, which is answered by confirm."`
	Vendor    string              `json:"vendor" doc:"Whose card fields make the token."`
	Fields    cardsapi.PageConfig `json:"fields" doc:"What the vendor's card fields need; they have no secrets."`
	Mounting  cardsapi.CardFields `json:"mounting" doc:"How this page shows the card fields."`
	ExpiresAt time.Time           `json:"expires_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (View) SchemaName() string { return "CardPayPage" }

// look returns what the page of a link shows. A cardholder who has just answered is not asked again while the vendor has not reported it.
func (d *Desk) look(ctx context.Context, text string, answered bool) (v View, err error) {
	ctx, row, err := d.enter(ctx, text)
	if err != nil {
		return v, err
	}
	v, err = d.view(ctx, row)
	if answered && v.Stage == Confirm {
		v.Stage = Charging
	}

	return v, err
}

func (d *Desk) view(ctx context.Context, row store.PayLink) (v View, err error) {
	brand, err := d.Brands.Brand(ctx)
	if err != nil {
		return v, err
	}
	account, err := d.Orders.Account(ctx, row.Account.String())
	if err != nil {
		return v, err
	}
	v = View{
		Brand: page.Brand(brand), Title: row.Title, Message: row.Message, Amount: row.Amount, Currency: row.Currency,
		Stage: Open, Vendor: account.Vendor, Fields: account.Page, Mounting: account.Page.Fields, ExpiresAt: row.ExpiresAt,
	}
	last, err := d.last(ctx, row)
	if err != nil || last == nil {
		return v, err
	}
	switch last.State {
	case cardsapi.PaymentFailed, cardsapi.PaymentCanceled:
		if v.Stage, v.Why = Declined, adviceOf(cardsapi.Reason(last.Reason)); row.Attempts >= mostAttempts {
			v.Stage = Closed
		}
	case cardsapi.PaymentAction:
		if v.Stage = Confirm; account.Vendor != sandbox.Name {
			v.ActionURL = last.ActionURL
		}
	case cardsapi.PaymentCaptured:
		v.Stage = Paid
	case cardsapi.PaymentQueued, cardsapi.PaymentSending, cardsapi.PaymentUnknown, cardsapi.PaymentAuthorized:
		v.Stage = Charging
	}

	return v, nil
}

// adviceOf is what a cardholder is told whose card was declined. What is the company's to mend is not said, nor that somebody suspects fraud.
func adviceOf(r cardsapi.Reason) string {
	switch r {
	case cardsapi.InsufficientFunds:
		return "The card has not enough funds. Please use another card."
	case cardsapi.ExpiredCard:
		return "The card has expired. Please use another card."
	case cardsapi.CVV:
		return "The security code is wrong. Please enter the card again."
	case cardsapi.AVS:
		return "The postal code does not match the card. Please enter the card again."
	case cardsapi.Limit:
		return "The amount is over a limit of the card. Please use another card."
	case cardsapi.CardNotSupported:
		return "This kind of card is not accepted. Please use another card."
	case cardsapi.InvalidToken:
		return "The card could not be read. Please enter it again."
	case cardsapi.ActionRequired:
		return "Your bank did not confirm the payment. Please try again, or use another card."
	case cardsapi.ProviderDown, cardsapi.RateLimited, cardsapi.Auth, cardsapi.Revoked, cardsapi.NotFound, cardsapi.Duplicate, cardsapi.NotRefundable,
		cardsapi.UnknownReason:
		return "Cards cannot be charged at the moment. Please try again later."
	case cardsapi.Declined, cardsapi.Fraud:
	}

	return "The card was declined. Please use another card, or ask your bank."
}

// last returns the latest payment by a link, nil for none.
func (d *Desk) last(ctx context.Context, row store.PayLink) (*store.Payment, error) {
	if row.Payment == nil {
		return nil, nil //nolint:nilnil // none is no failure
	}
	p, err := d.Book.Payments.Find(ctx, *row.Payment)

	return &p, err
}

// pay charges the card of a token, unless a payment by the link is in progress or was made: then it is that one's stage that is
// returned. The row is held meanwhile, so that nobody pays twice.
func (d *Desk) pay(ctx context.Context, text string, token cardsapi.Token) (v View, err error) {
	ctx, row, err := d.enter(ctx, text)
	if err != nil {
		return v, err
	}
	row, err = d.Rows.Change(ctx, row.ID, web.IfMatch{}, store.VerbPay, func(ctx context.Context, l *store.PayLink) error {
		last, err := d.last(ctx, *l)
		if err != nil || last != nil && last.State != cardsapi.PaymentFailed && last.State != cardsapi.PaymentCanceled {
			return err
		}
		if l.Attempts >= mostAttempts {
			return store.ErrTooManyTries
		}
		l.Attempts++
		made, err := d.Orders.Charge(ctx, chargeOf(*l, token))
		l.Payment = &made.ID

		return err
	})
	if err != nil {
		return v, err
	}

	return d.view(ctx, row)
}

// chargeOf is what an attempt charges.
func chargeOf(l store.PayLink, token cardsapi.Token) cardsapi.Charge {
	units, _ := money.Money{Amount: l.Amount, Currency: l.Currency}.Units() // stored amounts are whole
	o := cardsapi.Charge{
		Reference: fmt.Sprintf("%s:%s:%d", store.PayLinkItem, l.ID, l.Attempts), Account: l.Account.String(), Token: token,
		Amount: cardsapi.Money{Units: units, Currency: string(l.Currency)}, Note: l.Title, Present: true,
	}
	if l.Owner.UUID != uuid.Nil {
		o.Owner = cardsapi.Owner{Type: l.Owner.Type, UUID: l.Owner.UUID.String()}
	}

	return o
}

// confirm answers for the cardholder whom the sandbox asks; with other vendors, the cardholder does that at the vendor.
func (d *Desk) confirm(ctx context.Context, text string, accepts bool) (v View, err error) {
	ctx, row, err := d.enter(ctx, text)
	if err != nil {
		return v, err
	}
	last, err := d.last(ctx, row)
	if err != nil {
		return v, err
	}
	if last == nil || last.State != cardsapi.PaymentAction {
		return v, store.ErrNotAsked
	}
	if err := d.Confirm(ctx, *last, accepts); err != nil {
		return v, err
	}

	return d.look(ctx, text, true)
}

func optional(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}

	return id.String()
}

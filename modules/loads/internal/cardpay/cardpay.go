// Package cardpay has customers pay loads by card, and records what was paid.
package cardpay

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

var (
	errNoCards  = errs.New(errs.Conflict, "loads.no_card_payments", "The company does not use card payments: the area cards is off.")
	errOverPaid = errs.New(errs.Conflict, "loads.nothing_to_pay", "Nothing is to be paid of a load that was lost or canceled.")
)

// Payer has customers pay loads by card, and notes on loads what was paid.
type Payer struct {
	loads *resource.Resource[store.Load]
	items *item.Registry
	ports *port.Registry
	clock clock.Clock
}

// New returns a Payer.
func New(loads *resource.Resource[store.Load], items *item.Registry, ports *port.Registry, c clock.Clock) *Payer {
	return &Payer{loads, items, ports, c}
}

// Routes are the operations on pay links.
func Routes(r *web.Router, s *Payer) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/loads/{uuid}/pay_links", ID: "create_load_pay_link", Access: web.Write, Secret: true, Summary: "Make a link by which the customer pays a line of the payment plan by card",
		Description: "What is left of a line that the customer pays the broker, in the currency of the load. It takes the scope cards:charge, too. Only this response has the text of the link; an earlier link for the line that was not used ends. " +
			"What is paid by it is recorded with the payments of the load.",
		Errors: []*errs.Error{s.loads.NotFound(), store.ErrInvalid, plan.ErrNoLine, plan.ErrPaid, errNoCards, errOverPaid, state.ErrNotYours},
	}, s.ask)
}

type payLinkInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Line      uuid.UUID `json:"line_uuid" doc:"A line of the payment plan that the customer pays the broker."`
		ExpiresAt time.Time `json:"expires_at,omitzero" doc:"When the link ends; by default in 30 days."`
	}
}

type payLinkOutput struct{ Body payLink }

// payLink is a link by which a line is paid.
type payLink struct {
	UUID      string         `json:"uuid" doc:"Of the pay link of the area cards."`
	Link      string         `json:"link" doc:"Text of the link; no other response has it."`
	URL       string         `json:"url" doc:"Address of the page. Without a host where web.base_url is not set."`
	Load      uuid.UUID      `json:"load_uuid"`
	Line      uuid.UUID      `json:"line_uuid"`
	Customer  *uuid.UUID     `json:"customer_uuid"`
	Title     string         `json:"title" doc:"What is paid, as the page says it."`
	Amount    money.Amount   `json:"amount"`
	Currency  money.Currency `json:"currency"`
	ExpiresAt time.Time      `json:"expires_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (payLink) SchemaName() string { return "LoadPayLink" }

func (s *Payer) ask(ctx context.Context, in *payLinkInput) (*payLinkOutput, error) {
	if who, _ := principal.From(ctx); !who.Allows(cardsapi.Area + ":charge") {
		return nil, state.ErrNotYours
	}
	l, err := s.loads.Find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	line, left, known := plan.Left(in.Body.Line, l.Plan.V, l.Payments.V, l.Currency)
	switch {
	case !known:
		return nil, plan.ErrNoLine
	case line.From != store.Customer || line.To != store.Broker:
		return nil, store.ErrInvalid.WithField("line_uuid", "The line is not one that the customer pays the broker.")
	case l.EndedAt != nil:
		return nil, errOverPaid
	case left <= 0:
		return nil, plan.ErrPaid
	}
	all, err := port.All[cardsapi.PayLinks](ctx, s.ports)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errNoCards
	}
	message, err := s.about(ctx, l)
	if err != nil {
		return nil, err
	}
	title := "Transport " + l.Number + ": " + lineNames[line.Kind]
	made, err := all[0].Value.Ask(ctx, cardsapi.NewPayLink{
		Title: title, Message: message, Owner: cardsapi.Owner{Type: loadsapi.Load, UUID: l.ID.String()},
		Amount: cardsapi.Money{Units: left, Currency: string(l.Currency)}, ExpiresAt: in.Body.ExpiresAt,
	})

	return &payLinkOutput{payLink{made.UUID, made.Link, made.URL, l.ID, line.UUID, l.Customer, title, l.AmountOf(left), l.Currency, made.ExpiresAt}}, err
}

// lineNames are what the kinds of lines are called where customers pay them.
var lineNames = map[string]string{"deposit": "deposit", "cod": "on delivery", "cop": "on pickup", "balance": "balance", "fee_remittance": "fee", "topup": "balance"}

// about says whose transport of what is paid, and from where to where.
func (s *Payer) about(ctx context.Context, l store.Load) (string, error) {
	var parts []string
	if l.Customer != nil {
		titles, err := s.items.Titles(ctx, []item.Ref{{Type: "contacts.contact", UUID: *l.Customer}})
		if err != nil {
			return "", err
		}
		if titles[0].Title != "" {
			parts = append(parts, "For "+titles[0].Title)
		}
	}
	const most = 3
	for i, v := range l.Vehicles.V {
		if i < most && v.Open() {
			parts = append(parts, v.Name())
		}
	}
	if n := len(l.Stops.V); n > 1 {
		parts = append(parts, "from "+l.Stops.V[0].Venue.Title()+" to "+l.Stops.V[n-1].Venue.Title())
	}

	return strings.Join(parts, ", ") + ".", nil
}

// note has a load say what a card payment of it, a refund or a dispute has moved in all. Of the same again, nothing is noted.
func (s *Payer) note(ctx context.Context, of cardsapi.PaymentAbout, r plan.Report, currency, text string) error {
	id, err := uuid.Parse(of.Owner)
	if of.OwnerType != loadsapi.Load || err != nil {
		return nil //nolint:nilerr // it is another area's
	}
	ctx = principal.AsCompany(ctx, principal.CompanyOf(ctx))
	now := s.clock.Now()
	_, err = s.loads.Change(ctx, id, web.IfMatch{}, store.VerbPay, func(_ context.Context, l *store.Load) error {
		if string(l.Currency) == currency { // what was paid in another one stays with the cards
			l.Payments.V = plan.Apply(r, plan.Payment{Method: "credit_card", At: now, Reference: of.Payment, Note: text}, l.Plan.V, l.Payments.V, l.Currency, database.NewID)
		}

		return nil
	})
	if errs.KindOf(err) == errs.NotFound {
		return nil
	}

	return err
}

// charged notes that so many units of a payment were taken.
func (s *Payer) charged(ctx context.Context, p cardsapi.PaymentAbout, units int64, text string) error {
	return s.note(ctx, p, plan.Report{Source: sourceOf(p), Units: units}, p.Amount.Currency, text)
}

func sourceOf(p cardsapi.PaymentAbout) string { return "cards.payment:" + p.Payment }

// OnCaptured records a payment.
func (s *Payer) OnCaptured(ctx context.Context, e cardsapi.PaymentCapturedEvent) error {
	return s.charged(ctx, e.PaymentAbout, e.Amount.Units, "Paid by card.")
}

// OnCorrected records a correction.
func (s *Payer) OnCorrected(ctx context.Context, e cardsapi.PaymentCorrectedEvent) error {
	units := e.Amount.Units
	if e.State != cardsapi.PaymentCaptured {
		units = 0
	}

	return s.charged(ctx, e.PaymentAbout, units, "Corrected by a reconciliation with the vendor of card payments.")
}

// gaveBack notes that so many units were refunded.
func (s *Payer) gaveBack(ctx context.Context, r cardsapi.RefundAbout, units int64, text string) error {
	return s.note(ctx, r.Payment, plan.Report{Source: "cards.refund:" + r.Refund, Units: -units, Of: sourceOf(r.Payment)}, r.Amount.Currency, text)
}

// OnRefunded records a refund.
func (s *Payer) OnRefunded(ctx context.Context, e cardsapi.RefundCompletedEvent) error {
	return s.gaveBack(ctx, e.RefundAbout, e.Amount.Units, "Refunded to the card.")
}

// OnRefundFailed takes a refund back.
func (s *Payer) OnRefundFailed(ctx context.Context, e cardsapi.RefundFailedEvent) error {
	return s.gaveBack(ctx, e.RefundAbout, 0, "The refund failed.")
}

// disputed notes that so many units are disputed, or gone.
func (s *Payer) disputed(ctx context.Context, d cardsapi.DisputeAbout, units int64, text string) error {
	return s.note(ctx, d.Payment, plan.Report{Source: "cards.dispute:" + d.Dispute, Units: -units, Of: sourceOf(d.Payment)}, d.Amount.Currency, text)
}

// OnDisputed records a dispute.
func (s *Payer) OnDisputed(ctx context.Context, e cardsapi.DisputeOpenedEvent) error {
	return s.disputed(ctx, e.DisputeAbout, e.Amount.Units, "Disputed by the cardholder.")
}

// OnDisputeWon takes a dispute back.
func (s *Payer) OnDisputeWon(ctx context.Context, e cardsapi.DisputeWonEvent) error {
	return s.disputed(ctx, e.DisputeAbout, 0, "The dispute was won.")
}

// OnDisputePrevented takes a dispute back.
func (s *Payer) OnDisputePrevented(ctx context.Context, e cardsapi.DisputePreventedEvent) error {
	return s.disputed(ctx, e.DisputeAbout, 0, "The dispute was prevented.")
}

// OnDisputeLost records what a dispute has cost.
func (s *Payer) OnDisputeLost(ctx context.Context, e cardsapi.DisputeLostEvent) error {
	return s.disputed(ctx, e.DisputeAbout, e.Amount.Units, "The dispute was lost.")
}

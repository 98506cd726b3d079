package loads

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errUnpaid = errs.New(errs.Conflict, "loads.unpaid", "Something is left to pay. See details.")

// clockSkew is by how much the clock of a caller may be ahead.
const clockSkew = 10 * time.Minute

type payInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Line      uuid.UUID    `json:"line_uuid" doc:"A line of the payment plan."`
		Amount    money.Amount `json:"amount,omitempty" doc:"By default all that is left of the line; a negative one takes back what was noted." example:"200.00"`
		Method    string       `json:"method,omitempty" enum:"cash,certified_check,check,cashiers_check,money_order,comchek,ach,wire,direct_deposit,credit_card,venmo,cashapp,zelle,uship,other" doc:"By default that of the line."`
		At        time.Time    `json:"at,omitzero" doc:"When it was paid; by default now."`
		Reference string       `json:"reference,omitempty" maxLength:"80" doc:"The number of the check or transfer. No number of a card."`
		Note      string       `json:"note,omitempty" maxLength:"500"`
	}
}

func (s *service) pay(ctx context.Context, in *payInput) (*web.Resource[load], error) {
	now := s.clock.Now()
	p := plan.Payment{
		UUID: database.NewID(), Line: in.Body.Line, Amount: in.Body.Amount, Method: in.Body.Method, At: in.Body.At.UTC(), Reference: in.Body.Reference, Note: in.Body.Note,
	}
	if in.Body.At.IsZero() {
		p.At = now
	}
	if p.At.After(now.Add(clockSkew)) {
		return nil, errInvalid.WithField("at", "`at` must not be in the future.")
	}
	if who, _ := principal.From(ctx); who.User != uuid.Nil {
		p.User = &who.User
	}
	if err := s.loads.MaySet(ctx, "payments"); err != nil {
		return nil, err
	}
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, verbPay, func(_ context.Context, l *load) error {
		noted, err := plan.Note(p, l.Plan.V, l.Payments.V, l.Currency, errInvalid)
		if err == nil {
			l.Payments.V = append(slices.Clip(l.Payments.V), noted)
		}

		return err
	})

	return s.loads.Answer(ctx, row, err)
}

// balance is what is left to pay of a load.
func (l *load) balance() plan.Balance {
	tariff, _ := plan.Units(l.Tariff, l.Currency) // checked before
	pay, _ := plan.Units(l.CarrierPay, l.Currency)
	if l.EndedAt != nil { // it is not carried, so that what was paid is to be given back
		tariff, pay = 0, 0
	}

	b := plan.BalanceOf(tariff, pay, l.Payments.V, l.Currency)
	if l.own() { // who collects it at the truck is the company
		b.Carrier = 0
	}

	return b
}

// settled reports whether something was paid of a load, and nothing is left to pay.
func (l *load) settled() bool { return len(l.Payments.V) > 0 && l.balance().Settled() }

// keepPayments has what is said of the payments of a load follow from them.
func (l *load) keepPayments(now time.Time) {
	b := l.balance()
	l.CustomerOwes, l.CarrierGets, l.PaymentDue = "", "", nil
	if l.Tariff != "" || len(l.Payments.V) > 0 {
		l.CustomerOwes, l.CarrierGets = l.amountOf(b.Customer), l.amountOf(b.Carrier)
	}
	if b.Customer > 0 {
		l.PaymentDue = plan.Due(l.Plan.V, l.Payments.V, l.Currency, happened(l))
	}
	l.Billing = plan.BillingOf(b, l.PaymentDue, now)
}

// happened says of a load when something happened that makes payments due. A bill of lading is signed at the delivery; nothing invoices a load yet.
func happened(l *load) func(event string) *time.Time {
	return func(event string) *time.Time {
		return map[string]*time.Time{
			"booking": l.BookedAt, "dispatch": l.DispatchedAt, "pickup": l.PickedUpAt, "delivery": l.DeliveredAt, "signed_bol": l.DeliveredAt,
		}[event]
	}
}

// goOn takes the steps of a load that follow from what was done: it is ready once it has what that takes, and completed with the last payment.
func (s *service) goOn(ctx context.Context, b *batch, c *resource.Change[load], was loadsapi.State) error {
	l := c.After
	switch {
	case l.State != was:
	case was == loadsapi.Booked && l.HeldAt == nil:
		kept, err := s.terms(ctx, b)
		if err != nil || len(kept.Required) == 0 || len(l.missing(kept.Required)) > 0 {
			return err
		}

		return s.loads.Step(ctx, l, state.Move{Verb: string(verbClear), Reason: "It has all that it must have."})
	case was == loadsapi.Delivered && c.Verb != verbReopen && c.Before != nil && l.settled() && (c.Before.State != was || !c.Before.settled()):
		return s.loads.Step(ctx, l, state.Move{Verb: string(verbComplete), Reason: "All is paid."})
	}

	return nil
}

type completeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Note string `json:"note,omitempty" maxLength:"500" doc:"Why, if something is left to pay."`
	}
}

func (s *service) complete(ctx context.Context, in *completeInput) (*web.Resource[load], error) {
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, verbComplete, func(ctx context.Context, l *load) error {
		who, _ := principal.From(ctx)
		if l.State == loadsapi.Delivered && !l.balance().Settled() && (in.Body.Note == "" || !who.Allows(loadsapi.Area+":"+overrideScope)) {
			b := l.balance()

			return concealed(ctx, errUnpaid.WithDetail("customer_balance", l.amountOf(b.Customer)).WithDetail("carrier_balance", l.amountOf(b.Carrier)))
		}

		return s.loads.Step(ctx, l, state.Move{Verb: string(verbComplete), Reason: in.Body.Note})
	})

	return s.loads.Answer(ctx, row, err)
}

// paymentEvent is the event of the last payment of a load.
func paymentEvent(l load) events.Event {
	e := loadsapi.PaymentRecorded{About: l.about(), Billing: string(l.Billing)}
	if n := len(l.Payments.V); n > 0 {
		e.Payment = l.Payments.V[n-1].UUID.String()
	}

	return e
}

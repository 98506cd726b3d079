package billing_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/billing"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/notes"
	"github.com/dispatchd/dispatchd/modules/tags"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// fakeCards plays the area cards: it keeps cards and payments in memory, by their references.
type fakeCards struct {
	db  *database.DB
	bus *events.Bus

	mu       sync.Mutex
	cards    map[string]cardsapi.Card
	payments map[string]cardsapi.Payment
	refunds  map[string]cardsapi.Refund
	house    uuid.UUID
	// verdict is the state of new payments, reason and final why they fail.
	verdict cardsapi.PaymentState
	reason  cardsapi.Reason
	final   bool
	// refusal is what cards and charges are refused with, before the vendor is called.
	refusal error
	// cardState is the state of new cards.
	cardState cardsapi.CardState
}

func newFakeCards(db *database.DB, bus *events.Bus) *fakeCards {
	return &fakeCards{
		db: db, bus: bus, cards: map[string]cardsapi.Card{}, payments: map[string]cardsapi.Payment{}, refunds: map[string]cardsapi.Refund{},
		verdict: cardsapi.PaymentCaptured, cardState: cardsapi.CardActive,
	}
}

var errNoSuch = errs.New(errs.NotFound, "cards.not_found", "There is no such thing.")

func (f *fakeCards) answer(state cardsapi.PaymentState, reason cardsapi.Reason, final bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.verdict, f.reason, f.final = state, reason, final
}

func (f *fakeCards) at(ctx context.Context) {
	f.house = principal.CompanyOf(ctx)
}

// Account implements cardsapi.Cards.
func (f *fakeCards) Account(context.Context, string) (cardsapi.AccountInfo, error) {
	return cardsapi.AccountInfo{Vendor: "sandbox"}, nil
}

// Save implements cardsapi.Cards.
func (f *fakeCards) Save(ctx context.Context, s cardsapi.SaveCard) (cardsapi.Card, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at(ctx)
	if c, known := f.cards[s.Reference]; known || f.refusal != nil {
		return c, f.refusal
	}
	c := cardsapi.Card{
		UUID: uuid.NewString(), Reference: s.Reference, Owner: s.Owner, State: f.cardState, Brand: "visa", Last4: "1111", ExpiresOn: "2031-12-31",
	}
	f.cards[s.Reference] = c

	return c, nil
}

// Remove implements cardsapi.Cards.
func (f *fakeCards) Remove(_ context.Context, card string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ref, c := range f.cards {
		if c.UUID == card {
			delete(f.cards, ref)
		}
	}

	return nil
}

// CardsOf implements cardsapi.Cards.
func (f *fakeCards) CardsOf(_ context.Context, of cardsapi.Owner) ([]cardsapi.Card, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []cardsapi.Card
	for _, c := range f.cards {
		if c.Owner == of {
			all = append(all, c)
		}
	}

	return all, nil
}

// Charge implements cardsapi.Charges.
func (f *fakeCards) Charge(ctx context.Context, c cardsapi.Charge) (cardsapi.Payment, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at(ctx)
	if p, known := f.payments[c.Reference]; known || f.refusal != nil {
		return p, f.refusal
	}
	p := cardsapi.Payment{
		UUID: uuid.NewString(), Reference: c.Reference, Owner: c.Owner, State: f.verdict, Amount: c.Amount, Reason: f.reason, Final: f.final,
	}
	if p.State == cardsapi.PaymentCaptured {
		p.Reason, p.Final = "", false
	}
	f.payments[c.Reference] = p

	return p, nil
}

// Refund implements cardsapi.Charges.
func (f *fakeCards) Refund(_ context.Context, r cardsapi.RefundOrder) (cardsapi.Refund, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.payments {
		if p.UUID == r.Payment {
			made := cardsapi.Refund{
				UUID: uuid.NewString(), Reference: r.Reference, Payment: p.UUID, State: cardsapi.RefundQueued,
				Amount: cardsapi.Money{Units: r.Units, Currency: p.Amount.Currency},
			}
			f.refunds[r.Reference] = made

			return made, nil
		}
	}

	return cardsapi.Refund{}, errNoSuch
}

// Payment implements cardsapi.Charges.
func (f *fakeCards) Payment(_ context.Context, id string) (cardsapi.Payment, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.payments {
		if p.UUID == id {
			return p, nil
		}
	}

	return cardsapi.Payment{}, errNoSuch
}

// publish publishes an event of the seller's company.
func (f *fakeCards) publish(t *testing.T, e events.Event) {
	t.Helper()
	f.mu.Lock()
	ctx := principal.AsCompany(t.Context(), f.house)
	f.mu.Unlock()
	require.NoError(t, f.db.InTx(ctx, func(ctx context.Context) error { return f.bus.Publish(ctx, e) }))
}

// refuse has cards and charges refused before the vendor is called.
func (f *fakeCards) refuse(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refusal = err
}

// refundAbout is what events say of the only refund.
func (f *fakeCards) refundAbout(owner uuid.UUID) (about cardsapi.RefundAbout) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for reference, r := range f.refunds {
		about = cardsapi.RefundAbout{
			Refund: r.UUID, Reference: reference, Amount: r.Amount,
			Payment: cardsapi.PaymentAbout{Payment: r.Payment, OwnerType: "billing.customer", Owner: owner.String()},
		}
	}

	return about
}

// disputeAbout is what events say of a new dispute about the only payment.
func (f *fakeCards) disputeAbout(owner uuid.UUID) (about cardsapi.DisputeAbout) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for reference, p := range f.payments {
		about = cardsapi.DisputeAbout{Dispute: uuid.NewString(), Amount: p.Amount, Payment: cardsapi.PaymentAbout{
			Payment: p.UUID, Reference: reference, OwnerType: "billing.customer", Owner: owner.String(), Amount: p.Amount,
		}}
	}

	return about
}

// cardSaved has the vendor keep the cards that are being saved.
func (f *fakeCards) cardSaved(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	var saved []cardsapi.Card
	for ref, c := range f.cards {
		if c.State == cardsapi.CardSaving {
			c.State = cardsapi.CardActive
			f.cards[ref] = c
			saved = append(saved, c)
		}
	}
	f.mu.Unlock()
	for _, c := range saved {
		f.publish(t, cardsapi.CardSavedEvent{CardAbout: cardsapi.CardAbout{Card: c.UUID, Reference: c.Reference, OwnerType: c.Owner.Type, Owner: c.Owner.UUID}})
	}
}

// turn changes a payment, and returns what events say of it.
func (f *fakeCards) turn(id string, do func(p *cardsapi.Payment)) (about cardsapi.PaymentAbout) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ref, p := range f.payments {
		if p.UUID == id {
			do(&p)
			f.payments[ref] = p
			about = cardsapi.PaymentAbout{Payment: p.UUID, Reference: p.Reference, OwnerType: p.Owner.Type, Owner: p.Owner.UUID, Amount: p.Amount}
		}
	}

	return about
}

// paymentsOf returns the payments of a company, the oldest first.
func (f *fakeCards) paymentsOf(owner uuid.UUID) (all []cardsapi.Payment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, ref := range slices.Sorted(maps.Keys(f.payments)) {
		if p := f.payments[ref]; p.Owner.UUID == owner.String() {
			all = append(all, p)
		}
	}

	return all
}

// settleRefunds gives the refunds of a company's payments a state, and publishes it. One that failed stays so.
func (f *fakeCards) settleRefunds(t *testing.T, owner uuid.UUID, to cardsapi.RefundState) {
	t.Helper()
	for _, p := range f.paymentsOf(owner) {
		f.mu.Lock()
		var all []events.Event
		for _, ref := range slices.Sorted(maps.Keys(f.refunds)) {
			r := f.refunds[ref]
			if r.Payment != p.UUID || r.State == to || r.State == cardsapi.RefundFailed {
				continue
			}
			about := cardsapi.RefundAbout{Refund: r.UUID, Reference: ref, Amount: r.Amount, Payment: cardsapi.PaymentAbout{
				Payment: p.UUID, Reference: p.Reference, OwnerType: p.Owner.Type, Owner: p.Owner.UUID, Amount: p.Amount,
			}}
			if to == cardsapi.RefundCompleted {
				all = append(all, cardsapi.RefundCompletedEvent{RefundAbout: about})
			} else {
				all = append(all, cardsapi.RefundFailedEvent{RefundAbout: about, Reason: cardsapi.Declined, Completed: r.State == cardsapi.RefundCompleted})
			}
			r.State = to
			f.refunds[ref] = r
		}
		f.mu.Unlock()
		for _, e := range all {
			f.publish(t, e)
		}
	}
}

// finish gives the payments without a result one, and publishes it twice.
func (f *fakeCards) finish(t *testing.T, state cardsapi.PaymentState) {
	t.Helper()
	f.mu.Lock()
	var done []cardsapi.Payment
	for ref, p := range f.payments {
		if p.State == cardsapi.PaymentQueued {
			p.State = state
			f.payments[ref] = p
			done = append(done, p)
		}
	}
	f.mu.Unlock()
	for _, p := range done {
		about := cardsapi.PaymentAbout{Payment: p.UUID, Reference: p.Reference, OwnerType: p.Owner.Type, Owner: p.Owner.UUID, Amount: p.Amount}
		for range 2 {
			if state == cardsapi.PaymentCaptured {
				f.publish(t, cardsapi.PaymentCapturedEvent{PaymentAbout: about})
			} else {
				f.publish(t, cardsapi.PaymentFailedEvent{PaymentAbout: about, Reason: p.Reason})
			}
		}
	}
}

// cardsModule is the area cards of tests.
func cardsModule() module.Module {
	return module.New(cardsapi.Area, "Cards",
		fx.Provide(newFakeCards),
		fx.Provide(func(f *fakeCards) (cardsapi.Cards, cardsapi.Charges) { return f, f }),
		events.Publishes(cardsapi.PaymentCapturedEvent{}), events.Publishes(cardsapi.PaymentFailedEvent{}), events.Publishes(cardsapi.PaymentCanceledEvent{}),
		events.Publishes(cardsapi.PaymentActionRequiredEvent{}), events.Publishes(cardsapi.PaymentCorrectedEvent{}),
		events.Publishes(cardsapi.PaymentFeeEvent{}), events.Publishes(cardsapi.PayoutPaidEvent{}), events.Publishes(cardsapi.PayoutFailedEvent{}), events.Publishes(cardsapi.DisputePreventedEvent{}),
		events.Publishes(cardsapi.RefundCompletedEvent{}), events.Publishes(cardsapi.RefundFailedEvent{}),
		events.Publishes(cardsapi.DisputeOpenedEvent{}), events.Publishes(cardsapi.DisputeWonEvent{}), events.Publishes(cardsapi.DisputeLostEvent{}),
		events.Publishes(cardsapi.CardSavedEvent{}), events.Publishes(cardsapi.CardFailedEvent{}), events.Publishes(cardsapi.CardRemovedEvent{}),
	)
}

type object = map[string]any

const (
	base  = "/billing/api/v1"
	plans = base + "/plans"
)

// world is a service with a seller, and a clock that is moved.
type world struct {
	*moduletest.App

	clock    *clock.Fake
	cards    *fakeCards
	operator string
	house    moduletest.Company
	zone     *time.Location
}

func areas() []module.Module {
	return []module.Module{billing.Module, cardsModule(), collections.Module, companies.Module, notes.Module, tags.Module}
}

// each runs a test on each database, where the customer is in Chicago and it is noon of a day.
func each(t *testing.T, day string, test func(t *testing.T, w *world), more ...module.Module) {
	t.Helper()
	moduletest.Each(t, append(areas(), more...), func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		zone, err := time.LoadLocation("America/Chicago")
		require.NoError(t, err)
		noon, err := time.ParseInLocation("2006-01-02 15:04", day+" 12:00", zone)
		require.NoError(t, err)
		w := &world{clock: clock.NewFake(noon), zone: zone}
		w.App = boot(moduletest.With(
			fx.Decorate(func(clock.Clock) clock.Clock { return w.clock }), fx.Populate(&w.cards)))
		w.openShop(t)
		test(t, w)
	})
}

// openShop sets the seller up.
func (w *world) openShop(t *testing.T) {
	t.Helper()
	w.operator, w.house = w.Operator(t, "*"), w.NewCompany(t)
	w.settle(t, w.Owner)
	w.Call(t, w.operator, http.MethodPut, base+"/seller", object{
		"company_uuid": w.house.ID, "name": "Sample Dispatch Software Inc.", "address": "1 Main St\nAustin TX", "tax_id": "12-3456789",
	}).OK(t)
}

// settle gives a company its time zone and address.
func (w *world) settle(t *testing.T, c moduletest.Company) {
	t.Helper()
	company, err := w.Identity.Company(t.Context(), c.ID)
	require.NoError(t, err)
	company.TimeZone, company.Address = "America/Chicago", identity.Address{Street: "2 Elm St", City: "Dallas", State: "TX", PostalCode: "75201", Country: "US"}
	_, err = w.Identity.UpdateCompany(t.Context(), company)
	require.NoError(t, err)
}

func (w *world) post(t *testing.T, path string, body any) moduletest.Response {
	t.Helper()

	return w.Call(t, w.Owner.Token, http.MethodPost, path, body)
}

func (w *world) get(t *testing.T, path string) gjson.Result {
	t.Helper()

	return gjson.ParseBytes(w.Call(t, w.Owner.Token, http.MethodGet, path, nil).OK(t).Body)
}

// plan creates a public monthly plan, and returns its uuid.
func (w *world) plan(t *testing.T, code, price string, more object) string {
	t.Helper()
	body := object{"code": code, "name": strings.ToUpper(code), "interval": "month", "price": price, "currency": "USD", "public": true}
	maps.Copy(body, more)

	return w.Call(t, w.operator, http.MethodPost, plans, body).OK(t).Get("uuid").String()
}

// card saves a card, and returns its uuid.
func (w *world) card(t *testing.T) string {
	t.Helper()

	return w.post(t, base+"/cards", object{"token": "tok_ok", "postal_code": "75201"}).OK(t).Get("uuid").String()
}

// until moves the clock to noon of a day in the customer's zone, and has everything done that is due on the way.
func (w *world) until(t *testing.T, day string) {
	t.Helper()
	end, err := time.ParseInLocation("2006-01-02 15:04", day+" 12:00", w.zone)
	require.NoError(t, err)
	for w.clock.Now().Before(end) {
		w.clock.Advance(min(end.Sub(w.clock.Now()), 24*time.Hour))
		w.run(t)
	}
}

// run has everything done that is due.
func (w *world) run(t *testing.T) {
	t.Helper()
	for range 20 {
		if w.Call(t, w.operator, http.MethodPost, base+"/run", nil).OK(t).Get("done").Int() == 0 {
			return
		}
	}
	require.Fail(t, "something is due again and again")
}

// uses reports which of the areas notes and tags the customer uses.
func (w *world) uses(t *testing.T) string {
	t.Helper()
	var on []string
	for _, f := range w.get(t, "/companies/api/v1/features").Get("data").Array() {
		if area := f.Get("area").String(); f.Get("on").Bool() && slices.Contains([]string{"notes", "tags", "collections", "billing"}, area) {
			on = append(on, area)
		}
	}
	slices.Sort(on)

	return strings.Join(on, " ")
}

// invoices returns "date total state" of all invoices, the oldest first.
func (w *world) invoices(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, i := range w.get(t, base+"/invoices?sort=number&per_page=200").Get("data").Array() {
		all = append(all, fmt.Sprintf("%s %s %s", i.Get("issued_on").String(), i.Get("total").String(), i.Get("state").String()))
	}

	return all
}

package billing_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/billing"
	"github.com/dispatchd/dispatchd/modules/billing/internal/terms"
	"github.com/dispatchd/dispatchd/modules/cards"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// till is a vendor that counts what it took. It knows repeats, as all vendors with an adapter do.
type till struct {
	*doom

	mu    sync.Mutex
	taken map[string]cardsapi.Money
	calls int
}

func newTill(d *doom) *till { return &till{doom: d, taken: map[string]cardsapi.Money{}} }

func (*till) Capabilities() cardsapi.Capabilities {
	return cardsapi.Capabilities{DedupesFor: 24 * time.Hour}
}
func (*till) Explain(string) string { return "" }

func (v *till) Open(cardsapi.Opening) (cardsapi.Account, error) {
	return cardsapi.AccountOf(tillAccount{till: v}), nil
}

// tillAccount leaves what no test calls to the interface that it has not.
type tillAccount struct {
	cardsapi.Account

	till *till
}

func (tillAccount) Health(context.Context) error { return nil }
func (tillAccount) Page() cardsapi.PageConfig    { return cardsapi.PageConfig{} }

func (tillAccount) PayoutContent(context.Context, cardsapi.VendorPayout) (cardsapi.PayoutContent, error) {
	return cardsapi.PayoutContent{}, nil
}

func (tillAccount) Payouts(context.Context, cardsapi.Window) ([]cardsapi.VendorPayout, string, error) {
	return nil, "", nil
}

func (tillAccount) SaveCard(_ context.Context, o cardsapi.VendorCardOrder) (cardsapi.VendorCard, error) {
	return cardsapi.VendorCard{ID: o.Reference, Customer: "C", Brand: "visa", Last4: "1111", Month: 12, Year: 2099, Enabled: true}, nil
}

func (a tillAccount) Charge(_ context.Context, o cardsapi.VendorCharge) (cardsapi.VendorPayment, error) {
	a.till.step() // the process dies before the vendor has it
	a.till.mu.Lock()
	a.till.calls++
	a.till.taken[o.Reference] = o.Amount
	a.till.mu.Unlock()
	a.till.step() // or after, before anybody knows

	return cardsapi.VendorPayment{ID: "V" + o.Reference, Reference: o.Reference, State: cardsapi.PaymentCaptured, Amount: o.Amount}, nil
}

// took is how often cards were charged.
func (v *till) took() int {
	v.mu.Lock()
	defer v.mu.Unlock()

	return len(v.taken)
}

// doom has whoever takes the n-th step die, once. What is not committed by then is lost, and nothing that follows is done; of a renewal, it is
// put off.
type doom struct {
	mu   sync.Mutex
	left int
	died bool
}

func (d *doom) arm(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left, d.died = n, false
}

func (d *doom) step() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == 0 {
		return
	}
	if d.left--; d.left == 0 {
		d.died = true
		panic("the process dies here")
	}
}

func (d *doom) hasDied() bool {
	d.mu.Lock()
	defer d.mu.Unlock()

	return d.died
}

// mortal is a world with the area cards, a vendor that counts, and processes that die.
type mortal struct {
	*world

	doom *doom
	till *till
}

func eachMortal(t *testing.T, test func(t *testing.T, m *mortal)) {
	t.Helper()
	outside := module.New("tills", "A vendor", fx.Provide(newTill), port.Provides[cardsapi.Vendor, *till]("till"))
	all := []module.Module{billing.Module, cards.Module, collections.Module, companies.Module, outside}
	moduletest.Each(t, all, func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		zone, err := time.LoadLocation("America/Chicago")
		require.NoError(t, err)
		m := &mortal{
			world: &world{clock: clock.NewFake(time.Date(2027, 1, 31, 12, 0, 0, 0, zone)), zone: zone}, doom: &doom{},
		}
		m.App = boot(moduletest.Set("jobs.poll=5ms"), moduletest.With(
			fx.Supply(m.doom), fx.Decorate(func(clock.Clock) clock.Clock { return m.clock }), fx.Populate(&m.till)))
		m.openShop(t)
		m.atVendor(t, "/accounts", object{"name": "Till", "provider": "till"})
		m.OnStatement(func(ctx context.Context, _ database.Statement) {
			who, _ := principal.From(ctx)
			if slices.Contains([]uuid.UUID{m.Owner.ID, m.house.ID}, who.Company) && who.Kind == principal.System {
				m.doom.step()
			}
		})
		test(t, m)
	})
}

// hurry has charges and listeners run that wait to be run again, and a minute pass for each round of them.
func (m *mortal) hurry(t *testing.T) {
	t.Helper()
	result, err := m.DB.SQL().ExecContext(t.Context(),
		"UPDATE river_job SET state = 'available', scheduled_at = created_at WHERE state IN ('retryable', 'scheduled') AND kind IN ('cards.charge', 'events.deliver')")
	require.NoError(t, err)
	if waiting, err := result.RowsAffected(); err == nil && waiting > 0 {
		m.clock.Advance(time.Minute)
	}
}

func TestRenewal_ChargesOnceWhereverItDies(t *testing.T) {
	t.Parallel()
	eachMortal(t, func(t *testing.T, m *mortal) {
		t.Helper()
		m.dies(t, 4) // make soak tries each statement
	})
}

// dies renews a subscription again and again: each time, the process dies some statements later, in the job that renews, the job that
// charges, or the listener that stores the result, until it does not die.
func (m *mortal) dies(t *testing.T, later int) {
	t.Helper()
	m.plan(t, "pro", "99.00", nil)
	at := m.subscribed(t, "tok_ok")
	renewals := 0
	for n := 1; renewals == 0 || m.doom.hasDied(); n += later {
		m.renew(t, at, n)
		renewals++
		require.Equal(t, renewals+1, m.till.took(), "died at statement %d", n)
		require.Len(t, m.invoices(t), renewals+1, "died at statement %d", n)
	}
	m.doom.arm(0)
	require.Greater(t, renewals, 10)
	require.Equal(t, "0.00", m.books(t)["receivable"])
	require.Equal(t, m.books(t)["income:subscriptions"], "-"+m.books(t)["cash_clearing:cards"])
}

// renew moves the clock to the end of a subscription's period, and waits until the next one is paid, whoever dies at the n-th statement.
func (m *mortal) renew(t *testing.T, at string, n int) {
	t.Helper()
	day := m.get(t, at).Get("period_end").String()
	m.clock.Advance(terms.Begin(field.Date(day), m.zone).Sub(m.clock.Now()))
	m.doom.arm(n)
	asked := 0
	m.Eventually(t, func() bool {
		asked++
		failed := m.Call(t, m.operator, http.MethodPost, base+"/run", nil).Get("failed").Int() > 0
		if failed || m.doom.hasDied() && asked%100 == 0 { // or the service's own job, whose failure the test does not see, came first
			m.clock.Advance(time.Hour) // it was put off
		}
		m.hurry(t)
		// Reads that wait for what dies, die too.
		i := m.Call(t, m.Owner.Token, http.MethodGet, base+"/invoices?sort=-number", nil).Get("data.0")

		return i.Get("issued_on").String() == day && i.Get("state").String() == "paid"
	}, "the renewal is paid")
}

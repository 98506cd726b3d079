package cards

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/reconcile"
	"github.com/dispatchd/dispatchd/modules/cards/internal/sandbox"
	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// vendor is a vendor outside of this area that counts what it is given. It knows as much of it as it can.
type vendor struct {
	can      cardsapi.Capabilities
	complete bool  // what a search does not find was not taken
	loses    bool  // the answer, after it took what it was given
	fails    error // before it takes anything
	closed   error // why no account can be opened

	mu      sync.Mutex
	charged []cardsapi.VendorCharge
	refunds []cardsapi.VendorRefundOrder
	state   cardsapi.PaymentState
}

func (v *vendor) Capabilities() cardsapi.Capabilities { return v.can }
func (*vendor) Explain(string) string                 { return "" }
func (v *vendor) Open(cardsapi.Opening) (cardsapi.Account, error) {
	return cardsapi.AccountOf(vendorAccount{vendor: v}), v.closed
}

// vendorAccount leaves what no test calls to the interface that it has not.
type vendorAccount struct {
	cardsapi.Account

	vendor *vendor
}

var errReset = errors.New("connection reset")

func (a vendorAccount) Charge(_ context.Context, o cardsapi.VendorCharge) (cardsapi.VendorPayment, error) {
	v := a.vendor
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.fails != nil {
		return cardsapi.VendorPayment{}, v.fails
	}
	known := false
	for _, c := range v.charged {
		known = known || c.Reference == o.Reference
	}
	if !known || v.can.DedupesFor == 0 {
		v.charged = append(v.charged, o)
	}
	if v.loses {
		return cardsapi.VendorPayment{}, errReset
	}

	return v.payment(o), nil
}

func (v *vendor) payment(o cardsapi.VendorCharge) cardsapi.VendorPayment {
	return cardsapi.VendorPayment{ID: "V" + o.Reference, Reference: o.Reference, State: v.state, Raw: "DONE", Amount: o.Amount}
}

func (a vendorAccount) Refund(_ context.Context, o cardsapi.VendorRefundOrder) (cardsapi.VendorRefund, error) {
	v := a.vendor
	v.mu.Lock()
	defer v.mu.Unlock()
	known := false
	for _, r := range v.refunds {
		known = known || r.Reference == o.Reference
	}
	if !known || v.can.DedupesFor == 0 {
		v.refunds = append(v.refunds, o)
	}
	if v.loses {
		return cardsapi.VendorRefund{}, errReset
	}

	return orderedRefund(o), nil
}

func orderedRefund(o cardsapi.VendorRefundOrder) cardsapi.VendorRefund {
	return cardsapi.VendorRefund{ID: "R" + o.Reference, Payment: o.Payment, State: cardsapi.RefundCompleted, Amount: o.Amount}
}

func (a vendorAccount) Find(_ context.Context, s cardsapi.VendorSearch) (found cardsapi.VendorFound, complete bool, err error) {
	v := a.vendor
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.charged {
		if c.Reference == s.Reference {
			found.Payments = append(found.Payments, v.payment(c))
		}
	}
	for _, r := range v.refunds {
		if r.Reference == s.Reference {
			found.Refunds = append(found.Refunds, orderedRefund(r))
		}
	}

	return found, v.complete, nil
}

// plant is the area beside that of the app, with a vendor and a clock of its own. Nobody runs its jobs.
type plant struct {
	*moduletest.App

	book     *payments.Book
	orders   *payments.Orders
	reports  *payments.Reports
	charger  *payments.Charger
	refunder *payments.Refunder
	accounts *accounts.Service
	notices  *payments.Notices
	closing  *payments.Payouts
	payouts  *reconcile.Payouts
	payouted *resource.Resource[store.Payout]
	box      *sandbox.Sandbox
	vendors  *accounts.Vendors

	vendor  *vendor
	at      *clock.Fake
	account store.Account
}

func eachPlant(t *testing.T, can cardsapi.Capabilities, test func(ctx context.Context, t *testing.T, p *plant)) {
	t.Helper()
	var made sync.Map
	outside := module.New("outside", "A vendor outside of the area",
		fx.Provide(func() *vendor { return &vendor{can: can, state: cardsapi.PaymentCaptured} }),
		port.Provides[cardsapi.Vendor, *vendor]("outside"),
	)
	moduletest.BootEach(t, []module.Module{companies.Module, Module, outside}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		built, _ := made.Load(a.DB)
		p := built.(*plant)
		p.App = a
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		var err error
		p.account, err = p.accounts.Create(ctx, "Vendor", "outside", nil)
		require.NoError(t, err)
		test(ctx, t, p)
	}, moduletest.Set("roles=api"), moduletest.With(fx.Invoke(func(
		db *database.DB, states *state.Log, bus *events.Bus, queue *jobs.Queue, keys *secret.Keys, log *audit.Log, ports *port.Registry, in *inbound.Inbox,
		p1 *resource.Resource[store.Payment], p2 *resource.Resource[store.Refund], p3 *resource.Resource[store.Card],
		p4 *resource.Resource[store.Dispute], p5 *resource.Resource[store.Payout], v *vendor, w web.Settings,
	) {
		p := &plant{vendor: v, at: clock.NewFake(time.Date(2026, 6, 1, 17, 0, 0, 0, time.UTC)), payouted: p5}
		s, rows := settings.Defaults(), store.NewRepository(db)
		p.book = payments.NewBook(db, p1, p2, p3, p4, p5, p.at)
		kept := store.NewAccounts(db, p.at, keys, log)
		p.vendors = accounts.NewVendors(kept, ports, in, s)
		p.box = sandbox.New(db, queue, p.at, w)
		p.accounts = accounts.New(kept, rows, p.vendors, p.box, accounts.NewChecks(kept, p.vendors, queue, p.at))
		quiet := slog.New(slog.DiscardHandler)
		p.orders, p.reports = payments.NewOrders(p.book, p.vendors, bus, queue), payments.NewReports(p.book, states, bus, quiet)
		p.charger, p.refunder = payments.NewCharger(p.book, p.vendors, p.reports, bus, s), payments.NewRefunder(p.book, p.vendors, p.reports, s)
		p.closing = payments.NewPayouts(p.book, states, bus, queue, quiet)
		p.notices = payments.NewNotices(p.reports, p.closing, p.vendors, bus)
		p.payouts = reconcile.NewPayouts(p.book, p.closing, rows, p.vendors, s)
		made.Store(db, p)
	})))
}

func (p *plant) charge(ctx context.Context, t *testing.T) store.Payment {
	t.Helper()
	row, err := p.orders.Charge(ctx, cardsapi.Charge{
		Reference: uuid.NewString(), Amount: cardsapi.Money{Units: 1250, Currency: "USD"}, Token: cardsapi.Token{ID: "a token"},
	})
	require.NoError(t, err)

	return row
}

// work runs the job of a payment for hours, as often as it wants.
func (p *plant) work(ctx context.Context, t *testing.T, id uuid.UUID) store.Payment {
	t.Helper()
	for range 200 {
		err := p.charger.Charge(ctx, payments.ChargeJob{Payment: id})
		if err == nil {
			break
		}
		require.True(t, jobs.IsLater(err), err)
		p.at.Advance(time.Minute)
	}
	row, err := p.book.Payments.Find(ctx, id)
	require.NoError(t, err)

	return row
}

// workRefund runs the job of a refund for hours, as often as it wants.
func (p *plant) workRefund(ctx context.Context, t *testing.T, id uuid.UUID) store.Refund {
	t.Helper()
	for range 200 {
		if p.refunder.Refund(ctx, payments.RefundJob{Refund: id}) == nil {
			break
		}
		p.at.Advance(time.Minute)
	}
	row, err := p.book.Refunds.Find(ctx, id)
	require.NoError(t, err)

	return row
}

// report has the vendor's area report something.
func (p *plant) report(ctx context.Context, t *testing.T, n cardsapi.Notice) {
	t.Helper()
	require.NoError(t, p.book.DB.InTx(ctx, func(ctx context.Context) error { return p.notices.Report(ctx, p.account.ID.String(), n) }))
}

// crash is a point at which the process dies.
type crash string

const (
	beforeTheCall   crash = "between our commit and the call"
	beforeTheResult crash = "between the vendor's answer and our commit"
	lostAnswer      crash = "nowhere, but the answer is lost"
)

func TestCharge_NeverChargesTwiceWhereverItDies(t *testing.T) {
	t.Parallel()
	repeats, searched := cardsapi.Capabilities{DedupesFor: 24 * time.Hour}, cardsapi.Capabilities{Finds: true}
	for _, test := range []struct {
		vendor   string
		can      cardsapi.Capabilities
		complete bool
		dies     crash
		charged  int
		ends     cardsapi.PaymentState
	}{
		{"knows repeats", repeats, false, beforeTheCall, 1, cardsapi.PaymentCaptured},
		{"knows repeats", repeats, false, beforeTheResult, 1, cardsapi.PaymentCaptured},
		{"knows repeats", repeats, false, lostAnswer, 1, cardsapi.PaymentCaptured},
		{"can be searched", searched, false, beforeTheCall, 0, cardsapi.PaymentUnknown},
		{"can be searched", searched, false, beforeTheResult, 1, cardsapi.PaymentCaptured},
		{"can be searched", searched, false, lostAnswer, 1, cardsapi.PaymentCaptured},
		{"is sure what it has not", searched, true, beforeTheCall, 1, cardsapi.PaymentCaptured},
		{"is sure what it has not", searched, true, beforeTheResult, 1, cardsapi.PaymentCaptured},
		{"answers nothing", cardsapi.Capabilities{}, false, beforeTheCall, 0, cardsapi.PaymentUnknown},
		{"answers nothing", cardsapi.Capabilities{}, false, beforeTheResult, 1, cardsapi.PaymentUnknown},
		{"answers nothing", cardsapi.Capabilities{}, false, lostAnswer, 1, cardsapi.PaymentUnknown},
	} {
		t.Run(test.vendor+", "+string(test.dies), func(t *testing.T) {
			t.Parallel()
			eachPlant(t, test.can, func(ctx context.Context, t *testing.T, p *plant) {
				t.Helper()
				p.vendor.complete = test.complete
				row := p.charge(ctx, t)
				if test.dies == lostAnswer {
					p.vendor.loses = true
					_ = p.charger.Charge(ctx, payments.ChargeJob{Payment: row.ID}) // it may want to be run later
					lost, err := p.book.Payments.Find(ctx, row.ID)
					require.NoError(t, err)
					require.Equal(t, cardsapi.PaymentUnknown, lost.State, "at once")
					p.vendor.loses = false
				} else {
					c, called, wait, err := p.charger.Begin(ctx, row.ID)
					require.NoError(t, err)
					require.False(t, called)
					require.Zero(t, wait)
					if test.dies == beforeTheResult {
						_, err = p.charger.Call(ctx, *c)
						require.NoError(t, err)
					}
				}
				row = p.work(ctx, t, row.ID)
				require.Equal(t, test.ends, row.State)
				require.Len(t, p.vendor.charged, test.charged)
				require.Equal(t, test.ends == cardsapi.PaymentUnknown, row.GaveUpAt != nil)
				require.NoError(t, p.charger.Charge(ctx, payments.ChargeJob{Payment: row.ID}), "another run changes nothing")
				require.Len(t, p.vendor.charged, test.charged)
			})
		})
	}
}

func TestCharge_LeavesACallAloneThatMayBeGoingOn(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{DedupesFor: time.Hour}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.charge(ctx, t)
		_, _, _, err := p.charger.Begin(ctx, row.ID)
		require.NoError(t, err)
		p.at.Advance(29 * time.Second)
		require.True(t, jobs.IsLater(p.charger.Charge(ctx, payments.ChargeJob{Payment: row.ID})))
		require.Empty(t, p.vendor.charged)
	})
}

func TestCharge_IsNotSentOnceItsAccountIsDisabled(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{Finds: true}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.charge(ctx, t)
		_, err := p.vendors.Accounts.Disable(ctx, p.account.ID, web.IfMatch{}, true)
		require.NoError(t, err)
		row = p.work(ctx, t, row.ID)
		require.Equal(t, cardsapi.PaymentFailed, row.State)
		require.Equal(t, "The account was disabled.", row.Detail)
		require.Empty(t, p.vendor.charged)
	})
}

func TestCharge_RetriesOnlyWhatWasNotTaken(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		p.vendor.fails = &cardsapi.VendorError{Reason: cardsapi.RateLimited, NotDone: true, Retryable: true, RetryAfter: 3 * time.Second}
		row := p.charge(ctx, t)
		require.True(t, jobs.IsLater(p.charger.Charge(ctx, payments.ChargeJob{Payment: row.ID})))
		p.vendor.fails = nil
		require.Equal(t, cardsapi.PaymentCaptured, p.work(ctx, t, row.ID).State)
		p.vendor.fails = &cardsapi.VendorError{Reason: cardsapi.ProviderDown, NotDone: true, Retryable: true}
		row = p.work(ctx, t, p.charge(ctx, t).ID)
		require.Equal(t, cardsapi.PaymentFailed, row.State)
		require.Equal(t, int64(settings.Defaults().MaxAttempts), row.Attempts)
		require.Empty(t, row.Token, "it is kept no longer than needed")
		require.Len(t, p.vendor.charged, 1)
	})
}

func TestReport_BeforeOurOwnCommitCountsOnce(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{Finds: true}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.charge(ctx, t)
		c, _, _, err := p.charger.Begin(ctx, row.ID)
		require.NoError(t, err)
		answer, err := p.charger.Call(ctx, *c)
		require.NoError(t, err)
		report := func(state cardsapi.PaymentState) {
			v := answer
			v.State = state
			require.NoError(t, p.book.DB.InTx(ctx, func(ctx context.Context) error {
				return p.notices.Report(ctx, p.account.ID.String(), cardsapi.Notice{Payment: &v})
			}))
		}
		report(cardsapi.PaymentCaptured)
		report(cardsapi.PaymentAuthorized)
		report(cardsapi.PaymentCaptured)
		row = p.work(ctx, t, row.ID)
		require.Equal(t, cardsapi.PaymentCaptured, row.State)
		require.Len(t, p.vendor.charged, 1)
		require.Equal(t, 1, count(p.EventNames(t, p.Owner), "cards.payment.captured"))
	})
}

func TestGiveUp_IsTakenBackByTheVendor(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		p.vendor.loses = true
		row := p.work(ctx, t, p.charge(ctx, t).ID)
		require.Equal(t, cardsapi.PaymentUnknown, row.State)
		again, err := p.orders.AskAgain(ctx, row.ID, web.IfMatch{})
		require.NoError(t, err)
		require.Nil(t, again.GaveUpAt)
		_, err = p.orders.GiveUp(ctx, row.ID, web.IfMatch{}, state.Move{Verb: "give_up", UUID: row.ID, Reason: "x"})
		require.ErrorIs(t, err, store.ErrNotUnknown, "the vendor is being asked")
		row = p.work(ctx, t, row.ID)
		_, err = p.orders.GiveUp(ctx, row.ID, web.IfMatch{}, state.Move{Verb: "give_up", UUID: row.ID})
		require.ErrorIs(t, err, state.ErrNoReason)
		row, err = p.orders.GiveUp(ctx, row.ID, web.IfMatch{}, state.Move{Verb: "give_up", UUID: row.ID, Reason: "It is not there."})
		require.NoError(t, err)
		require.Equal(t, cardsapi.PaymentFailed, row.State)
		v := cardsapi.VendorPayment{ID: "V1", Reference: row.ID.String(), State: cardsapi.PaymentCaptured, Amount: row.Money()}
		require.NoError(t, p.book.DB.InTx(ctx, func(ctx context.Context) error {
			return p.notices.Report(ctx, p.account.ID.String(), cardsapi.Notice{Payment: &v})
		}))
		row, err = p.book.Payments.Find(ctx, row.ID)
		require.NoError(t, err)
		require.Equal(t, cardsapi.PaymentCaptured, row.State, "money that was taken counts")
	})
}

func TestRefund_IsGivenOnceThoughTheAnswerIsLostAndReportedBefore(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{Finds: true}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		paid := p.work(ctx, t, p.charge(ctx, t).ID)
		order := func(reference string) store.Refund {
			row, err := p.orders.Refund(ctx, cardsapi.RefundOrder{Reference: reference, Payment: paid.ID.String(), Units: 500})
			require.NoError(t, err)

			return row
		}
		first, second := order("first"), order("second")
		p.vendor.loses = true
		require.True(t, jobs.IsLater(p.refunder.Refund(ctx, payments.RefundJob{Refund: first.ID})))
		require.True(t, jobs.IsLater(p.refunder.Refund(ctx, payments.RefundJob{Refund: second.ID})), "one at a time")
		require.Len(t, p.vendor.refunds, 1)
		p.vendor.loses = false
		v := orderedRefund(p.vendor.refunds[0]) // without our reference
		for range 2 {
			require.NoError(t, p.book.DB.InTx(ctx, func(ctx context.Context) error {
				return p.notices.Report(ctx, p.account.ID.String(), cardsapi.Notice{Refund: &v})
			}))
		}
		require.Equal(t, cardsapi.RefundCompleted, p.workRefund(ctx, t, first.ID).State)
		require.Equal(t, cardsapi.RefundCompleted, p.workRefund(ctx, t, second.ID).State)
		require.Len(t, p.vendor.refunds, 2)
		row, err := p.book.Payments.Find(ctx, paid.ID)
		require.NoError(t, err)
		require.Equal(t, int64(1000), row.RefundedUnits())
		foreign := cardsapi.VendorRefund{ID: "R9", Payment: *paid.VendorID, State: cardsapi.RefundCompleted, Amount: cardsapi.Money{Units: 250, Currency: "USD"}}
		require.NoError(t, p.book.DB.InTx(ctx, func(ctx context.Context) error {
			return p.notices.Report(ctx, p.account.ID.String(), cardsapi.Notice{Refund: &foreign})
		}))
		_, err = p.orders.Refund(ctx, cardsapi.RefundOrder{Reference: "third", Payment: paid.ID.String()})
		require.ErrorIs(t, err, store.ErrNotRefundable, "the rest was refunded at the vendor")
	})
}

func TestRefund_IsUnknownWhereNoAnswerCameAndTheVendorCannotBeAsked(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		paid := p.work(ctx, t, p.charge(ctx, t).ID)
		row, err := p.orders.Refund(ctx, cardsapi.RefundOrder{Reference: "only", Payment: paid.ID.String(), Units: 500})
		require.NoError(t, err)
		p.vendor.loses = true
		row = p.workRefund(ctx, t, row.ID)
		require.Len(t, p.vendor.refunds, 1, "it is not given twice")
		shown := p.Call(t, p.Owner.Token, http.MethodGet, base+"/refunds/"+row.ID.String(), nil).OK(t)
		require.Equal(t, "unknown", shown.Get("state").String())
		require.NotEmpty(t, shown.Get("gave_up_at").String())
		require.Equal(t, []string{"cards.refund.unknown"}, p.EventNames(t, p.Owner, "cards.refund."))
	})
}

func TestDispute_ThatIsPreventedTakesNothing(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		paid := p.work(ctx, t, p.charge(ctx, t).ID)
		v := cardsapi.VendorDispute{ID: "D1", Payment: *paid.VendorID, State: "open", Amount: paid.Money(), UpdatedAt: p.at.Now()}
		disputed := func() string {
			return p.Call(t, p.Owner.Token, http.MethodGet, base+"/payments/"+paid.ID.String(), nil).OK(t).Get("disputed").String()
		}
		p.report(ctx, t, cardsapi.Notice{Dispute: &v})
		require.Equal(t, "12.50", disputed())
		v.State, v.UpdatedAt = "prevented", p.at.Now().Add(time.Minute)
		p.report(ctx, t, cardsapi.Notice{Dispute: &v})
		require.Equal(t, "0.00", disputed())
		require.Equal(t, []string{"cards.dispute.opened", "cards.dispute.prevented"}, p.EventNames(t, p.Owner, "cards.dispute."))
	})
}

func TestReport_OlderThanACorrectionChangesNothing(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{Finds: true}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.work(ctx, t, p.charge(ctx, t).ID)
		report := func(at time.Time) store.Payment {
			v := cardsapi.VendorPayment{ID: *row.VendorID, State: cardsapi.PaymentCaptured, Amount: row.Money(), UpdatedAt: at}
			require.NoError(t, p.book.DB.InTx(ctx, func(ctx context.Context) error {
				return p.notices.Report(ctx, p.account.ID.String(), cardsapi.Notice{Payment: &v})
			}))
			now, err := p.book.Payments.Find(ctx, row.ID)
			require.NoError(t, err)

			return now
		}
		taken := p.at.Now()
		p.at.Advance(time.Hour)
		require.NoError(t, p.book.DB.InTx(ctx, func(ctx context.Context) error {
			return p.reports.CorrectPayment(ctx, payments.Correction{
				ID: row.ID, Account: p.account.ID, VendorID: *row.VendorID,
				Here: &store.Side{State: string(row.State), Units: row.Units(), Currency: string(row.Currency)},
			}, cardsapi.PaymentFailed)
		}))
		require.Equal(t, cardsapi.PaymentFailed, report(taken).State, "the vendor did not have it an hour later")
		p.at.Advance(time.Hour)
		require.Equal(t, cardsapi.PaymentCaptured, report(p.at.Now()).State, "and has it now")
	})
}

func TestReports_InAnyOrderAreOneCaptureAndOneRefund(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{Finds: true}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		row := p.charge(ctx, t)
		c, _, _, err := p.charger.Begin(ctx, row.ID)
		require.NoError(t, err)
		answer, err := p.charger.Call(ctx, *c)
		require.NoError(t, err)
		report := func(n cardsapi.Notice) {
			for range 2 {
				require.NoError(t, p.book.DB.InTx(ctx, func(ctx context.Context) error { return p.notices.Report(ctx, p.account.ID.String(), n) }))
			}
		}
		captured := cardsapi.Notice{Payment: &answer}
		report(captured) // before our own commit
		order, err := p.orders.Refund(ctx, cardsapi.RefundOrder{Reference: "refund", Payment: row.ID.String()})
		require.NoError(t, err)
		refunded := cardsapi.VendorRefund{ID: "R1", Reference: order.ID.String(), Payment: answer.ID, State: cardsapi.RefundCompleted, Amount: row.Money()}
		report(cardsapi.Notice{Refund: &refunded})
		report(captured)
		pending := refunded
		pending.State = cardsapi.RefundPending
		report(cardsapi.Notice{Refund: &pending})
		row = p.work(ctx, t, row.ID)
		require.NoError(t, p.refunder.Refund(ctx, payments.RefundJob{Refund: order.ID}))
		require.Equal(t, cardsapi.PaymentCaptured, row.State)
		require.Equal(t, int64(1250), row.RefundedUnits())
		names := p.EventNames(t, p.Owner)
		require.Equal(t, []int{1, 1}, []int{count(names, "cards.payment.captured"), count(names, "cards.refund.completed")})
		require.Len(t, p.vendor.charged, 1)
		require.Empty(t, p.vendor.refunds, "it was given before it was asked for")
	})
}

func TestSandbox_LosesAnswersAndCalls(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		account, err := p.accounts.Create(ctx, "Sandbox", "sandbox", nil)
		require.NoError(t, err)
		open, err := p.vendors.Open(ctx, account)
		require.NoError(t, err)
		for _, token := range []string{"tok_timeout_taken", "tok_timeout_not_taken"} {
			row, err := p.orders.Charge(ctx, cardsapi.Charge{
				Reference: token, Account: account.ID.String(), Amount: cardsapi.Money{Units: 1250, Currency: "USD"}, Token: cardsapi.Token{ID: token},
			})
			require.NoError(t, err)
			require.True(t, jobs.IsLater(p.charger.Charge(ctx, payments.ChargeJob{Payment: row.ID})))
			lost, err := p.book.Payments.Find(ctx, row.ID)
			require.NoError(t, err)
			require.Equal(t, cardsapi.PaymentUnknown, lost.State, token)
			require.Equal(t, cardsapi.PaymentCaptured, p.work(ctx, t, row.ID).State, token)
		}
		found, _, err := open.List(ctx, cardsapi.Window{From: p.at.Now(), To: p.at.Now().AddDate(100, 0, 0)})
		require.NoError(t, err)
		require.Len(t, found.Payments, 2)
		require.Contains(t, p.EventNames(t, p.Owner), "cards.payment.unknown")
	})
}

func TestPayouts_ComeTheNextDayWithFees(t *testing.T) {
	t.Parallel()
	eachPlant(t, cardsapi.Capabilities{}, func(ctx context.Context, t *testing.T, p *plant) {
		t.Helper()
		account, err := p.accounts.Create(ctx, "Sandbox", "sandbox", nil)
		require.NoError(t, err)
		for _, units := range []int64{10000, 2500} {
			_, err := p.box.Add(ctx, account.ID, cardsapi.Money{Units: units, Currency: "USD"})
			require.NoError(t, err)
		}
		require.NoError(t, p.payouts.FetchOne(ctx, payments.FetchPayouts{Account: account.ID}))
		rows, err := p.payouted.Where(ctx, "account_id = ?", account.ID)
		require.NoError(t, err)
		require.Empty(t, rows, "the day is not over")
		p.at.Advance(24 * time.Hour)
		for range 2 {
			require.NoError(t, p.payouts.FetchOne(ctx, payments.FetchPayouts{Account: account.ID}))
		}
		rows, err = p.payouted.Where(ctx, "account_id = ?", account.ID)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		require.Equal(t, "2026-06-02", string(rows[0].ArrivesOn))
		require.Equal(t, []string{"125.00", "4.23", "120.77"}, []string{string(rows[0].Gross), string(rows[0].Fees), string(rows[0].Net)})
		require.Equal(t, 1, count(p.EventNames(t, p.Owner), "cards.payout.paid"))

		back := cardsapi.VendorPayout{
			ID: rows[0].VendorID, State: cardsapi.PayoutFailed, Raw: "failed", Reason: "account_closed", Net: cardsapi.Money{Units: 12077, Currency: "USD"}, UpdatedAt: p.at.Now(),
		}
		for range 2 {
			require.NoError(t, p.notices.Report(ctx, account.ID.String(), cardsapi.Notice{Payout: &back}))
		}
		rows, err = p.payouted.Where(ctx, "account_id = ?", account.ID)
		require.NoError(t, err)
		require.Equal(t, cardsapi.PayoutFailed, rows[0].State)
		require.Nil(t, rows[0].PaidAt)
		require.Equal(t, 1, count(p.EventNames(t, p.Owner), "cards.payout.failed"))
	})
}

package billing_test

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// TestHistory_AddsUpWhateverHappens has companies subscribe, pay, fail, be refunded, credited and disputed in any order. After each step, the
// seller's ledger sums to zero, each invoice adds up and has a balance of zero or more, and the ledger says what the company owes.
func TestHistory_AddsUpWhateverHappens(t *testing.T) {
	t.Parallel()
	each(t, "2027-01-31", func(t *testing.T, w *world) {
		t.Helper()
		w.Call(t, w.operator, http.MethodPost, base+"/tax_rates", object{"code": "tx", "name": "Sales tax", "percent": "8.25", "country": "US", "state": "TX"}).OK(t)
		w.plan(t, "pro", "99.00", nil)
		w.plan(t, "max", "199.00", nil)
		rapid.Check(t, func(r *rapid.T) {
			w.Owner = w.NewCompany(t)
			w.settle(t, w.Owner)
			h := &history{world: w, t: t, r: r, income: w.sum(t, "income:subscriptions")}
			h.run()
		})
		report, err := w.Ledger.Verify(principal.AsCompany(t.Context(), w.house.ID))
		require.NoError(t, err)
		require.Empty(t, report.Findings)
	})
}

// history is what happens to a company. Calls may be refused; what counts is what is left.
type history struct {
	*world

	t        *testing.T
	r        *rapid.T
	disputes []cardsapi.DisputeAbout
	income   int64
}

func (h *history) run() {
	h.subscribe()
	steps := map[string]func(){
		"subscribe": h.subscribe, "renew": h.renew, "finish": h.finish, "pay": h.pay, "transfer": h.transfer, "credit": h.credit, "refund": h.refund,
		"correct": h.correct, "dispute": h.dispute, "update": h.update, "cancel": h.cancel,
	}
	names := []string{"renew", "renew", "finish"}
	for name := range steps {
		names = append(names, name)
	}
	slices.Sort(names)
	for range rapid.IntRange(3, 9).Draw(h.r, "steps") {
		name := rapid.SampledFrom(names).Draw(h.r, "step")
		steps[name]()
		h.settleDown()
		h.check(name)
	}
	h.cards.answer(cardsapi.PaymentCaptured, "", false)
	h.cards.finish(h.t, cardsapi.PaymentCaptured)
	h.settleDown()
	h.cancel() // the next company's steps are not this one's
	h.check("end")
}

func (h *history) verdict() {
	state := rapid.SampledFrom([]cardsapi.PaymentState{cardsapi.PaymentCaptured, cardsapi.PaymentQueued, cardsapi.PaymentFailed}).Draw(h.r, "verdict")
	h.cards.answer(state, cardsapi.Declined, rapid.Bool().Draw(h.r, "final"))
}

func (h *history) subscribe() {
	h.verdict()
	h.post(h.t, base+"/subscriptions", object{"plan_code": "pro", "card_uuid": h.card(h.t)})
}

func (h *history) subscription() gjson.Result {
	return gjson.ParseBytes(h.Call(h.t, h.Owner.Token, http.MethodGet, base+"/account", nil).OK(h.t).Body).Get("subscription")
}

func (h *history) renew() {
	h.verdict()
	if next := h.subscription().Get("next_at"); next.Exists() && next.String() != "" {
		h.clock.Advance(max(next.Time().Sub(h.clock.Now()), 0) + time.Minute)
	}
	h.world.run(h.t)
}

func (h *history) finish() {
	h.cards.finish(h.t, rapid.SampledFrom([]cardsapi.PaymentState{cardsapi.PaymentCaptured, cardsapi.PaymentFailed}).Draw(h.r, "result"))
}

// invoice draws one of the company's invoices, "" if there is none.
func (h *history) invoice() string {
	all := h.get(h.t, base+"/invoices?sort=number").Get("data.#.uuid").Array()
	if len(all) == 0 {
		return ""
	}

	return rapid.SampledFrom(all).Draw(h.r, "invoice").String()
}

func (h *history) pay() {
	h.verdict()
	h.post(h.t, base+"/invoices/"+h.invoice()+"/pay", object{})
}

func (h *history) operate(path string, body object) {
	h.Call(h.t, h.operator, http.MethodPost, base+"/companies/"+h.Owner.ID.String()+path, body)
}

func (h *history) transfer() {
	h.operate("/invoices/"+h.invoice()+"/record_payment", object{"reference": "WIRE"})
}

func (h *history) credit() {
	body := object{"reason": "Outage"}
	if units := rapid.Int64Range(0, 12_000).Draw(h.r, "credit"); units > 0 {
		body["amount"] = money.OfUnits(units, "USD").Amount
	}
	if rapid.Bool().Draw(h.r, "by transfer") {
		body["refund_reference"] = "WIRE"
	}
	h.operate("/invoices/"+h.invoice()+"/credit", body)
}

func (h *history) refund() {
	h.cards.settleRefunds(h.t, h.Owner.ID, rapid.SampledFrom([]cardsapi.RefundState{cardsapi.RefundCompleted, cardsapi.RefundFailed}).Draw(h.r, "refund"))
	for _, note := range h.get(h.t, base+"/credit_notes").Get("data").Array() {
		if note.Get("refund_state").String() == "failed" && rapid.Bool().Draw(h.r, "sent") {
			h.operate("/credit_notes/"+note.Get("uuid").String()+"/record_refund", object{"refund_reference": "WIRE"})
		}
	}
}

// correct has a payment turn out to be captured that was believed to have failed, or the other way round.
func (h *history) correct() {
	all := h.cards.paymentsOf(h.Owner.ID)
	if len(all) == 0 {
		return
	}
	p := rapid.SampledFrom(all).Draw(h.r, "payment")
	was, to := p.State, cardsapi.PaymentCaptured
	if was == cardsapi.PaymentCaptured {
		to = cardsapi.PaymentFailed
	}
	about := h.cards.turn(p.UUID, func(p *cardsapi.Payment) { p.State = to })
	for range rapid.IntRange(1, 2).Draw(h.r, "times") {
		h.cards.publish(h.t, cardsapi.PaymentCorrectedEvent{PaymentAbout: about, State: to, Was: was})
	}
}

func (h *history) dispute() {
	for _, p := range h.cards.paymentsOf(h.Owner.ID) {
		if p.State == cardsapi.PaymentCaptured && len(h.disputes) == 0 {
			h.disputes = append(h.disputes, cardsapi.DisputeAbout{Dispute: uuid.NewString(), Amount: p.Amount, Fee: 1500, Payment: cardsapi.PaymentAbout{
				Payment: p.UUID, Reference: p.Reference, OwnerType: p.Owner.Type, Owner: p.Owner.UUID, Amount: p.Amount,
			}})
		}
	}
	for _, d := range h.disputes {
		switch rapid.IntRange(0, 2).Draw(h.r, "dispute") {
		case 0:
			h.cards.publish(h.t, cardsapi.DisputeOpenedEvent{DisputeAbout: d})
		case 1:
			h.cards.publish(h.t, cardsapi.DisputeWonEvent{DisputeAbout: d})
			h.disputes = nil
		case 2:
			h.cards.publish(h.t, cardsapi.DisputeLostEvent{DisputeAbout: d})
			h.disputes = nil
		}
	}
}

func (h *history) update() {
	h.verdict()
	h.post(h.t, base+"/subscriptions/"+h.subscription().Get("uuid").String()+"/update", object{
		"plan_code": rapid.SampledFrom([]string{"pro", "max"}).Draw(h.r, "plan"), "when": "now",
		"proration": rapid.SampledFrom([]string{"now", "next", "none"}).Draw(h.r, "proration"),
	})
}

func (h *history) cancel() {
	h.post(h.t, base+"/subscriptions/"+h.subscription().Get("uuid").String()+"/cancel", object{"when": "now"})
}

// settleDown waits until all events were handled.
func (h *history) settleDown() {
	require.Eventually(h.t, func() bool {
		var n int
		err := h.DB.SQL().QueryRowContext(h.t.Context(), "SELECT COUNT(*) FROM river_job WHERE state IN ('available', 'running', 'retryable', 'scheduled')").Scan(&n)

		return err == nil && n == 0
	}, 10*time.Second, 3*time.Millisecond, "events are handled")
}

// check requires that everything adds up.
func (h *history) check(step string) {
	require.Zero(h.t, h.sum(h.t, ""), "the ledger after %s", step)
	var balances, excess, net int64
	for _, i := range h.get(h.t, base+"/invoices?per_page=200").Get("data").Array() {
		units := func(key string) int64 { return unitsOf(i.Get(key).String()) }
		require.Equal(h.t, units("total"), units("paid")+units("credited")+units("written_off")+units("balance"), "%s: %s", step, i.Raw)
		require.GreaterOrEqual(h.t, units("balance"), int64(0), "%s: %s", step, i.Raw)
		open := i.Get("state").String() == "open"
		require.Equal(h.t, open, units("balance") > 0, "%s: %s", step, i.Raw)
		balances, net = balances+units("balance"), net+units("net")
	}
	for _, n := range h.get(h.t, base+"/credit_notes?per_page=200").Get("data").Array() {
		if state := n.Get("refund_state").String(); state == "pending" || state == "failed" {
			balances -= unitsOf(n.Get("refund").String())
		}
		net -= unitsOf(n.Get("net").String())
	}
	for _, p := range h.get(h.t, base+"/payments?per_page=200").Get("data").Array() {
		if p.Get("state").String() == "captured" {
			excess += unitsOf(p.Get("excess").String())
		}
	}
	require.Equal(h.t, balances, h.sum(h.t, "receivable:"+h.Owner.ID.String()), "owed after %s", step)
	require.Equal(h.t, h.income-net, h.sum(h.t, "income:subscriptions"), "income after %s", step)
	require.LessOrEqual(h.t, -h.sum(h.t, "unapplied:"+h.Owner.ID.String()), excess, "paid too much after %s", step)
}

func unitsOf(amount string) int64 {
	units, _ := (money.Money{Amount: money.Amount(cmp.Or(amount, "0.00")), Currency: "USD"}).Units()

	return units
}

// sum adds up the accounts of the seller's ledger whose codes begin with a text.
func (w *world) sum(t *testing.T, code string) (units int64) {
	t.Helper()
	all, err := w.Ledger.Balances(principal.AsCompany(t.Context(), w.house.ID), ledger.Query{})
	require.NoError(t, err)
	for _, b := range all {
		if strings.HasPrefix(b.Account.Code, code) {
			n, _ := b.Net.Units()
			units += n
		}
	}

	return units
}

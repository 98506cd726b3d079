package gateway

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

const (
	// entryPages is how many pages of entries a payout may have.
	entryPages = 50
)

type payout struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	Amount     int64  `json:"amount"`
	Currency   string `json:"currency"`
	Arrival    int64  `json:"arrival_date"`
	Automatic  bool   `json:"automatic"`
	Reconciled string `json:"reconciliation_status"`
	Failure    string `json:"failure_code"`
}

// payoutStates are Stripe's words for the states.
var payoutStates = map[string]cardsapi.PayoutState{
	"pending": cardsapi.PayoutPending, "in_transit": cardsapi.PayoutInTransit, "paid": cardsapi.PayoutPaid,
	"failed": cardsapi.PayoutFailed, "canceled": cardsapi.PayoutCanceled,
}

// vendor is a payout. What an automatic one is of, Stripe knows some hours later.
func (p payout) vendor(at time.Time) cardsapi.VendorPayout {
	return cardsapi.VendorPayout{
		ID: p.ID, State: payoutStates[p.Status], Raw: p.Status, Reason: cardsapi.Printable(p.Failure), On: timeOf(p.Arrival).Format(time.DateOnly),
		Net: moneyOf(p.Amount, p.Currency), Manual: !p.Automatic, Settled: !p.Automatic || p.Reconciled == "completed", UpdatedAt: at,
	}
}

// transaction is an entry of the balance.
type transaction struct {
	ID       string             `json:"id"`
	Type     string             `json:"type"`
	Amount   int64              `json:"amount"`
	Fee      int64              `json:"fee"`
	Currency string             `json:"currency"`
	Source   expandable[source] `json:"source"`
}

// source is a charge, or what else an entry is about.
type source struct {
	PaymentIntent expandable[noMore] `json:"payment_intent"`
	Automatic     bool               `json:"automatic"` // of a payout
}

// The types of entries: payouts that came back, what takes in money, and fees that are no part of another entry.
var (
	returnTypes  = []string{"payout_cancel", "payout_failure"}
	paymentTypes = []string{"charge", "payment"}
	feeTypes     = []string{"stripe_fee", "stripe_fx_fee", "tax_fee"}
)

// Payouts implements cardsapi.VendorStatements.
func (a *Account) Payouts(ctx context.Context, w cardsapi.Window) (all []cardsapi.VendorPayout, next string, err error) {
	var list listed[payout]
	got, err := a.get(ctx, "v1/payouts", window(w, w.Cursor, pageSize), &list)
	if err != nil {
		return nil, "", err
	}
	for _, p := range list.Data {
		if list.HasMore {
			next = p.ID
		}
		all = append(all, p.vendor(got.asked))
	}

	return all, next, nil
}

// PayoutContent implements cardsapi.VendorStatements. Stripe lists no payments for manual payouts. A later payout that returns the money of a failed one has
// the failed one's payments and fees.
func (a *Account) PayoutContent(ctx context.Context, p cardsapi.VendorPayout) (content cardsapi.PayoutContent, err error) {
	if p.Manual {
		content.Gross = p.Net.Units

		return content, nil
	}

	return content, a.addEntries(ctx, p.ID, returnsAtMost, &content)
}

// returnsAtMost is how many payouts in a row may have come back.
const returnsAtMost = 3

// addEntries adds up what a payout pays out.
func (a *Account) addEntries(ctx context.Context, id string, returns int, of *cardsapi.PayoutContent) error {
	query := url.Values{"payout": {id}, "limit": {strconv.Itoa(pageSize)}, "expand[]": {"data.source"}}
	for range entryPages {
		var list listed[transaction]
		if _, err := a.get(ctx, "v1/balance_transactions", query, &list); err != nil {
			return err
		}
		for _, t := range list.Data {
			query.Set("starting_after", t.ID)
			if err := a.addEntry(ctx, id, t, returns, of); err != nil {
				return err
			}
		}
		if !list.HasMore {
			return nil
		}
	}

	return unreadable("The payout has too many entries.")
}

func (a *Account) addEntry(ctx context.Context, id string, t transaction, returns int, of *cardsapi.PayoutContent) error {
	amount, fee := moneyOf(t.Amount, t.Currency).Units, moneyOf(t.Fee, t.Currency).Units
	switch {
	case t.Type == "payout":
		return nil // itself
	case slices.Contains(returnTypes, t.Type) && t.Source.ID == id:
		return nil // its own end
	case slices.Contains(returnTypes, t.Type) && t.Source.ID != "" && t.Source.Thing.Automatic && returns > 0:
		return a.addEntries(ctx, t.Source.ID, returns-1, of)
	case slices.Contains(feeTypes, t.Type):
		amount, fee = 0, fee-amount
	case slices.Contains(paymentTypes, t.Type) && t.Source.Thing.PaymentIntent.ID != "":
		of.Payments = append(of.Payments, t.Source.Thing.PaymentIntent.ID)
	}
	of.Gross, of.Fees = of.Gross+amount, of.Fees+fee

	return nil
}

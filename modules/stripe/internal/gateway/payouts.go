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
	// payoutsAtOnce is how many payouts are returned at once, each of which needs further calls.
	payoutsAtOnce = 10
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
}

// isKnown reports whether a payout was made, and Stripe knows what it is of. It does some hours later.
func (p payout) isKnown() bool {
	return p.Status != "failed" && p.Status != "canceled" && (!p.Automatic || p.Reconciled != "in_progress")
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
}

// The types of entries: payouts themselves, what takes in money, and fees that are no part of another entry.
var (
	payoutTypes  = []string{"payout", "payout_cancel", "payout_failure"}
	paymentTypes = []string{"charge", "payment"}
	feeTypes     = []string{"stripe_fee", "stripe_fx_fee", "tax_fee"}
)

// Payouts implements cardsapi.Account. Those that failed are left out, and those of which Stripe does not know yet what they are of.
func (a *Account) Payouts(ctx context.Context, w cardsapi.Window) (all []cardsapi.VendorPayout, next string, err error) {
	var list listed[payout]
	if _, err := a.get(ctx, "v1/payouts", window(w, w.Cursor, payoutsAtOnce), &list); err != nil {
		return nil, "", err
	}
	for _, p := range list.Data {
		if list.HasMore {
			next = p.ID
		}
		if !p.isKnown() {
			continue
		}
		v := cardsapi.VendorPayout{ID: p.ID, On: timeOf(p.Arrival).Format(time.DateOnly), Gross: moneyOf(0, p.Currency)}
		if p.Automatic {
			err = a.addEntries(ctx, &v)
		} else { // Stripe does not say what a payout is of that somebody has ordered
			v.Gross = moneyOf(p.Amount, p.Currency)
		}
		if err != nil {
			return nil, "", err
		}
		all = append(all, v)
	}

	return all, next, nil
}

// addEntries adds up what a payout pays out.
func (a *Account) addEntries(ctx context.Context, p *cardsapi.VendorPayout) error {
	query := url.Values{"payout": {p.ID}, "limit": {strconv.Itoa(pageSize)}, "expand[]": {"data.source"}}
	for range entryPages {
		var list listed[transaction]
		if _, err := a.get(ctx, "v1/balance_transactions", query, &list); err != nil {
			return err
		}
		for _, t := range list.Data {
			query.Set("starting_after", t.ID)
			amount, fee := moneyOf(t.Amount, t.Currency).Units, moneyOf(t.Fee, t.Currency).Units
			switch {
			case slices.Contains(payoutTypes, t.Type):
				continue
			case slices.Contains(feeTypes, t.Type):
				amount, fee = 0, fee-amount
			case slices.Contains(paymentTypes, t.Type) && t.Source.Thing.PaymentIntent.ID != "":
				p.Payments = append(p.Payments, t.Source.Thing.PaymentIntent.ID)
			}
			p.Gross.Units, p.Fees = p.Gross.Units+amount, p.Fees+fee
		}
		if !list.HasMore {
			return nil
		}
	}

	return unreadable("The payout has too many entries.")
}

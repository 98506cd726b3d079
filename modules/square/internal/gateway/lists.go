package gateway

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

const (
	pageSize = 100
	// findPages is how many pages are searched for a payment.
	findPages = 5
	// entryPages is how many pages of entries a payout may have.
	entryPages = 50
)

// The kinds of things in cursors.
const (
	listPayments = "payments"
	listRefunds  = "refunds"
)

func (a *Account) window(from, to time.Time, cursor string, limit int) url.Values {
	query := url.Values{
		"location_id": {a.location}, "begin_time": {from.UTC().Format(time.RFC3339Nano)}, "sort_order": {"ASC"}, "limit": {strconv.Itoa(limit)},
	}
	if !to.IsZero() {
		query.Set("end_time", to.UTC().Format(time.RFC3339Nano))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}

	return query
}

type paymentPage struct {
	Payments []payment `json:"payments"`
	Cursor   string    `json:"cursor"`
}

type refundPage struct {
	Refunds []refund `json:"refunds"`
	Cursor  string   `json:"cursor"`
}

// Find implements cardsapi.VendorLookup. Square lists a payment some time after it was made, so that a search proves nothing.
func (a *Account) Find(ctx context.Context, s cardsapi.VendorSearch) (found cardsapi.VendorFound, complete bool, err error) {
	if s.Payment != "" {
		found.Refunds, err = a.findRefunds(ctx, s)

		return found, false, err
	}
	cursor := ""
	for range findPages {
		var page paymentPage
		if err := a.get(ctx, "v2/payments", a.window(s.Since, time.Time{}, cursor, pageSize), &page); err != nil {
			return found, false, err
		}
		for _, p := range page.Payments {
			if v := p.vendor(); p.ReferenceID == s.Reference && v.State != "" {
				found.Payments = append(found.Payments, v)
			}
		}
		if cursor = page.Cursor; cursor == "" || len(found.Payments) > 0 {
			break
		}
	}

	return found, false, nil
}

// findRefunds returns the refunds of a payment that may be the one that is looked for: Square keeps no reference of refunds.
func (a *Account) findRefunds(ctx context.Context, s cardsapi.VendorSearch) (found []cardsapi.VendorRefund, err error) {
	var of paymentAnswer
	if err := a.get(ctx, "v2/payments/"+url.PathEscape(s.Payment), nil, &of); err != nil {
		return nil, err
	}
	for _, id := range of.Payment.RefundIDs {
		var answer refundAnswer
		v, err := answer.of(a.get(ctx, "v2/refunds/"+url.PathEscape(id), nil, &answer))
		if err != nil {
			return nil, err
		}
		if v.Amount == s.Amount && !answer.Refund.CreatedAt.Before(s.Since) {
			found = append(found, v)
		}
	}

	return found, nil
}

// List implements cardsapi.VendorStatements. The cursor is a kind and Square's cursor.
func (a *Account) List(ctx context.Context, w cardsapi.Window) (found cardsapi.VendorFound, next string, err error) {
	kind, cursor, _ := strings.Cut(w.Cursor, " ")
	within := func(at time.Time) bool { return !at.Before(w.From) && at.Before(w.To) }
	query := a.window(w.From, w.To, cursor, pageSize)
	if kind == listRefunds {
		var page refundPage
		if err := a.get(ctx, "v2/refunds", query, &page); err != nil {
			return found, "", err
		}
		for _, r := range page.Refunds {
			if within(r.CreatedAt) && refundStates[r.Status] != "" {
				found.Refunds = append(found.Refunds, r.vendor())
			}
		}
		if page.Cursor != "" {
			next = listRefunds + " " + page.Cursor
		}

		return found, next, nil
	}
	var page paymentPage
	if err := a.get(ctx, "v2/payments", query, &page); err != nil {
		return found, "", err
	}
	for _, p := range page.Payments {
		if within(p.CreatedAt) && p.isCard() && paymentStates[p.Status] != "" {
			found.Payments = append(found.Payments, p.vendor())
		}
	}
	if next = listRefunds + " "; page.Cursor != "" {
		next = listPayments + " " + page.Cursor
	}

	return found, next, nil
}

type payout struct {
	ID          string    `json:"id"`
	Status      string    `json:"status"`
	AmountMoney money     `json:"amount_money"`
	Arrival     string    `json:"arrival_date"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// payoutStates are Square's words for the states.
var payoutStates = map[string]cardsapi.PayoutState{
	"SENT": cardsapi.PayoutInTransit, "PAID": cardsapi.PayoutPaid, "FAILED": cardsapi.PayoutFailed,
}

func (p payout) vendor() cardsapi.VendorPayout {
	v := cardsapi.VendorPayout{
		ID: p.ID, State: payoutStates[p.Status], Raw: p.Status, On: p.Arrival, Net: p.AmountMoney.money(), Settled: true, UpdatedAt: p.UpdatedAt,
	}
	if v.On == "" {
		v.On = p.CreatedAt.UTC().Format(time.DateOnly)
	}

	return v
}

type payoutEntry struct {
	Gross  money `json:"gross_amount_money"`
	Fee    money `json:"fee_amount_money"`
	Charge struct {
		PaymentID string `json:"payment_id"`
	} `json:"type_charge_details"`
}

// Payouts implements cardsapi.VendorStatements.
func (a *Account) Payouts(ctx context.Context, w cardsapi.Window) (all []cardsapi.VendorPayout, next string, err error) {
	var page struct {
		Payouts []payout `json:"payouts"`
		Cursor  string   `json:"cursor"`
	}
	if err := a.get(ctx, "v2/payouts", a.window(w.From, w.To, w.Cursor, pageSize), &page); err != nil {
		return nil, "", err
	}
	for _, p := range page.Payouts {
		all = append(all, p.vendor())
	}

	return all, page.Cursor, nil
}

// PayoutContent implements cardsapi.VendorStatements.
func (a *Account) PayoutContent(ctx context.Context, p cardsapi.VendorPayout) (content cardsapi.PayoutContent, err error) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for range entryPages {
		var page struct {
			Entries []payoutEntry `json:"payout_entries"`
			Cursor  string        `json:"cursor"`
		}
		if err := a.get(ctx, "v2/payouts/"+url.PathEscape(p.ID)+"/payout-entries", query, &page); err != nil {
			return content, err
		}
		for _, e := range page.Entries {
			content.Gross, content.Fees = content.Gross+e.Gross.Amount, content.Fees+e.Fee.Amount
			if e.Charge.PaymentID != "" {
				content.Payments = append(content.Payments, e.Charge.PaymentID)
			}
		}
		if page.Cursor == "" {
			return content, nil
		}
		query.Set("cursor", page.Cursor)
	}

	return content, unreadable("The payout has too many entries.")
}

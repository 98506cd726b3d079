package gateway

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// pageSize is the most of a page at Stripe.
const pageSize = 100

// listed is a page of a list, the newest first.
type listed[T any] struct {
	Data    []T  `json:"data"`
	HasMore bool `json:"has_more"`
}

// window is the query for what was made in a time. Stripe counts whole seconds: what was made in those in which it begins and ends counts.
func window(w cardsapi.Window, after string, limit int) url.Values {
	query := url.Values{
		"created[gte]": {strconv.FormatInt(w.From.Unix(), 10)}, "created[lt]": {strconv.FormatInt(w.To.Add(time.Second-1).Unix(), 10)},
		"limit": {strconv.Itoa(limit)},
	}
	if after != "" {
		query.Set("starting_after", after)
	}

	return query
}

// Find implements cardsapi.VendorLookup. Stripe finds a payment some time after it was made, and a call may be on its way: that nothing is found
// proves nothing.
func (a *Account) Find(ctx context.Context, s cardsapi.VendorSearch) (found cardsapi.VendorFound, complete bool, err error) {
	if s.Payment != "" {
		found.Refunds, err = a.refundsOf(ctx, s.Payment, s.Reference)
	} else {
		found.Payments, err = a.search(ctx, s.Reference)
	}

	return found, false, err
}

// search returns the payments with a reference.
func (a *Account) search(ctx context.Context, reference string) (found []cardsapi.VendorPayment, err error) {
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(reference)
	query := url.Values{
		"query": {"metadata['" + keyReference + "']:'" + quoted + "'"}, "limit": {strconv.Itoa(pageSize)}, "expand[]": {"data." + withFee},
	}
	var list listed[payment]
	got, err := a.get(ctx, "v1/"+intents+"/search", query, &list)
	if err != nil {
		return nil, err
	}
	for _, p := range list.Data {
		if v := p.vendor(got.asked); v.Reference == reference && v.State != "" {
			found = append(found, v)
		}
	}

	return found, nil
}

// refundsOf returns the refunds of a payment with a reference. A payment has fewer refunds than a page.
func (a *Account) refundsOf(ctx context.Context, of, reference string) (found []cardsapi.VendorRefund, err error) {
	var list listed[refund]
	got, err := a.get(ctx, "v1/"+refunds, url.Values{"payment_intent": {of}, "limit": {strconv.Itoa(pageSize)}}, &list)
	if err != nil {
		return nil, err
	}
	for _, r := range list.Data {
		if v := r.vendor(got.asked); v.Reference == reference && v.State != "" {
			found = append(found, v)
		}
	}

	return found, nil
}

// List implements cardsapi.VendorStatements. The cursor is a kind, and the id after which the page begins.
func (a *Account) List(ctx context.Context, w cardsapi.Window) (found cardsapi.VendorFound, next string, err error) {
	kind, after, _ := strings.Cut(w.Cursor, " ")
	query := window(w, after, pageSize)
	if kind == refunds {
		var list listed[refund]
		got, err := a.get(ctx, "v1/"+refunds, query, &list)
		if err != nil {
			return found, "", err
		}
		for _, r := range list.Data {
			if after = r.ID; r.PaymentIntent.ID != "" && refundStates[r.Status] != "" {
				found.Refunds = append(found.Refunds, r.vendor(got.asked))
			}
		}
		if list.HasMore && after != "" {
			next = refunds + " " + after
		}

		return found, next, nil
	}
	query.Set("expand[]", "data.latest_charge")
	var list listed[payment]
	got, err := a.get(ctx, "v1/"+intents, query, &list)
	if err != nil {
		return found, "", err
	}
	for _, p := range list.Data {
		if after = p.ID; p.isCard() && p.state() != "" {
			found.Payments = append(found.Payments, p.vendor(got.asked))
		}
	}
	if next = refunds + " "; list.HasMore && after != "" {
		next = intents + " " + after
	}

	return found, next, nil
}

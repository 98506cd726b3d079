package gateway

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// The paths of what is made at Stripe.
const (
	intents  = "payment_intents"
	refunds  = "refunds"
	setups   = "setup_intents"
	methods  = "payment_methods"
	withFee  = "latest_charge.balance_transaction"
	onlyCard = "card"
)

// Charge implements cardsapi.VendorPayments. The reference is the idempotency key, and in the metadata.
func (a *Account) Charge(ctx context.Context, o cardsapi.VendorCharge) (cardsapi.VendorPayment, error) {
	form, err := a.chargeForm(o)
	if err != nil {
		return cardsapi.VendorPayment{}, err
	}
	var p payment
	got, err := a.post(ctx, "v1/"+intents, o.Reference, form, &p)
	err = hideToken(err, o.Token.ID)
	if got.replayed {
		return a.chargedBefore(ctx, o.Reference, p, err)
	}

	return p.readAt(got.asked, err)
}

// chargeForm is the request that makes a payment, and confirms it. A cardholder who is not there cannot be asked: then Stripe declines.
func (a *Account) chargeForm(o cardsapi.VendorCharge) (url.Values, error) {
	amount, err := amountOf(o.Amount)
	if err != nil {
		return nil, err
	}
	form := url.Values{
		"amount": {strconv.FormatInt(amount, 10)}, "currency": {strings.ToLower(o.Amount.Currency)}, "confirm": {"true"},
		"payment_method_types[]": {onlyCard}, "capture_method": {"automatic"}, "metadata[" + keyReference + "]": {o.Reference}, "expand[]": {withFee},
	}
	if o.Authorize {
		form.Set("capture_method", "manual")
	}
	form.Set("payment_method", o.Token.ID)
	if o.Card != "" {
		form.Set("payment_method", o.Card)
		form.Set("customer", o.Customer)
	}
	switch {
	case o.Present && a.stripe.returnURL != "":
		form.Set("return_url", a.stripe.returnURL)
	case o.Card != "" && !o.Present:
		form.Set("off_session", "true")
	default:
		form.Set("error_on_requires_action", "true")
	}
	if o.Note != "" {
		form.Set("description", o.Note)
	}
	if suffix := statement(o.Statement); suffix != "" {
		form.Set("statement_descriptor_suffix", suffix)
	}

	return form, nil
}

// statement is what may be on a cardholder's statement. Stripe refuses a payment for some characters, and for a text without a letter.
func statement(text string) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>\'"*`, r) || r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return -1
		}

		return r
	}, text))
	if !strings.ContainsFunc(text, unicode.IsLetter) {
		return ""
	}

	return text
}

// chargedBefore is the payment of a charge that Stripe has answered before. It repeats its first answer, even that it failed itself: the
// payment as it is counts.
func (a *Account) chargedBefore(ctx context.Context, reference string, first payment, err error) (cardsapi.VendorPayment, error) {
	switch {
	case err == nil && first.ID != "":
		if now, err := a.Payment(ctx, first.ID); err == nil {
			return now, nil
		}
	case isOpen(err):
		if found, err := a.search(ctx, reference); err == nil && len(found) == 1 {
			return found[0], nil
		}
	}

	return first.readAt(time.Time{}, err)
}

// readAt is the payment of an answer. One that is being processed leaves the outcome open.
func (p *payment) readAt(at time.Time, err error) (cardsapi.VendorPayment, error) {
	switch {
	case err != nil:
		return cardsapi.VendorPayment{}, err
	case p.ID == "":
		return cardsapi.VendorPayment{}, unreadable("The answer has no id of a payment.")
	}
	v := p.vendor(at)
	if v.State == "" {
		return cardsapi.VendorPayment{}, unreadable("The payment is " + cardsapi.Printable(v.Raw) + ".")
	}

	return v, nil
}

// Capture implements cardsapi.VendorPayments. It has no idempotency key: a payment is captured once.
func (a *Account) Capture(ctx context.Context, id string) (cardsapi.VendorPayment, error) {
	return a.end(ctx, id, "capture")
}

// Cancel implements cardsapi.VendorPayments. It has no idempotency key: a payment is canceled once.
func (a *Account) Cancel(ctx context.Context, id string) (cardsapi.VendorPayment, error) {
	return a.end(ctx, id, "cancel")
}

func (a *Account) end(ctx context.Context, id, verb string) (cardsapi.VendorPayment, error) {
	var p payment
	got, err := a.post(ctx, pathTo(intents, id, verb), "", url.Values{"expand[]": {withFee}}, &p)

	return p.readAt(got.asked, err)
}

// Payment implements cardsapi.VendorLookup.
func (a *Account) Payment(ctx context.Context, id string) (cardsapi.VendorPayment, error) {
	var p payment
	got, err := a.get(ctx, pathTo(intents, id), url.Values{"expand[]": {withFee}}, &p)

	return p.readAt(got.asked, err)
}

// longestReason is what Stripe takes in metadata, in characters.
const longestReason = 500

// Refund implements cardsapi.VendorPayments.
func (a *Account) Refund(ctx context.Context, o cardsapi.VendorRefundOrder) (cardsapi.VendorRefund, error) {
	amount, err := amountOf(o.Amount)
	if err != nil {
		return cardsapi.VendorRefund{}, err
	}
	form := url.Values{
		"payment_intent": {o.Payment}, "amount": {strconv.FormatInt(amount, 10)}, "metadata[" + keyReference + "]": {o.Reference},
	}
	if o.Reason != "" {
		form.Set("metadata[reason]", clip(o.Reason, longestReason))
	}
	var r refund
	got, err := a.post(ctx, "v1/"+refunds, o.Reference, form, &r)
	if got.replayed {
		return a.refundedBefore(ctx, o, r, err)
	}
	if e := refusal(err); e != nil && e.Reason == cardsapi.UnknownReason && saidBy(err).Param == "amount" {
		e.Reason = cardsapi.NotRefundable // it is more than is left
	}

	return r.readAt(got.asked, err)
}

// refundedBefore is chargedBefore for a refund.
func (a *Account) refundedBefore(ctx context.Context, o cardsapi.VendorRefundOrder, first refund, err error) (cardsapi.VendorRefund, error) {
	switch {
	case err == nil && first.ID != "":
		if now, err := a.ReadRefund(ctx, first.ID); err == nil {
			return now, nil
		}
	case isOpen(err):
		if found, err := a.refundsOf(ctx, o.Payment, o.Reference); err == nil && len(found) == 1 {
			return found[0], nil
		}
	}

	return first.readAt(time.Time{}, err)
}

func (r *refund) readAt(at time.Time, err error) (cardsapi.VendorRefund, error) {
	switch {
	case err != nil:
		return cardsapi.VendorRefund{}, err
	case r.ID == "" || refundStates[r.Status] == "":
		return cardsapi.VendorRefund{}, unreadable("The answer has no refund with a known state.")
	}

	return r.vendor(at), nil
}

// ReadRefund implements cardsapi.VendorLookup.
func (a *Account) ReadRefund(ctx context.Context, id string) (cardsapi.VendorRefund, error) {
	var r refund
	got, err := a.get(ctx, pathTo(refunds, id), nil, &r)

	return r.readAt(got.asked, err)
}

func clip(text string, most int) string {
	runes := []rune(text)

	return string(runes[:min(len(runes), most)])
}

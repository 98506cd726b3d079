package gateway

import (
	"context"
	"net/url"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

type newPayment struct {
	Key          string `json:"idempotency_key"`
	SourceID     string `json:"source_id"`
	Verification string `json:"verification_token,omitempty"`
	AmountMoney  money  `json:"amount_money"`
	Autocomplete bool   `json:"autocomplete"`
	CustomerID   string `json:"customer_id,omitempty"`
	LocationID   string `json:"location_id"`
	ReferenceID  string `json:"reference_id"`
	Note         string `json:"note,omitempty"`
	Statement    string `json:"statement_description_identifier,omitempty"`
}

type paymentAnswer struct {
	Payment payment `json:"payment"`
}

// Charge implements cardsapi.VendorPayments. The reference is the idempotency key, and our reference at Square too.
func (a *Account) Charge(ctx context.Context, o cardsapi.VendorCharge) (cardsapi.VendorPayment, error) {
	order := newPayment{
		Key: o.Reference, SourceID: o.Token.ID, Verification: o.Token.Verification, AmountMoney: moneyOf(o.Amount), Autocomplete: !o.Authorize,
		LocationID: a.location, ReferenceID: o.Reference, Note: o.Note, Statement: o.Statement,
	}
	if o.Card != "" {
		order.SourceID, order.CustomerID = o.Card, o.Customer
	}
	var answer paymentAnswer

	return answer.of(a.post(ctx, "v2/payments", order, &answer))
}

// of is the payment of an answer. One that is pending leaves the outcome open.
func (p *paymentAnswer) of(err error) (cardsapi.VendorPayment, error) {
	switch {
	case err != nil:
		return cardsapi.VendorPayment{}, err
	case p.Payment.ID == "":
		return cardsapi.VendorPayment{}, unreadable("The answer has no id of a payment.")
	}
	v := p.Payment.vendor()
	if v.State == "" {
		return cardsapi.VendorPayment{}, unreadable("The payment is " + cardsapi.Printable(v.Raw) + ".")
	}

	return v, nil
}

// Capture implements cardsapi.VendorPayments.
func (a *Account) Capture(ctx context.Context, id string) (cardsapi.VendorPayment, error) {
	var answer paymentAnswer

	return answer.of(a.post(ctx, "v2/payments/"+url.PathEscape(id)+"/complete", struct{}{}, &answer))
}

// Cancel implements cardsapi.VendorPayments.
func (a *Account) Cancel(ctx context.Context, id string) (cardsapi.VendorPayment, error) {
	var answer paymentAnswer

	return answer.of(a.post(ctx, "v2/payments/"+url.PathEscape(id)+"/cancel", struct{}{}, &answer))
}

// Payment implements cardsapi.VendorLookup.
func (a *Account) Payment(ctx context.Context, id string) (cardsapi.VendorPayment, error) {
	var answer paymentAnswer

	return answer.of(a.get(ctx, "v2/payments/"+url.PathEscape(id), nil, &answer))
}

type newRefund struct {
	Key         string `json:"idempotency_key"`
	PaymentID   string `json:"payment_id"`
	AmountMoney money  `json:"amount_money"`
	Reason      string `json:"reason,omitempty"`
}

type refundAnswer struct {
	Refund refund `json:"refund"`
}

func (r *refundAnswer) of(err error) (cardsapi.VendorRefund, error) {
	switch {
	case err != nil:
		return cardsapi.VendorRefund{}, err
	case r.Refund.ID == "" || refundStates[r.Refund.Status] == "":
		return cardsapi.VendorRefund{}, unreadable("The answer has no refund with a known state.")
	}

	return r.Refund.vendor(), nil
}

// longestReason is what Square takes, in characters.
const longestReason = 192

// Refund implements cardsapi.VendorPayments.
func (a *Account) Refund(ctx context.Context, o cardsapi.VendorRefundOrder) (cardsapi.VendorRefund, error) {
	var answer refundAnswer

	return answer.of(a.post(ctx, "v2/refunds", newRefund{
		Key: o.Reference, PaymentID: o.Payment, AmountMoney: moneyOf(o.Amount), Reason: clip(o.Reason, longestReason),
	}, &answer))
}

// ReadRefund implements cardsapi.VendorLookup.
func (a *Account) ReadRefund(ctx context.Context, id string) (cardsapi.VendorRefund, error) {
	var answer refundAnswer

	return answer.of(a.get(ctx, "v2/refunds/"+url.PathEscape(id), nil, &answer))
}

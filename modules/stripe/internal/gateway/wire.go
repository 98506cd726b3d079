package gateway

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// keyReference is the key of our reference in the metadata of what is made at Stripe.
const keyReference = "reference"

// expandable is a thing, or its id alone where Stripe was not asked to expand it.
type expandable[T any] struct {
	ID    string
	Thing T
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *expandable[T]) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &e.ID) == nil { // null too
		return nil
	}
	var named struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		return err
	}
	e.ID = named.ID

	return json.Unmarshal(raw, &e.Thing)
}

type charge struct {
	ID            string             `json:"id"`
	PaymentIntent expandable[noMore] `json:"payment_intent"`
	Refunded      int64              `json:"amount_refunded"`
	Method        struct {
		Type string `json:"type"`
	} `json:"payment_method_details"`
	Balance expandable[transaction] `json:"balance_transaction"`
	// Refunds are those that events of old versions have, the newest first.
	Refunds struct {
		Data []refund `json:"data"`
	} `json:"refunds"`
}

// noMore is of what nothing is needed but the id.
type noMore struct{}

type payment struct {
	ID         string             `json:"id"`
	Status     string             `json:"status"`
	Amount     int64              `json:"amount"`
	Received   int64              `json:"amount_received"`
	Currency   string             `json:"currency"`
	Metadata   map[string]string  `json:"metadata"`
	Methods    []string           `json:"payment_method_types"`
	Charge     expandable[charge] `json:"latest_charge"`
	LastError  *said              `json:"last_payment_error"`
	NextAction struct {
		Redirect struct {
			URL string `json:"url"`
		} `json:"redirect_to_url"`
	} `json:"next_action"`
	Created int64 `json:"created"`
}

// paymentStates are Stripe's words for the states. Processing is none: banks are being asked. Neither is one that nobody has confirmed.
var paymentStates = map[string]cardsapi.PaymentState{
	"requires_action": cardsapi.PaymentAction, "requires_capture": cardsapi.PaymentAuthorized, "succeeded": cardsapi.PaymentCaptured,
	"canceled": cardsapi.PaymentCanceled,
}

// unsaid are the states of a payment that say nothing yet.
var unsaid = []string{"", "processing", "requires_confirmation", "requires_payment_method"}

// isUnsaid reports whether a payment has neither succeeded nor failed, nor waits for anybody.
func (p payment) isUnsaid() bool { return p.state() == "" && slices.Contains(unsaid, p.Status) }

func (p payment) state() cardsapi.PaymentState {
	if p.Status == "requires_payment_method" && p.LastError != nil {
		return cardsapi.PaymentFailed
	}

	return paymentStates[p.Status]
}

// cardMethods are Stripe's words for cards, in terminals and wallets too.
var cardMethods = []string{"card", "card_present", "interac_present", "link"}

// isCard reports whether a payment was made with a card, or could be.
func (p payment) isCard() bool {
	if method := p.Charge.Thing.Method.Type; method != "" {
		return slices.Contains(cardMethods, method)
	}

	return len(p.Methods) == 0 || slices.ContainsFunc(p.Methods, func(method string) bool { return slices.Contains(cardMethods, method) })
}

// vendor is the payment for the port. Stripe says of no payment when it has changed: at is when it was as it is.
func (p payment) vendor(at time.Time) cardsapi.VendorPayment {
	v := cardsapi.VendorPayment{
		ID: p.ID, Reference: p.Metadata[keyReference], State: p.state(), Raw: p.Status, Amount: moneyOf(p.Amount, p.Currency),
		Refunded: moneyOf(p.Charge.Thing.Refunded, p.Currency).Units, UpdatedAt: at, CreatedAt: timeOf(p.Created),
	}
	if v.State == cardsapi.PaymentCaptured && p.Received > 0 {
		v.Amount = moneyOf(p.Received, p.Currency)
	}
	if fee := p.Charge.Thing.Balance.Thing; strings.EqualFold(fee.Currency, p.Currency) { // else it was settled in another currency
		v.Fee = moneyOf(fee.Fee, fee.Currency).Units
	}
	switch v.State { //nolint:exhaustive // the others say no more
	case cardsapi.PaymentFailed:
		v.Reason, v.Code, v.Final = p.LastError.reason(), p.LastError.code(), p.LastError.isFinal()
	case cardsapi.PaymentAction:
		v.ActionURL = p.NextAction.Redirect.URL
	}

	return v
}

type refund struct {
	ID            string             `json:"id"`
	Status        string             `json:"status"`
	Amount        int64              `json:"amount"`
	Currency      string             `json:"currency"`
	PaymentIntent expandable[noMore] `json:"payment_intent"`
	Metadata      map[string]string  `json:"metadata"`
	Failure       string             `json:"failure_reason"`
	Created       int64              `json:"created"`
}

var refundStates = map[string]cardsapi.RefundState{
	"pending": cardsapi.RefundPending, "requires_action": cardsapi.RefundPending, "succeeded": cardsapi.RefundCompleted,
	"failed": cardsapi.RefundFailed, "canceled": cardsapi.RefundFailed,
}

// vendor is the refund for the port. One that was not ordered here has its own id for a reference, so that it is not taken for one of ours.
func (r refund) vendor(at time.Time) cardsapi.VendorRefund {
	v := cardsapi.VendorRefund{
		ID: r.ID, Reference: cmp.Or(r.Metadata[keyReference], r.ID), Payment: r.PaymentIntent.ID, State: refundStates[r.Status], Raw: r.Status,
		Amount: moneyOf(r.Amount, r.Currency), UpdatedAt: at,
	}
	if v.State == cardsapi.RefundFailed {
		v.Reason, v.Code = cardsapi.NotRefundable, "refund_"+r.Status
		if r.Failure != "" {
			v.Code = cardsapi.Printable(r.Failure)
		}
	}

	return v
}

func timeOf(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}

	return time.Unix(seconds, 0).UTC()
}

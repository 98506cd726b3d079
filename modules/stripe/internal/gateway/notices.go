package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// dispute is a dispute as events have it.
type dispute struct {
	ID            string             `json:"id"`
	Status        string             `json:"status"`
	Amount        int64              `json:"amount"`
	Currency      string             `json:"currency"`
	Reason        string             `json:"reason"`
	PaymentIntent expandable[noMore] `json:"payment_intent"`
	Evidence      struct {
		DueBy int64 `json:"due_by"`
	} `json:"evidence_details"`
	Balance []transaction `json:"balance_transactions"`
}

// disputeStates are Stripe's words for the states. An appeal is of what was lost, which it is until the appeal is won.
var disputeStates = map[string]string{
	"needs_response": "open", "under_review": "open", "won": "won", "lost": "lost", "prevented": "prevented",
	"appeal_needs_response": "lost", "appeal_under_review": "lost",
}

// inquiries are disputes for which no money is taken: they are none here.
var inquiries = []string{"warning_needs_response", "warning_under_review", "warning_closed"}

func (d dispute) vendor(at time.Time) *cardsapi.VendorDispute {
	v := &cardsapi.VendorDispute{
		ID: d.ID, Payment: d.PaymentIntent.ID, State: disputeStates[d.Status], Raw: d.Status, Amount: moneyOf(d.Amount, d.Currency),
		Reason: cardsapi.Printable(d.Reason), UpdatedAt: at,
	}
	if d.Evidence.DueBy != 0 {
		v.DueOn = timeOf(d.Evidence.DueBy).Format(time.DateOnly)
	}
	for _, t := range d.Balance {
		if strings.EqualFold(t.Currency, d.Currency) {
			v.Fee += moneyOf(t.Fee, t.Currency).Units
		}
	}

	return v
}

// event is an event of Stripe.
type event struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Account string `json:"account"`
	Live    bool   `json:"livemode"`
	Created int64  `json:"created"`
	Data    struct {
		Object json.RawMessage `json:"object"`
	} `json:"data"`
}

// ReadNotice reads an event for the account with some credentials. It returns why the event says nothing to it, "" if it does.
func ReadNotice(body []byte, credentials map[string]string) (n cardsapi.Notice, ignored string, err error) {
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return n, "", fmt.Errorf("the event of Stripe: %w", err)
	}
	switch {
	case e.Account != credentials[keyConnected]: // a platform's endpoint has the events of all its accounts
		return n, "it is about another account at Stripe", nil
	case e.Live != isLive(credentials[keySecret]):
		return n, "it is of another mode than the account's keys", nil
	}
	n, err = e.notice()
	if err != nil {
		return n, "", fmt.Errorf("the event %s of Stripe: %w", cardsapi.Printable(e.Type), err)
	}
	if n == (cardsapi.Notice{}) {
		ignored = "it says nothing about card payments"
	}

	return n, ignored, nil
}

// notice is what an event says, nothing for one that is of no use.
func (e event) notice() (n cardsapi.Notice, err error) {
	at := timeOf(e.Created)
	switch {
	case strings.HasPrefix(e.Type, "payment_intent."):
		var p payment
		if err = e.read(&p); err == nil && p.ID != "" && p.isCard() && !p.isUnsaid() {
			v := p.vendor(at)
			n.Payment = &v
		}
	case strings.HasPrefix(e.Type, "refund.") || e.Type == "charge.refund.updated":
		var r refund
		if err = e.read(&r); err == nil {
			n.Refund = r.notice(at)
		}
	case e.Type == "charge.refunded":
		var c charge
		if err = e.read(&c); err == nil && len(c.Refunds.Data) > 0 {
			newest := c.Refunds.Data[0]
			newest.PaymentIntent.ID = c.PaymentIntent.ID
			n.Refund = newest.notice(at)
		}
	case strings.HasPrefix(e.Type, "charge.dispute."):
		var d dispute
		if err = e.read(&d); err == nil && d.ID != "" && !slices.Contains(inquiries, d.Status) {
			n.Dispute = d.vendor(at)
		}
	case strings.HasPrefix(e.Type, "payout."):
		var p payout
		if err = e.read(&p); err == nil && p.ID != "" {
			v := p.vendor(at)
			n.Payout = &v
		}
	case e.Type == "payment_method.automatically_updated" || e.Type == "payment_method.updated":
		var m method
		if err = e.read(&m); err == nil && m.ID != "" && m.Card.Last4 != "" {
			v := m.vendor()
			n.UpdatedCard = &v
		}
	case e.Type == "payment_method.detached":
		var m method
		err = e.read(&m)
		n.RemovedCard = m.ID
	case e.Type == "account.application.deauthorized":
		n.Revoked = true
	}

	return n, err
}

func (r refund) notice(at time.Time) *cardsapi.VendorRefund {
	if r.ID == "" || r.Status == "" {
		return nil
	}
	v := r.vendor(at)

	return &v
}

// read reads what the event is about.
func (e event) read(into any) error {
	if len(e.Data.Object) == 0 {
		return nil
	}

	return json.Unmarshal(e.Data.Object, into)
}

// EventID identifies an event: repeats have the same.
func EventID(body []byte) string {
	var e event
	if err := json.Unmarshal(body, &e); err != nil || e.ID == "" {
		return string(body)
	}

	return e.ID
}

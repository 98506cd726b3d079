package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// dispute is a dispute as notifications have it.
type dispute struct {
	ID              string `json:"dispute_id"`
	OtherID         string `json:"id"`
	State           string `json:"state"`
	AmountMoney     money  `json:"amount_money"`
	Reason          string `json:"reason"`
	DueAt           string `json:"due_at"`
	DisputedPayment struct {
		PaymentID string `json:"payment_id"`
	} `json:"disputed_payment"`
	UpdatedAt time.Time `json:"updated_at"`
}

// inquiries are disputes for which no money is taken: they are none here.
var inquiries = []string{"INQUIRY_EVIDENCE_REQUIRED", "INQUIRY_PROCESSING", "INQUIRY_CLOSED"}

// disputeStates are Square's words for the states.
var disputeStates = map[string]string{
	"EVIDENCE_REQUIRED": "open", "PROCESSING": "open", "WON": "won", "LOST": "lost", "ACCEPTED": "lost",
}

func (d dispute) vendor() cardsapi.VendorDispute {
	v := cardsapi.VendorDispute{
		ID: d.ID, Payment: d.DisputedPayment.PaymentID, State: disputeStates[d.State], Raw: d.State, Amount: d.AmountMoney.money(), Reason: d.Reason, UpdatedAt: d.UpdatedAt,
	}
	if v.ID == "" {
		v.ID = d.OtherID
	}
	if at, err := time.Parse(time.RFC3339, d.DueAt); err == nil {
		v.DueOn = at.UTC().Format(time.DateOnly)
	}

	return v
}

// envelope is a notification.
type envelope struct {
	Type    string `json:"type"`
	EventID string `json:"event_id"`
	Data    struct {
		ID     string `json:"id"`
		Object struct {
			Payment *payment `json:"payment"`
			Refund  *refund  `json:"refund"`
			Dispute *dispute `json:"dispute"`
			Card    *card    `json:"card"`
			Payout  *payout  `json:"payout"`
		} `json:"object"`
	} `json:"data"`
}

// ReadNotice reads a notification; false for one that says nothing about cards and payments.
func ReadNotice(body []byte) (n cardsapi.Notice, says bool, err error) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		return n, false, fmt.Errorf("the notification of Square: %w", err)
	}
	o := e.Data.Object
	if p := o.Payment; p != nil && p.ID != "" && p.isCard() && p.Status != "" && p.Status != pending {
		v := p.vendor()
		n.Payment = &v
	}
	if r := o.Refund; r != nil && r.ID != "" && r.Status != "" {
		v := r.vendor()
		n.Refund = &v
	}
	if d := o.Dispute; d != nil && d.State != "" && !slices.Contains(inquiries, d.State) {
		v := d.vendor()
		n.Dispute = &v
	}
	if p := o.Payout; p != nil && p.ID != "" {
		v := p.vendor()
		n.Payout = &v
	}
	switch {
	case e.Type == "card.disabled" || e.Type == "card.forgotten":
		if n.RemovedCard = e.Data.ID; o.Card != nil && o.Card.ID != "" {
			n.RemovedCard = o.Card.ID
		}
	case e.Type == "card.updated" && o.Card != nil && !o.Card.Enabled:
		n.RemovedCard = o.Card.ID
	case (e.Type == "card.updated" || e.Type == "card.automatically_updated") && o.Card != nil && o.Card.ID != "":
		v := o.Card.vendor()
		n.UpdatedCard = &v
	case e.Type == "oauth.authorization.revoked":
		n.Revoked = true
	}

	return n, n != cardsapi.Notice{}, nil
}

// EventID identifies a notification: repeats have the same.
func EventID(body []byte) string {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || e.EventID == "" {
		return string(body)
	}

	return e.EventID
}

package sandbox

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// envelope is a notification in Square's form.
type envelope struct {
	MerchantID string       `json:"merchant_id"`
	Type       string       `json:"type"`
	EventID    string       `json:"event_id"`
	CreatedAt  time.Time    `json:"created_at"`
	Data       envelopeData `json:"data"`
}

type envelopeData struct {
	Type   string         `json:"type"`
	ID     string         `json:"id"`
	Object envelopeObject `json:"object"`
}

type envelopeObject struct {
	Payment *wirePayment `json:"payment,omitempty"`
	Refund  *wireRefund  `json:"refund,omitempty"`
	Dispute *wireDispute `json:"dispute,omitempty"`
	Card    *wireCard    `json:"card,omitempty"`
}

type wireMoney struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

func (m wireMoney) money() cardsapi.Money {
	return cardsapi.Money{Units: m.Amount, Currency: m.Currency}
}

type wirePayment struct {
	ID          string      `json:"id"`
	Status      string      `json:"status"`
	AmountMoney wireMoney   `json:"amount_money"`
	Refunded    wireMoney   `json:"refunded_money"`
	Fees        []wireMoney `json:"processing_fee"`
	ReferenceID string      `json:"reference_id,omitempty"`
	ActionURL   string      `json:"action_url,omitempty"`
	CreatedAt   time.Time   `json:"created_at"`
	UpdatedAt   time.Time   `json:"updated_at"`
}

type wireRefund struct {
	ID          string    `json:"id"`
	Status      string    `json:"status"`
	PaymentID   string    `json:"payment_id"`
	AmountMoney wireMoney `json:"amount_money"`
	UpdatedAt   time.Time `json:"updated_at"`
}

type wireDispute struct {
	ID          string    `json:"id"`
	State       string    `json:"state"`
	PaymentID   string    `json:"payment_id"`
	AmountMoney wireMoney `json:"amount_money"`
	Reason      string    `json:"reason"`
	DueAt       string    `json:"due_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

type wireCard struct {
	ID      string `json:"id"`
	Enabled bool   `json:"enabled"`
}

// paymentStates and the others say what Square's statuses are here.
var (
	paymentStates = map[string]cardsapi.PaymentState{
		statusPending: cardsapi.PaymentAction, statusApproved: cardsapi.PaymentAuthorized, statusCompleted: cardsapi.PaymentCaptured,
		statusCanceled: cardsapi.PaymentCanceled, statusFailed: cardsapi.PaymentFailed,
	}
	refundStates  = map[string]cardsapi.RefundState{statusPending: cardsapi.RefundPending, statusCompleted: cardsapi.RefundCompleted, statusFailed: cardsapi.RefundFailed}
	disputeStates = map[string]string{statusOpen: "open", statusWon: "won", statusLost: "lost"}
)

func (p wirePayment) vendor() cardsapi.VendorPayment {
	v := cardsapi.VendorPayment{
		ID: p.ID, Reference: p.ReferenceID, State: paymentStates[p.Status], Raw: p.Status, Amount: p.AmountMoney.money(), Refunded: p.Refunded.Amount,
		UpdatedAt: p.UpdatedAt, CreatedAt: p.CreatedAt, ActionURL: p.ActionURL,
	}
	for _, fee := range p.Fees {
		v.Fee += fee.Amount
	}
	if v.State == cardsapi.PaymentFailed {
		v.Reason, v.Code = cardsapi.ActionRequired, "CARD_DECLINED_VERIFICATION_REQUIRED"
	}

	return v
}

func (r wireRefund) vendor() cardsapi.VendorRefund {
	v := cardsapi.VendorRefund{
		ID: r.ID, Payment: r.PaymentID, State: refundStates[r.Status], Raw: r.Status, Amount: r.AmountMoney.money(), UpdatedAt: r.UpdatedAt,
	}
	if v.State == cardsapi.RefundFailed {
		v.Reason, v.Code = cardsapi.NotRefundable, "REFUND_DECLINED"
	}

	return v
}

func (d wireDispute) vendor() cardsapi.VendorDispute {
	return cardsapi.VendorDispute{
		ID: d.ID, Payment: d.PaymentID, State: disputeStates[d.State], Amount: d.AmountMoney.money(), Fee: disputeFee, Reason: d.Reason,
		DueOn: d.DueAt, UpdatedAt: d.UpdatedAt,
	}
}

// ReadNotice reads a notification of the sandbox.
func ReadNotice(body []byte) (cardsapi.Notice, error) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		return cardsapi.Notice{}, fmt.Errorf("the notification of the sandbox: %w", err)
	}
	var n cardsapi.Notice
	o := e.Data.Object
	if o.Payment != nil && paymentStates[o.Payment.Status] != "" {
		v := o.Payment.vendor()
		n.Payment = &v
	}
	if o.Refund != nil && refundStates[o.Refund.Status] != "" {
		v := o.Refund.vendor()
		n.Refund = &v
	}
	if o.Dispute != nil && disputeStates[o.Dispute.State] != "" {
		v := o.Dispute.vendor()
		n.Dispute = &v
	}
	if o.Card != nil && !o.Card.Enabled {
		n.RemovedCard = o.Card.ID
	}
	n.Revoked = e.Type == "oauth.authorization.revoked"

	return n, nil
}

// EventID identifies a notification: repeats have the same.
func EventID(body []byte) string {
	var e struct {
		EventID string `json:"event_id"`
	}
	if err := json.Unmarshal(body, &e); err != nil || e.EventID == "" {
		return string(body)
	}

	return e.EventID
}

func moneyOf(t thing, units int64) wireMoney { return wireMoney{Amount: units, Currency: t.Currency} }

// wire is a payment as the sandbox reports it, with its refunds.
func (s *Sandbox) wire(t thing, refunds []thing) wirePayment {
	p := wirePayment{
		ID: t.ID.String(), Status: t.Status, AmountMoney: moneyOf(t, t.Units), ReferenceID: t.Reference, CreatedAt: t.CreatedAt, UpdatedAt: t.ChangedAt,
	}
	p.Refunded = moneyOf(t, 0)
	for _, r := range refunds {
		if r.ParentID != nil && *r.ParentID == t.ID && r.Status == statusCompleted {
			p.Refunded.Amount += r.Units
		}
	}
	if t.Status == statusPending {
		p.ActionURL = s.address + "/payments/" + t.Reference + "/play"
	}
	if t.Fee > 0 {
		p.Fees = []wireMoney{moneyOf(t, t.Fee)}
	}

	return p
}

func wireRefundOf(t thing) wireRefund {
	return wireRefund{ID: t.ID.String(), Status: t.Status, PaymentID: parentOf(t), AmountMoney: moneyOf(t, t.Units), UpdatedAt: t.ChangedAt}
}

func wireDisputeOf(t thing) wireDispute {
	return wireDispute{
		ID: t.ID.String(), State: t.Status, PaymentID: parentOf(t), AmountMoney: moneyOf(t, t.Units), Reason: "NO_KNOWLEDGE",
		DueAt: t.CreatedAt.AddDate(0, 0, evidenceDays).Format(time.DateOnly), UpdatedAt: t.ChangedAt,
	}
}

func parentOf(t thing) string {
	if t.ParentID == nil {
		return uuid.Nil.String()
	}

	return t.ParentID.String()
}

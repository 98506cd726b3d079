package gateway

import (
	"time"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

type money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

func moneyOf(m cardsapi.Money) money { return money{Amount: m.Units, Currency: m.Currency} }

func (m money) money() cardsapi.Money { return cardsapi.Money{Units: m.Amount, Currency: m.Currency} }

type card struct {
	ID         string `json:"id"`
	Brand      string `json:"card_brand"`
	Last4      string `json:"last_4"`
	Month      int    `json:"exp_month"`
	Year       int    `json:"exp_year"`
	CustomerID string `json:"customer_id"`
	Enabled    bool   `json:"enabled"`
}

func (c card) vendor() cardsapi.VendorCard {
	return cardsapi.VendorCard{
		ID: c.ID, Customer: c.CustomerID, Brand: c.Brand, Last4: c.Last4, Month: c.Month, Year: c.Year, Enabled: c.Enabled,
	}
}

type payment struct {
	ID            string `json:"id"`
	Status        string `json:"status"`
	SourceType    string `json:"source_type"`
	AmountMoney   money  `json:"amount_money"`
	RefundedMoney money  `json:"refunded_money"`
	ProcessingFee []struct {
		AmountMoney money `json:"amount_money"`
	} `json:"processing_fee"`
	CardDetails struct {
		Errors []said `json:"errors"`
	} `json:"card_details"`
	ReferenceID string    `json:"reference_id"`
	LocationID  string    `json:"location_id"`
	RefundIDs   []string  `json:"refund_ids"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// pending is the state of bank debits alone, which are not made here.
const pending = "PENDING"

// paymentStates are Square's words for the states, but pending.
var paymentStates = map[string]cardsapi.PaymentState{
	"APPROVED": cardsapi.PaymentAuthorized, "COMPLETED": cardsapi.PaymentCaptured, "CANCELED": cardsapi.PaymentCanceled, "FAILED": cardsapi.PaymentFailed,
}

// isCard reports whether a payment was made with a card, and not with cash or outside of Square.
func (p payment) isCard() bool { return p.SourceType != "CASH" && p.SourceType != "EXTERNAL" }

func (p payment) vendor() cardsapi.VendorPayment {
	v := cardsapi.VendorPayment{
		ID: p.ID, Reference: p.ReferenceID, State: paymentStates[p.Status], Raw: p.Status, Amount: p.AmountMoney.money(),
		Refunded: p.RefundedMoney.Amount, UpdatedAt: p.UpdatedAt, CreatedAt: p.CreatedAt,
	}
	for _, fee := range p.ProcessingFee {
		v.Fee += fee.AmountMoney.Amount
	}
	if v.State == cardsapi.PaymentFailed {
		e := &cardsapi.VendorError{}
		answeredBy(e, telling(p.CardDetails.Errors))
		v.Reason, v.Code, v.Final = e.Reason, e.Code, e.Final
	}

	return v
}

type refund struct {
	ID          string    `json:"id"`
	Status      string    `json:"status"`
	PaymentID   string    `json:"payment_id"`
	AmountMoney money     `json:"amount_money"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

var refundStates = map[string]cardsapi.RefundState{
	"PENDING": cardsapi.RefundPending, "COMPLETED": cardsapi.RefundCompleted, "REJECTED": cardsapi.RefundFailed, "FAILED": cardsapi.RefundFailed,
}

func (r refund) vendor() cardsapi.VendorRefund {
	v := cardsapi.VendorRefund{
		ID: r.ID, Payment: r.PaymentID, State: refundStates[r.Status], Raw: r.Status, Amount: r.AmountMoney.money(), UpdatedAt: r.UpdatedAt,
	}
	if v.State == cardsapi.RefundFailed {
		v.Reason, v.Code = cardsapi.NotRefundable, "REFUND_"+r.Status
	}

	return v
}

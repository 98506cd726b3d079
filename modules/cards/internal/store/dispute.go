package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// DisputeState is a state of a dispute.
type DisputeState string

// States of a dispute.
const (
	DisputeOpen DisputeState = "open"
	DisputeWon  DisputeState = "won"
	DisputeLost DisputeState = "lost"
)

// Dispute is a row of cards_disputes, and a dispute as the API shows it.
type Dispute struct {
	resource.Row

	Payment    uuid.UUID      `json:"payment_uuid" gorm:"column:payment_id" field:"readonly"`
	Account    uuid.UUID      `json:"account_uuid" gorm:"column:account_id" field:"readonly"`
	VendorID   string         `json:"vendor_id" field:"readonly,title" doc:"The vendor's id of the dispute."`
	State      DisputeState   `json:"state" field:"sort" enum:"open,won,lost"`
	Amount     money.Amount   `json:"amount" field:"readonly,sort"`
	Currency   money.Currency `json:"currency" field:"readonly"`
	Fee        money.Amount   `json:"fee" field:"readonly" doc:"The vendor's fee for the dispute."`
	Reason     string         `json:"reason" field:"readonly" doc:"The vendor's word for what the cardholder claims."`
	DueOn      field.Date     `json:"due_on" field:"readonly,sort" doc:"The last day on which the vendor accepts evidence."`
	ReportedAt *time.Time     `json:"reported_at" field:"readonly,nofilter" doc:"The time of the vendor's latest report that was applied."`
}

// TableName implements GORM's naming.
func (Dispute) TableName() string { return "cards_disputes" }

// SchemaName is the name of the body in the OpenAPI document.
func (Dispute) SchemaName() string { return "CardDispute" }

// DisputeLife is the life of disputes, which vendors decide.
var DisputeLife = state.Machine[DisputeState]{
	Item: "cards.dispute", Initial: DisputeOpen, Final: []DisputeState{DisputeWon, DisputeLost},
	Steps: []state.Step[DisputeState]{
		{From: []DisputeState{DisputeOpen}, Verb: "win", To: DisputeWon, Who: service},
		{From: []DisputeState{DisputeOpen}, Verb: "lose", To: DisputeLost, Who: service},
	},
	Order: [][]DisputeState{{DisputeOpen}, {DisputeWon, DisputeLost}},
}

// DisputeRules are the rules of the resource of disputes.
func DisputeRules() resource.Rules[Dispute] {
	return resource.Rules[Dispute]{
		Item: "cards.dispute", Sort: []string{"-created_at"}, KeepDeleted: true, Own: given,
		About:    "A chargeback: the cardholder asks the bank for the money. Answer it at the vendor.",
		Failures: resource.Failures{Invalid: ErrInvalid},
		Life:     resource.LifeOf(DisputeLife, func(d *Dispute) *DisputeState { return &d.State }),
	}
}

// About is what events say of the dispute of a payment.
func (d Dispute) About(of Payment) cardsapi.DisputeAbout {
	return cardsapi.DisputeAbout{
		Dispute: d.ID.String(), Payment: of.About(), Fee: units(d.Fee, d.Currency),
		Amount: cardsapi.Money{Units: units(d.Amount, d.Currency), Currency: string(d.Currency)},
	}
}

// Taken is what the dispute takes of the payment.
func (d Dispute) Taken() int64 {
	if d.State == DisputeWon {
		return 0
	}

	return units(d.Amount, d.Currency)
}

// Payout is a row of cards_payouts, and a payout as the API shows it.
type Payout struct {
	resource.Row

	Account  uuid.UUID               `json:"account_uuid" gorm:"column:account_id" field:"readonly"`
	VendorID string                  `json:"vendor_id" field:"readonly,title" doc:"The vendor's id of the payout."`
	PaidOn   field.Date              `json:"paid_on" field:"readonly,sort"`
	Gross    money.Amount            `json:"gross" field:"readonly" doc:"The amount before fees."`
	Fees     money.Amount            `json:"fees" field:"readonly" doc:"The vendor's fees."`
	Net      money.Amount            `json:"net" field:"readonly,sort" doc:"What arrives at the bank."`
	Currency money.Currency          `json:"currency" field:"readonly"`
	Payments resource.JSON[[]string] `json:"payments" field:"readonly" doc:"The vendor's ids of the payments that it pays out."`
}

// TableName implements GORM's naming.
func (Payout) TableName() string { return "cards_payouts" }

// SchemaName is the name of the body in the OpenAPI document.
func (Payout) SchemaName() string { return "CardPayout" }

// PayoutRules are the rules of the resource of payouts.
func PayoutRules() resource.Rules[Payout] {
	return resource.Rules[Payout]{
		Item: "cards.payout", Sort: []string{"-paid_on"}, KeepDeleted: true, Own: given,
		About:    "A transfer of a vendor to the company's bank account.",
		Failures: resource.Failures{Invalid: ErrInvalid},
	}
}

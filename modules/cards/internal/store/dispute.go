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
	DisputeOpen      DisputeState = "open"
	DisputeWon       DisputeState = "won"
	DisputeLost      DisputeState = "lost"
	DisputePrevented DisputeState = "prevented"
)

// Dispute is a row of cards_disputes, and a dispute as the API shows it.
type Dispute struct {
	resource.Row

	Payment      uuid.UUID      `json:"payment_uuid" gorm:"column:payment_id" field:"readonly"`
	Account      uuid.UUID      `json:"account_uuid" gorm:"column:account_id" field:"readonly"`
	VendorID     string         `json:"vendor_id" field:"readonly,title" doc:"The vendor's id of the dispute."`
	State        DisputeState   `json:"state" field:"sort" enum:"open,won,lost,prevented" doc:"prevented ended without a decision, and took nothing."`
	VendorStatus string         `json:"vendor_status" field:"readonly" doc:"The vendor's own word, also for a state that is not known here."`
	Amount       money.Amount   `json:"amount" field:"readonly,sort"`
	Currency     money.Currency `json:"currency" field:"readonly"`
	Fee          money.Amount   `json:"fee" field:"readonly" doc:"The vendor's fee for the dispute."`
	Reason       string         `json:"reason" field:"readonly" doc:"The vendor's word for what the cardholder claims."`
	DueOn        field.Date     `json:"due_on" field:"readonly,sort" doc:"The last day on which the vendor accepts evidence."`
	ReportedAt   *time.Time     `json:"reported_at" field:"readonly,nofilter" doc:"The time of the vendor's latest report that was applied."`
}

// TableName implements GORM's naming.
func (Dispute) TableName() string { return "cards_disputes" }

// SchemaName is the name of the body in the OpenAPI document.
func (Dispute) SchemaName() string { return "CardDispute" }

// DisputeLife is the life of disputes, which vendors decide. What was lost can be won by an appeal, and what was won be lost by a
// second chargeback: a later report decides.
var DisputeLife = state.Machine[DisputeState]{
	Item: "cards.dispute", Initial: DisputeOpen, Final: []DisputeState{DisputePrevented},
	Steps: []state.Step[DisputeState]{
		{From: []DisputeState{DisputeOpen, DisputeLost}, Verb: "win", To: DisputeWon, Who: service},
		{From: []DisputeState{DisputeOpen, DisputeWon}, Verb: "lose", To: DisputeLost, Who: service},
		{From: []DisputeState{DisputeOpen}, Verb: "prevent", To: DisputePrevented, Who: service},
	},
	Order: [][]DisputeState{{DisputeOpen}, {DisputeLost}, {DisputeWon, DisputePrevented}},
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
		Dispute: d.ID.String(), Payment: of.About(), Fee: units(d.Fee, d.Currency), Version: d.Version,
		Amount: cardsapi.Money{Units: units(d.Amount, d.Currency), Currency: string(d.Currency)},
	}
}

// Taken is what the dispute takes of the payment.
func (d Dispute) Taken() int64 {
	if d.State == DisputeWon || d.State == DisputePrevented {
		return 0
	}

	return units(d.Amount, d.Currency)
}

// Payout is a row of cards_payouts, and a payout as the API shows it.
type Payout struct {
	resource.Row

	Account      uuid.UUID               `json:"account_uuid" gorm:"column:account_id" field:"readonly"`
	VendorID     string                  `json:"vendor_id" field:"readonly,title" doc:"The vendor's id of the payout."`
	State        cardsapi.PayoutState    `json:"state" field:"sort" enum:"pending,in_transit,paid,failed,canceled"`
	VendorStatus string                  `json:"vendor_status" field:"readonly" doc:"The vendor's own word, also for a state that is not known here."`
	Reason       string                  `json:"reason" field:"readonly" doc:"The vendor's word for why it failed."`
	ArrivesOn    field.Date              `json:"arrives_on" field:"readonly,sort" doc:"The day on which it arrives at the bank, or is expected to."`
	PaidAt       *time.Time              `json:"paid_at" field:"readonly,sort" doc:"When the vendor's report was read that it has arrived; null until then, and once it was sent back."`
	Gross        money.Amount            `json:"gross" field:"readonly" doc:"The amount before fees; null until the vendor says what the payout is of."`
	Fees         money.Amount            `json:"fees" field:"readonly" doc:"The vendor's fees; null until the vendor says them."`
	Net          money.Amount            `json:"net" field:"readonly,sort" doc:"What arrives at the bank."`
	Currency     money.Currency          `json:"currency" field:"readonly"`
	Payments     resource.JSON[[]string] `json:"payments" field:"readonly" doc:"The vendor's ids of the payments that it pays out."`
	ReportedAt   *time.Time              `json:"reported_at" field:"readonly,nofilter" doc:"The time of the vendor's latest report that was applied."`
	PaymentFees  money.Amount            `json:"-" gorm:"column:payment_fees" field:"hidden"` // the known fees of single payments, once it is paid
}

// TableName implements GORM's naming.
func (Payout) TableName() string { return "cards_payouts" }

// SchemaName is the name of the body in the OpenAPI document.
func (Payout) SchemaName() string { return "CardPayout" }

// PayoutLife is the life of payouts, which vendors and banks decide.
var PayoutLife = state.Machine[cardsapi.PayoutState]{
	Item: "cards.payout", Initial: cardsapi.PayoutPending, Final: []cardsapi.PayoutState{cardsapi.PayoutFailed, cardsapi.PayoutCanceled},
	Steps: []state.Step[cardsapi.PayoutState]{
		{From: []cardsapi.PayoutState{cardsapi.PayoutPending}, Verb: "send", To: cardsapi.PayoutInTransit, Who: service},
		{From: []cardsapi.PayoutState{cardsapi.PayoutPending, cardsapi.PayoutInTransit}, Verb: "pay", To: cardsapi.PayoutPaid, Who: service},
		{From: []cardsapi.PayoutState{cardsapi.PayoutPending, cardsapi.PayoutInTransit, cardsapi.PayoutPaid}, Verb: "fail", To: cardsapi.PayoutFailed, Who: service},
		{From: []cardsapi.PayoutState{cardsapi.PayoutPending, cardsapi.PayoutInTransit}, Verb: "cancel", To: cardsapi.PayoutCanceled, Who: service},
	},
	Order: [][]cardsapi.PayoutState{{cardsapi.PayoutPending}, {cardsapi.PayoutInTransit}, {cardsapi.PayoutPaid}, {cardsapi.PayoutFailed, cardsapi.PayoutCanceled}},
}

// Known reports whether the vendor has said what the payout is of.
func (p Payout) Known() bool { return p.Gross != "" }

// About is what events say of the payout.
func (p Payout) About() cardsapi.PayoutAbout {
	return cardsapi.PayoutAbout{
		Payout: p.ID.String(), Account: p.Account.String(), Gross: cardsapi.Money{Units: units(p.Gross, p.Currency), Currency: string(p.Currency)},
		Fees: units(p.Fees, p.Currency), PaymentFees: units(p.PaymentFees, p.Currency),
	}
}

// PayoutRules are the rules of the resource of payouts.
func PayoutRules() resource.Rules[Payout] {
	return resource.Rules[Payout]{
		Item: "cards.payout", Sort: []string{"-arrives_on"}, KeepDeleted: true, Own: given,
		About:    "A transfer of a vendor to the company's bank account.",
		Failures: resource.Failures{Invalid: ErrInvalid},
		Life:     resource.LifeOf(PayoutLife, func(p *Payout) *cardsapi.PayoutState { return &p.State }),
	}
}

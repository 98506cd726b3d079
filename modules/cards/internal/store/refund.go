package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// RefundItem is the type of refunds as items.
const RefundItem = "cards.refund"

// Refund is a row of cards_refunds, and a refund as the API shows it.
type Refund struct {
	resource.Row

	Payment   uuid.UUID            `json:"payment_uuid" gorm:"column:payment_id" field:"readonly"`
	Account   uuid.UUID            `json:"account_uuid" gorm:"column:account_id" field:"readonly"`
	Reference string               `json:"reference" field:"readonly,sort,search,title" doc:"The caller's name of the refund, unique in the company."`
	State     cardsapi.RefundState `json:"state" field:"sort" enum:"queued,sending,pending,completed,failed,unknown"`
	Amount    money.Amount         `json:"amount" field:"readonly,sort"`
	Currency  money.Currency       `json:"currency" field:"readonly"`
	Note      string               `json:"note" gorm:"column:why" field:"readonly,search" doc:"Why the money is given back."`

	VendorID     *string    `json:"vendor_id" field:"readonly" doc:"The vendor's id of the refund."`
	VendorStatus string     `json:"vendor_status" field:"readonly" doc:"The vendor's own word for the state."`
	Reason       string     `json:"reason" field:"readonly" doc:"Why it failed, independent of the vendor."`
	Code         string     `json:"code" field:"readonly" doc:"The vendor's own code."`
	Detail       string     `json:"detail" field:"readonly,nofilter" doc:"The vendor's own text."`
	Explanation  string     `json:"explanation" field:"readonly,nofilter" doc:"What the reason means, and what to do."`
	Attempts     int64      `json:"attempts" field:"readonly" doc:"How often the vendor was called."`
	CalledAt     *time.Time `json:"called_at" field:"readonly,nofilter" doc:"When the vendor was last called, or asked."`
	GaveUpAt     *time.Time `json:"gave_up_at" field:"readonly" doc:"When the vendor was asked for the last time, in the state unknown; null while it is still asked."`
	ReportedAt   *time.Time `json:"reported_at" field:"readonly,nofilter" doc:"The time of the vendor's latest report that was applied."`

	FirstCalledAt *time.Time `json:"-" field:"hidden"`
	Fingerprint   string     `json:"-" field:"hidden"`
}

// TableName implements GORM's naming.
func (Refund) TableName() string { return "cards_refunds" }

// SchemaName is the name of the body in the OpenAPI document.
func (Refund) SchemaName() string { return "CardRefund" }

// RefundLife is the life of refunds. A bank may take back a completed refund: then it has failed.
var RefundLife = state.Machine[cardsapi.RefundState]{
	Item: RefundItem, Initial: cardsapi.RefundQueued, Final: []cardsapi.RefundState{cardsapi.RefundFailed},
	Steps: []state.Step[cardsapi.RefundState]{
		{From: []cardsapi.RefundState{cardsapi.RefundQueued}, Verb: VerbCall, To: cardsapi.RefundSending, Who: service},
		{From: []cardsapi.RefundState{cardsapi.RefundSending, cardsapi.RefundUnknown}, Verb: VerbRequeue, To: cardsapi.RefundQueued, Who: service},
		{From: []cardsapi.RefundState{cardsapi.RefundSending}, Verb: VerbLose, To: cardsapi.RefundUnknown, Who: service},
		{From: []cardsapi.RefundState{cardsapi.RefundSending, cardsapi.RefundUnknown}, Verb: "accept", To: cardsapi.RefundPending, Who: service},
		{
			From: []cardsapi.RefundState{cardsapi.RefundSending, cardsapi.RefundUnknown, cardsapi.RefundPending},
			Verb: "complete", To: cardsapi.RefundCompleted, Who: service,
		},
		{
			From: []cardsapi.RefundState{cardsapi.RefundQueued, cardsapi.RefundSending, cardsapi.RefundUnknown, cardsapi.RefundPending, cardsapi.RefundCompleted},
			Verb: VerbFail, To: cardsapi.RefundFailed, Who: service,
		},
	},
	Order: [][]cardsapi.RefundState{
		{cardsapi.RefundQueued},
		{cardsapi.RefundSending},
		{cardsapi.RefundUnknown},
		{cardsapi.RefundPending},
		{cardsapi.RefundCompleted},
		{cardsapi.RefundFailed},
	},
}

// RefundRules are the rules of the resource of refunds.
func RefundRules() resource.Rules[Refund] {
	return resource.Rules[Refund]{
		Item: RefundItem, Sort: []string{"-created_at"}, KeepDeleted: true, Own: given,
		About:    "Money that goes back to the card of a captured payment, in whole or in part.",
		Failures: resource.Failures{NotFound: ErrRefund, Invalid: ErrInvalid, Taken: ErrReference},
		Life:     resource.LifeOf(RefundLife, func(r *Refund) *cardsapi.RefundState { return &r.State }),
	}
}

// Units returns the amount in the smallest unit.
func (r Refund) Units() int64 { return units(r.Amount, r.Currency) }

// Money returns the amount.
func (r Refund) Money() cardsapi.Money {
	return cardsapi.Money{Units: r.Units(), Currency: string(r.Currency)}
}

// About is what events say of the refund of a payment.
func (r Refund) About(of Payment) cardsapi.RefundAbout {
	return cardsapi.RefundAbout{Refund: r.ID.String(), Reference: r.Reference, Payment: of.About(), Amount: r.Money()}
}

// Reserves reports whether the refund keeps its amount from being refunded again.
func (r Refund) Reserves() bool { return r.State != cardsapi.RefundFailed }

// InFlight reports whether the vendor may be about to give it.
func (r Refund) InFlight() bool {
	return r.State == cardsapi.RefundSending || r.State == cardsapi.RefundUnknown && r.GaveUpAt == nil
}

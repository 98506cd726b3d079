package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// PaymentItem is the type of payments as items.
const PaymentItem = "cards.payment"

// Scopes of the area, beside read and write.
const (
	ChargeScope = "charge"
	RefundScope = "refund"
)

// Payment is a row of cards_payments, and a payment as the API shows it.
type Payment struct {
	resource.Row

	Account   uuid.UUID             `json:"account_uuid" gorm:"column:account_id" field:"readonly"`
	Card      *uuid.UUID            `json:"card_uuid" gorm:"column:card_id" field:"readonly" doc:"The saved card; null if a token was charged."`
	Reference string                `json:"reference" field:"readonly,sort,search,title" doc:"The caller's name of the payment, unique in the company."`
	Owner     resource.Item         `json:"owner" gorm:"embedded;embeddedPrefix:owner_" field:"fixed" doc:"The item that the payment is for; null for none."`
	State     cardsapi.PaymentState `json:"state" field:"sort" enum:"queued,sending,requires_action,authorized,captured,failed,canceled,unknown"`
	Amount    money.Amount          `json:"amount" field:"readonly,sort"`
	Currency  money.Currency        `json:"currency" field:"readonly"`
	Refunded  money.Amount          `json:"refunded" field:"readonly" doc:"What completed refunds gave back."`
	Disputed  money.Amount          `json:"disputed" field:"readonly" doc:"What open and lost disputes took."`
	Fee       money.Amount          `json:"fee" field:"readonly" doc:"The vendor's fee; null until it is known, 0.00 if it is known only as part of a payout."`
	Note      string                `json:"note" field:"readonly,search" doc:"For the company; the cardholder does not see it."`
	Statement string                `json:"statement" field:"readonly" doc:"What the cardholder's statement shows."`
	Authorize bool                  `json:"authorize" field:"readonly" doc:"Whether the amount is only reserved, until the payment is captured or canceled."`
	Present   bool                  `json:"present" field:"readonly" doc:"Whether the cardholder is there and can confirm the payment."`
	Ordered   string                `json:"ordered" field:"readonly" doc:"What an authorized payment is about to come to; empty if nothing was ordered."`
	ActionURL string                `json:"action_url" field:"readonly,nofilter" doc:"Where the cardholder confirms the payment, in the state requires_action."`

	VendorID     *string    `json:"vendor_id" field:"readonly" doc:"The vendor's id of the payment."`
	VendorStatus string     `json:"vendor_status" field:"readonly" doc:"The vendor's own word for the state."`
	Reason       string     `json:"reason" field:"readonly" doc:"Why it failed, or could not be captured or canceled, independent of the vendor."`
	Code         string     `json:"code" field:"readonly" doc:"The vendor's own code."`
	Detail       string     `json:"detail" field:"readonly,nofilter" doc:"The vendor's own text."`
	Explanation  string     `json:"explanation" field:"readonly,nofilter" doc:"What the reason means, and what to do."`
	Final        bool       `json:"final" field:"readonly" doc:"Whether the card must not be charged again."`
	Attempts     int64      `json:"attempts" field:"readonly" doc:"How often the vendor was called to charge it."`
	CapturedAt   *time.Time `json:"captured_at" field:"readonly,sort"`
	CalledAt     *time.Time `json:"called_at" field:"readonly,nofilter" doc:"When the vendor was last called, or asked."`
	GaveUpAt     *time.Time `json:"gave_up_at" field:"readonly" doc:"When the vendor was asked for the last time, in the state unknown; null while it is still asked."`
	ReportedAt   *time.Time `json:"reported_at" field:"readonly,nofilter" doc:"The time of the vendor's latest report that was applied."`

	FirstCalledAt *time.Time `json:"-" field:"hidden"`
	Customer      string     `json:"-" field:"hidden"`
	Token         string     `json:"-" field:"hidden"` // until the outcome is known
	Verification  string     `json:"-" field:"hidden"`
	Fingerprint   string     `json:"-" field:"hidden"` // of the order, to tell a repeat from another
}

// TableName implements GORM's naming.
func (Payment) TableName() string { return "cards_payments" }

// SchemaName is the name of the body in the OpenAPI document.
func (Payment) SchemaName() string { return "CardPayment" }

// Verbs of payments.
const (
	VerbCall      = "call"
	VerbRequeue   = "requeue"
	VerbFail      = "fail"
	VerbLose      = "lose"
	VerbReport    = "report"
	VerbCorrect   = "correct"
	VerbGiveUp    = "give_up"
	VerbFinish    = "finish"
	VerbAdd       = "add"
	VerbOrder     = "order"
	VerbRemove    = "remove"
	VerbActivate  = "activate"
	VerbAuthorize = "authorize"
)

// service is the service itself at work.
var service = state.Who{Kinds: []principal.Kind{principal.System}}

// PaymentLife is the life of payments. What the vendor reports moves a payment on by its order (state.Machine.Observe): a late or
// repeated report never moves it back, and money that was taken counts whatever was thought before.
var PaymentLife = state.Machine[cardsapi.PaymentState]{
	Item: PaymentItem, Initial: cardsapi.PaymentQueued, Final: []cardsapi.PaymentState{cardsapi.PaymentCaptured},
	Steps: []state.Step[cardsapi.PaymentState]{
		{From: []cardsapi.PaymentState{cardsapi.PaymentQueued}, Verb: VerbCall, To: cardsapi.PaymentSending, Who: service},
		{From: []cardsapi.PaymentState{cardsapi.PaymentSending, cardsapi.PaymentUnknown}, Verb: VerbRequeue, To: cardsapi.PaymentQueued, Who: service},
		{From: []cardsapi.PaymentState{cardsapi.PaymentSending}, Verb: VerbLose, To: cardsapi.PaymentUnknown, Who: service},
		{
			From: []cardsapi.PaymentState{cardsapi.PaymentQueued, cardsapi.PaymentSending, cardsapi.PaymentUnknown, cardsapi.PaymentAction, cardsapi.PaymentAuthorized},
			Verb: VerbFail, To: cardsapi.PaymentFailed, Who: service,
		},
		{From: []cardsapi.PaymentState{cardsapi.PaymentUnknown}, Verb: VerbGiveUp, To: cardsapi.PaymentFailed, Who: state.Who{Scope: ChargeScope}, Reasoned: true},
		{From: []cardsapi.PaymentState{cardsapi.PaymentSending, cardsapi.PaymentUnknown}, Verb: "ask", To: cardsapi.PaymentAction, Who: service},
		{
			From: []cardsapi.PaymentState{cardsapi.PaymentSending, cardsapi.PaymentUnknown, cardsapi.PaymentAction},
			Verb: VerbAuthorize, To: cardsapi.PaymentAuthorized, Who: service,
		},
		{
			From: []cardsapi.PaymentState{cardsapi.PaymentSending, cardsapi.PaymentUnknown, cardsapi.PaymentAction, cardsapi.PaymentAuthorized},
			Verb: "release", To: cardsapi.PaymentCanceled, Who: service,
		},
		{
			From: []cardsapi.PaymentState{
				cardsapi.PaymentSending, cardsapi.PaymentUnknown, cardsapi.PaymentAction, cardsapi.PaymentAuthorized, cardsapi.PaymentFailed,
				cardsapi.PaymentCanceled,
			},
			Verb: "settle", To: cardsapi.PaymentCaptured, Who: service,
		},
	},
	Order: [][]cardsapi.PaymentState{
		{cardsapi.PaymentQueued},
		{cardsapi.PaymentSending},
		{cardsapi.PaymentUnknown},
		{cardsapi.PaymentAction},
		{cardsapi.PaymentAuthorized},
		{cardsapi.PaymentFailed, cardsapi.PaymentCanceled},
		{cardsapi.PaymentCaptured},
	},
}

// given are the operations that the area serves itself, or not at all: rows are made and changed by orders.
var given = []resource.Verb{resource.Create, resource.Update, resource.Delete, resource.Restore}

// PaymentRules are the rules of the resource of payments.
func PaymentRules() resource.Rules[Payment] {
	return resource.Rules[Payment]{
		Item: PaymentItem, Sort: []string{"-created_at"}, KeepDeleted: true, Own: append([]resource.Verb{VerbGiveUp}, given...),
		About:    "A charge of a card, and what came of it.",
		Failures: resource.Failures{NotFound: ErrPayment, Invalid: ErrInvalid, Taken: ErrReference},
		Life:     resource.LifeOf(PaymentLife, func(p *Payment) *cardsapi.PaymentState { return &p.State }),
	}
}

// Units returns the amount in the smallest unit.
func (p Payment) Units() int64 { return units(p.Amount, p.Currency) }

// Money returns the amount.
func (p Payment) Money() cardsapi.Money {
	return cardsapi.Money{Units: p.Units(), Currency: string(p.Currency)}
}

// RefundedUnits returns what was refunded, in the smallest unit.
func (p Payment) RefundedUnits() int64 { return units(p.Refunded, p.Currency) }

// DisputedUnits returns what is disputed, in the smallest unit.
func (p Payment) DisputedUnits() int64 { return units(p.Disputed, p.Currency) }

// FeeUnits returns the vendor's fee, in the smallest unit.
func (p Payment) FeeUnits() int64 { return units(p.Fee, p.Currency) }

// FeeInPayout reports whether the vendor's fee is known only as part of that of a payout.
func (p Payment) FeeInPayout() bool { return p.Fee != "" && p.FeeUnits() == 0 }

// About is what events say of the payment.
func (p Payment) About() cardsapi.PaymentAbout {
	a := cardsapi.PaymentAbout{Payment: p.ID.String(), Reference: p.Reference, Amount: p.Money()}
	if p.Owner.UUID != uuid.Nil {
		a.OwnerType, a.Owner = p.Owner.Type, p.Owner.UUID.String()
	}

	return a
}

// units returns an amount that was stored in the smallest unit of its currency.
func units(amount money.Amount, in money.Currency) int64 {
	if amount == "" {
		return 0
	}
	n, _ := money.Money{Amount: amount, Currency: in}.Units() // stored amounts are whole

	return n
}

// AmountOf is a number of units as it is stored.
func AmountOf(units int64, in money.Currency) money.Amount { return money.OfUnits(units, in).Amount }

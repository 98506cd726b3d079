package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
)

// CardItem is the type of cards as items.
const CardItem = "cards.card"

// Card is a row of cards_cards, and a card as the API shows it. It has no number: that is the vendor's.
type Card struct {
	resource.Row

	Account    uuid.UUID          `json:"account_uuid" gorm:"column:account_id" field:"readonly"`
	Reference  string             `json:"reference" field:"readonly,sort,search,title" doc:"The caller's name of the card, unique in the company."`
	Owner      resource.Item      `json:"owner" gorm:"embedded;embeddedPrefix:owner_" field:"fixed" doc:"The item that the card belongs to; null for none."`
	OwnerName  string             `json:"owner_name" field:"readonly,search,personal" doc:"What the vendor shows of the owner."`
	OwnerEmail string             `json:"owner_email" field:"readonly,search,personal"`
	PostalCode string             `json:"postal_code" field:"readonly,personal"`
	State      cardsapi.CardState `json:"state" field:"sort" enum:"saving,active,failed,unknown,removed"`
	Brand      string             `json:"brand" field:"readonly"`
	Last4      string             `json:"last4" field:"readonly,search" doc:"The last four digits of the number."`
	ExpiresOn  field.Date         `json:"expires_on" field:"readonly,sort" doc:"The last day on which the card is valid."`

	VendorID    *string    `json:"vendor_id" field:"readonly" doc:"The vendor's id of the card."`
	Customer    string     `json:"customer_id" field:"readonly" doc:"The vendor's id of the owner."`
	Reason      string     `json:"reason" field:"readonly" doc:"Why it could not be saved, independent of the vendor."`
	Code        string     `json:"code" field:"readonly" doc:"The vendor's own code."`
	Detail      string     `json:"detail" field:"readonly,nofilter" doc:"The vendor's own text."`
	Explanation string     `json:"explanation" field:"readonly,nofilter" doc:"What the reason means, and what to do."`
	Attempts    int64      `json:"attempts" field:"readonly" doc:"How often the vendor was called."`
	CalledAt    *time.Time `json:"called_at" field:"readonly,nofilter" doc:"When the vendor was last called, or asked."`
	GaveUpAt    *time.Time `json:"gave_up_at" field:"readonly" doc:"When the vendor was asked for the last time, in the state unknown; null while it is still asked."`

	FirstCalledAt *time.Time `json:"-" field:"hidden"`
	Token         string     `json:"-" field:"hidden"` // until the outcome is known
	Verification  string     `json:"-" field:"hidden"`
	Fingerprint   string     `json:"-" field:"hidden"`
}

// TableName implements GORM's naming.
func (Card) TableName() string { return "cards_cards" }

// SchemaName is the name of the body in the OpenAPI document.
func (Card) SchemaName() string { return "CardOnFile" }

// CardLife is the life of cards.
var CardLife = state.Machine[cardsapi.CardState]{
	Item: CardItem, Initial: cardsapi.CardSaving, Final: []cardsapi.CardState{cardsapi.CardRemoved},
	Steps: []state.Step[cardsapi.CardState]{
		{From: []cardsapi.CardState{cardsapi.CardSaving, cardsapi.CardUnknown}, Verb: VerbActivate, To: cardsapi.CardActive, Who: service},
		{From: []cardsapi.CardState{cardsapi.CardSaving, cardsapi.CardUnknown}, Verb: VerbFail, To: cardsapi.CardFailed, Who: service},
		{From: []cardsapi.CardState{cardsapi.CardSaving}, Verb: VerbLose, To: cardsapi.CardUnknown, Who: service},
		{
			From: []cardsapi.CardState{cardsapi.CardSaving, cardsapi.CardActive, cardsapi.CardFailed, cardsapi.CardUnknown},
			Verb: VerbRemove, To: cardsapi.CardRemoved,
		},
	},
}

// CardRules are the rules of the resource of cards.
func CardRules() resource.Rules[Card] {
	return resource.Rules[Card]{
		Item: CardItem, Sort: []string{"-created_at"}, KeepDeleted: true, Own: append([]resource.Verb{VerbRemove}, given...),
		About:    "A card that a vendor keeps, to be charged again.",
		Failures: resource.Failures{NotFound: ErrCard, Invalid: ErrInvalid, Taken: ErrReference},
		Life:     resource.LifeOf(CardLife, func(c *Card) *cardsapi.CardState { return &c.State }),
	}
}

// About is what events say of the card.
func (c Card) About() cardsapi.CardAbout {
	a := cardsapi.CardAbout{Card: c.ID.String(), Reference: c.Reference}
	if c.Owner.UUID != uuid.Nil {
		a.OwnerType, a.Owner = c.Owner.Type, c.Owner.UUID.String()
	}

	return a
}

package store

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// PayLinkItem is the type of pay links as items.
const PayLinkItem = "cards.pay_link"

// PayLink is a row of cards_pay_links: an amount that somebody without an account pays by card.
type PayLink struct {
	resource.Row

	Title     string         `json:"title" field:"readonly,sort,search,title" doc:"What is paid, as the page says it."`
	Message   string         `json:"message" field:"readonly" doc:"What the page says below."`
	Account   uuid.UUID      `json:"account_uuid" gorm:"column:account_id" field:"readonly"`
	Owner     resource.Item  `json:"owner" gorm:"embedded;embeddedPrefix:owner_" field:"fixed" doc:"The item that is paid; null for none. It is the owner of the payments too."`
	Amount    money.Amount   `json:"amount" field:"readonly,sort"`
	Currency  money.Currency `json:"currency" field:"readonly"`
	Payment   *uuid.UUID     `json:"payment_uuid" gorm:"column:payment_id" field:"readonly" doc:"The latest payment by the link; null while nobody has tried."`
	Attempts  int64          `json:"attempts" field:"readonly" doc:"How many payments were begun. There is a next one only after the last has failed."`
	ExpiresAt time.Time      `json:"expires_at" field:"readonly,sort"`
	RevokedAt *time.Time     `json:"revoked_at" field:"readonly"`
}

// TableName implements GORM's naming.
func (PayLink) TableName() string { return "cards_pay_links" }

// SchemaName is the name of the body in the OpenAPI document.
func (PayLink) SchemaName() string { return "CardPayLink" }

// Verbs of pay links.
const (
	VerbPay    resource.Verb = "pay"
	VerbRevoke resource.Verb = "revoke"
)

// PayLinkRules are the rules of the resource of pay links.
func PayLinkRules() resource.Rules[PayLink] {
	return resource.Rules[PayLink]{
		Item: PayLinkItem, Sort: []string{"-created_at"}, KeepDeleted: true, Own: append([]resource.Verb{VerbPay, VerbRevoke}, given...),
		About:    "A link by which somebody without an account pays an amount.",
		Failures: resource.Failures{NotFound: ErrPayLink, Invalid: ErrInvalid},
	}
}

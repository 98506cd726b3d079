package cardsapi

import (
	"context"
	"time"
)

// PayLinks makes links by which people without an account pay an amount by card. It is a port: the area cards provides it, and areas
// that can do without find none where cards is off.
type PayLinks interface {
	// Ask makes a link. Open links for the same, by which nobody has begun to pay, end. Errors: cards.no_account, cards.account_disabled,
	// cards.currency_mismatch, link.invalid.
	Ask(ctx context.Context, l NewPayLink) (PayLink, error)
}

// NewPayLink is a link to make.
type NewPayLink struct {
	// Title is what is paid, Message what the page says below.
	Title, Message string
	// Owner is the item that is paid; the payments and their events have it.
	Owner  Owner
	Amount Money
	// ExpiresAt is when the link ends; the zero time is in 30 days.
	ExpiresAt time.Time
}

// PayLink is a link that was made. Link is its text, which nothing else has; URL is the address of its page.
type PayLink struct {
	UUID, Link, URL string
	ExpiresAt       time.Time
}

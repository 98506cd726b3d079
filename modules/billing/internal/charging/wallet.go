package charging

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Wallet has the cards of companies, which the seller's card account keeps.
type Wallet struct {
	house *books.House
	cards cardsapi.Cards
}

// NewWallet returns a Wallet.
func NewWallet(h *books.House, cards cardsapi.Cards) *Wallet { return &Wallet{house: h, cards: cards} }

// owner is the caller's company as the owner of cards.
func owner(ctx context.Context) cardsapi.Owner {
	return cardsapi.Owner{Type: store.CustomerItem, UUID: principal.CompanyOf(ctx).String()}
}

// Cards returns the cards of the caller's company, the newest first.
func (w *Wallet) Cards(ctx context.Context) ([]cardsapi.Card, error) {
	seller, err := w.house.Seller(ctx)
	if err != nil {
		return nil, err
	}

	return w.cards.CardsOf(seller.AsHouse(ctx), owner(ctx))
}

// Check checks that the caller's company has a card that can be charged, or is being saved. Error: billing.card_not_found.
func (w *Wallet) Check(ctx context.Context, id string) error {
	all, err := w.Cards(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.UUID == id && (one.State == cardsapi.CardActive || one.State == cardsapi.CardSaving) {
			return nil
		}
	}

	return store.ErrCardNotFound
}

// Shown are the cards of the caller's company, as answers show them.
func (w *Wallet) Shown(ctx context.Context) ([]CardBody, error) {
	all, err := w.Cards(ctx)
	shown := make([]CardBody, len(all))
	for i, one := range all {
		shown[i] = showCard(one)
	}

	return shown, err
}

package cards

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// contract implements cardsapi.Cards, cardsapi.Charges and cardsapi.Authorizations.
type contract struct{ orders *payments.Orders }

func newContract(o *payments.Orders) (cardsapi.Cards, cardsapi.Charges, cardsapi.Authorizations) {
	c := contract{orders: o}

	return c, c, c
}

func newReports(n *payments.Notices) cardsapi.Reports { return n }

func newVendorAccounts(a *accounts.Service) cardsapi.VendorAccounts { return a }

// Account implements cardsapi.Cards.
func (c contract) Account(ctx context.Context, id string) (cardsapi.AccountInfo, error) {
	return c.orders.Account(ctx, id)
}

// Save implements cardsapi.Cards.
func (c contract) Save(ctx context.Context, o cardsapi.SaveCard) (cardsapi.Card, error) {
	row, err := c.orders.Save(ctx, o)

	return cardOf(row), err
}

// Remove implements cardsapi.Cards.
func (c contract) Remove(ctx context.Context, card string) error {
	id, err := uuid.Parse(card)
	if err != nil {
		return store.ErrCard
	}
	_, err = c.orders.Remove(ctx, id, web.IfMatch{}, state.Move{})

	return err
}

// CardsOf implements cardsapi.Cards.
func (c contract) CardsOf(ctx context.Context, of cardsapi.Owner) ([]cardsapi.Card, error) {
	rows, err := c.orders.CardsOf(ctx, of)
	all := make([]cardsapi.Card, len(rows))
	for i, row := range rows {
		all[i] = cardOf(row)
	}

	return all, err
}

// Charge implements cardsapi.Charges.
func (c contract) Charge(ctx context.Context, o cardsapi.Charge) (cardsapi.Payment, error) {
	row, err := c.orders.Charge(ctx, o)

	return paymentOf(row), err
}

// Refund implements cardsapi.Charges.
func (c contract) Refund(ctx context.Context, o cardsapi.RefundOrder) (cardsapi.Refund, error) {
	row, err := c.orders.Refund(ctx, o)
	if err != nil {
		return cardsapi.Refund{}, err
	}

	return refundOf(row), nil
}

// Payment implements cardsapi.Charges.
func (c contract) Payment(ctx context.Context, id string) (cardsapi.Payment, error) {
	row, err := c.orders.Payment(ctx, id)

	return paymentOf(row), err
}

// Capture implements cardsapi.Authorizations.
func (c contract) Capture(ctx context.Context, payment string) (cardsapi.Payment, error) {
	return end(ctx, payment, c.orders.Capture)
}

// Cancel implements cardsapi.Authorizations.
func (c contract) Cancel(ctx context.Context, payment string) (cardsapi.Payment, error) {
	return end(ctx, payment, c.orders.Cancel)
}

func end(
	ctx context.Context, payment string, order func(context.Context, uuid.UUID, web.IfMatch) (store.Payment, error),
) (cardsapi.Payment, error) {
	id, err := uuid.Parse(payment)
	if err != nil {
		return cardsapi.Payment{}, store.ErrPayment
	}
	row, err := order(ctx, id, web.IfMatch{})

	return paymentOf(row), err
}

func ownerOf(i resource.Item) cardsapi.Owner {
	if i.UUID == uuid.Nil {
		return cardsapi.Owner{}
	}

	return cardsapi.Owner{Type: i.Type, UUID: i.UUID.String()}
}

func cardOf(row store.Card) cardsapi.Card {
	if row.ID == uuid.Nil {
		return cardsapi.Card{}
	}

	return cardsapi.Card{
		UUID: row.ID.String(), Reference: row.Reference, Owner: ownerOf(row.Owner), State: row.State, Brand: row.Brand, Last4: row.Last4,
		ExpiresOn: string(row.ExpiresOn), Reason: cardsapi.Reason(row.Reason),
	}
}

func refundOf(row store.Refund) cardsapi.Refund {
	return cardsapi.Refund{
		UUID: row.ID.String(), Reference: row.Reference, Payment: row.Payment.String(), State: row.State, Amount: row.Money(),
		Reason: cardsapi.Reason(row.Reason),
	}
}

func paymentOf(row store.Payment) cardsapi.Payment {
	if row.ID == uuid.Nil {
		return cardsapi.Payment{}
	}

	return cardsapi.Payment{
		UUID: row.ID.String(), Reference: row.Reference, Owner: ownerOf(row.Owner), State: row.State, Amount: row.Money(),
		Refunded: row.RefundedUnits(), Disputed: row.DisputedUnits(), Fee: row.FeeUnits(), Reason: cardsapi.Reason(row.Reason), Final: row.Final,
		ActionURL: row.ActionURL, At: row.CreatedAt,
	}
}

package paylinks

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Ask implements cardsapi.PayLinks.
func (d *Desk) Ask(ctx context.Context, l cardsapi.NewPayLink) (made cardsapi.PayLink, err error) {
	owner, err := uuid.Parse(l.Owner.UUID)
	if err != nil {
		return made, store.ErrInvalid.WithField("owner", "The owner must have a type and a UUID.")
	}
	currency := money.Currency(l.Amount.Currency)
	err = d.Book.DB.InTx(ctx, func(ctx context.Context) error {
		open, err := d.Rows.Where(ctx, "owner_type = ? AND owner_id = ? AND title = ? AND payment_id IS NULL AND revoked_at IS NULL", l.Owner.Type, owner, l.Title)
		if err != nil {
			return err
		}
		for _, one := range open {
			if _, err := d.revoke(ctx, one.ID, web.IfMatch{}); err != nil {
				return err
			}
		}
		row, text, err := d.create(ctx, store.PayLink{
			Title: l.Title, Message: l.Message, Owner: resource.Item{Type: l.Owner.Type, UUID: owner}, Amount: store.AmountOf(l.Amount.Units, currency), Currency: currency,
			ExpiresAt: l.ExpiresAt.UTC(),
		})
		made = cardsapi.PayLink{UUID: row.ID.String(), Link: text, URL: d.baseURL + base + "/pay/" + text, ExpiresAt: row.ExpiresAt}

		return err
	})

	return made, err
}

package results

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/billing/internal/books"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/billing/internal/subscriptions"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Cards stores what became of cards.
type Cards struct {
	tables    *store.Tables
	house     *books.House
	companies *identity.Service
	life      *subscriptions.Life
	collector *subscriptions.Collector
}

// NewCards returns Cards.
func NewCards(t *store.Tables, h *books.House, companies *identity.Service, l *subscriptions.Life, c *subscriptions.Collector) *Cards {
	return &Cards{tables: t, house: h, companies: companies, life: l, collector: c}
}

// OnCardSaved charges the open invoices that wait for a card.
func (r *Cards) OnCardSaved(ctx context.Context, e cardsapi.CardSavedEvent) error {
	return r.card(ctx, e.CardAbout, func(ctx context.Context, sub *store.Subscription) error { return r.collector.Collect(ctx, sub, true) })
}

// OnCardFailed removes a card that the vendor did not keep.
func (r *Cards) OnCardFailed(ctx context.Context, e cardsapi.CardFailedEvent) error {
	return r.drop(ctx, e.CardAbout)
}

// OnCardRemoved removes a card that can no longer be charged.
func (r *Cards) OnCardRemoved(ctx context.Context, e cardsapi.CardRemovedEvent) error {
	return r.drop(ctx, e.CardAbout)
}

func (r *Cards) drop(ctx context.Context, about cardsapi.CardAbout) error {
	return r.card(ctx, about, func(_ context.Context, sub *store.Subscription) error {
		sub.Card = ""

		return nil
	})
}

// card changes the subscription that is paid with a card. It compares the card once the subscription is held: whoever chooses the card
// meanwhile has looked before it was saved, and leaves it to this to go on.
func (r *Cards) card(ctx context.Context, about cardsapi.CardAbout, do func(ctx context.Context, sub *store.Subscription) error) error {
	as, ours, err := r.house.Customer(ctx, about.OwnerType, about.Owner)
	if err != nil || !ours {
		return err
	}
	change := func(ctx context.Context) error {
		sub, err := r.tables.Current(ctx)
		if err != nil {
			return err
		}
		_, err = r.life.Change(ctx, sub.ID, web.IfMatch{}, resource.Update, func(ctx context.Context, sub *store.Subscription) error {
			if string(sub.Card) != about.Card {
				return nil
			}

			return do(ctx, sub)
		})

		return err
	}
	if err = change(as); errs.KindOf(err) != errs.NotFound {
		return err
	}
	// The company may be about to subscribe with the card, which was not saved when it looked.
	err = r.tables.DB.InTx(as, func(ctx context.Context) error {
		if err := r.companies.Hold(ctx, principal.CompanyOf(ctx)); err != nil {
			return err
		}

		return change(ctx)
	})
	if errs.KindOf(err) == errs.NotFound {
		return nil
	}

	return err
}

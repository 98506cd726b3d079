package payments

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/state"
)

// SaveJob is the job that has a vendor keep a card.
type SaveJob struct {
	Card uuid.UUID `json:"card"`
}

// Kind implements jobs.Args.
func (SaveJob) Kind() string { return "cards.save_card" }

// RemoveJob is the job that has a vendor forget a card.
type RemoveJob struct {
	Card uuid.UUID `json:"card"`
}

// Kind implements jobs.Args.
func (RemoveJob) Kind() string { return "cards.remove_card" }

// Keeper has vendors keep and forget cards.
type Keeper struct {
	book    *Book
	vendors *accounts.Vendors
	bus     *events.Bus
	queue   *jobs.Queue
	flow    handover.Flow[cardsapi.Reason, saveCall, cardsapi.VendorCard]
}

// NewKeeper returns a Keeper.
func NewKeeper(b *Book, v *accounts.Vendors, bus *events.Bus, q *jobs.Queue, s settings.Settings) *Keeper {
	k := &Keeper{book: b, vendors: v, bus: bus, queue: q}
	k.flow = handover.Flow[cardsapi.Reason, saveCall, cardsapi.VendorCard]{
		DB: b.DB, Call: k.call, Find: k.find, Finish: k.finish,
		Policy: func(c saveCall) handover.Policy {
			p := policy(s, cardsapi.Capabilities{DedupesFor: c.open.Can.DedupesFor}) // cards cannot be searched
			p.Timeout = s.CallTimeout

			return p
		},
		Failed: func(ctx context.Context, c saveCall, err error) error { return v.NoteAuthFailure(ctx, c.open.Row, err) },
	}

	return k
}

type saveCall struct {
	card   store.Card
	open   accounts.Open
	repeat bool
}

// Save does the job.
func (s *Keeper) Save(ctx context.Context, args SaveJob) error {
	row, err := s.book.Cards.Find(ctx, args.Card)
	if err != nil {
		return err
	}
	open, err := s.vendors.OpenByID(ctx, row.Account)
	if err != nil {
		return err
	}
	customer, err := s.customerOf(ctx, row)
	if err != nil {
		return err
	}
	c, called, wait := (*saveCall)(nil), false, time.Duration(0)
	err = s.book.DB.InTx(ctx, func(ctx context.Context) error {
		c, called, wait = nil, false, 0
		_, err := s.book.changeCard(ctx, row.ID, store.VerbCall, func(_ context.Context, k *store.Card) error {
			if !saving(*k) {
				return nil
			}
			now := s.book.now()
			if called = k.CalledAt != nil; called {
				if wait = s.flow.Policy(saveCall{open: open}).InFlight(*k.CalledAt, now); wait > 0 {
					return nil
				}
			} else {
				k.Attempts, k.Customer = k.Attempts+1, customer
			}
			if k.CalledAt = &now; k.FirstCalledAt == nil {
				k.FirstCalledAt = &now
			}
			c = &saveCall{card: *k, open: open, repeat: called}

			return nil
		})

		return err
	})
	if err != nil || c == nil {
		return handover.RetryAfter(wait, err)
	}

	return s.flow.Run(ctx, *c, called)
}

// saving reports whether the outcome of saving a card is open.
func saving(c store.Card) bool {
	return c.State == cardsapi.CardSaving || c.State == cardsapi.CardUnknown && c.GaveUpAt == nil
}

// customerOf is the vendor's id of the owner of a card, "" for an owner without a card so far.
func (s *Keeper) customerOf(ctx context.Context, row store.Card) (string, error) {
	if row.Customer != "" || row.Owner.UUID == uuid.Nil {
		return row.Customer, nil
	}
	known, err := first(s.book.Cards.Where(ctx, "account_id = ? AND owner_type = ? AND owner_id = ? AND customer <> '' AND vendor_id IS NOT NULL",
		row.Account, row.Owner.Type, row.Owner.UUID))
	if err != nil || known == nil {
		return "", err
	}

	return known.Customer, nil
}

func (s *Keeper) call(ctx context.Context, c saveCall) (cardsapi.VendorCard, error) {
	k := c.card
	order := cardsapi.VendorCardOrder{
		Reference: k.ID.String(), Customer: k.Customer, OwnerName: k.OwnerName, OwnerEmail: k.OwnerEmail,
		Token: cardsapi.Token{ID: k.Token, Verification: k.Verification}, PostalCode: k.PostalCode, AskedBefore: c.repeat,
	}
	if k.Owner.UUID != uuid.Nil {
		order.OwnerRef = k.Owner.UUID.String()
	}

	return accounts.Convert(c.open.SaveCard(ctx, order))
}

type cardResult = handover.Result[cardsapi.Reason, cardsapi.VendorCard]

func (s *Keeper) find(ctx context.Context, c saveCall) (cardResult, error) {
	if c.open.Can.DedupesFor == 0 {
		return handover.SearchResult[cardsapi.Reason, cardsapi.VendorCard](nil, false), nil
	}

	return repeatResult(s.call(ctx, c)), nil
}

// finish stores what came of a call. A card that was removed meanwhile is removed at the vendor too.
func (s *Keeper) finish(ctx context.Context, c saveCall, r cardResult) (wait time.Duration, err error) {
	_, err = s.book.changeCard(ctx, c.card.ID, store.VerbFinish, func(ctx context.Context, k *store.Card) error {
		if r.Err == nil {
			return s.keep(ctx, k, r.Answer)
		}
		if !saving(*k) {
			return nil
		}
		var step handover.Step
		step, wait = r.Next(s.flow.Policy(c), k.Attempts, s.book.now().Sub(*k.FirstCalledAt))
		switch step { //nolint:exhaustive // Accept was before
		case handover.Retry:
			k.CalledAt = nil

			return nil
		case handover.Refuse:
			k.Token, k.Verification = "", ""
			setCardFailure(k, failureOf(r.Err, c.open.Explain))
			if err := s.book.Cards.Step(ctx, k, state.Move{Verb: store.VerbFail, Reason: k.Reason}); err != nil {
				return err
			}

			return s.bus.Publish(ctx, cardsapi.CardFailedEvent{CardAbout: k.About(), Reason: r.Err.Reason})
		case handover.GiveUp:
			now := s.book.now()
			k.GaveUpAt = &now
		}
		if k.State != cardsapi.CardSaving {
			return nil
		}

		return s.book.Cards.Step(ctx, k, state.Move{Verb: store.VerbLose, Reason: string(r.Err.Reason)})
	})

	return wait, err
}

func (s *Keeper) keep(ctx context.Context, k *store.Card, v cardsapi.VendorCard) error {
	k.VendorID, k.Customer, k.Brand, k.Last4 = &v.ID, v.Customer, clip(v.Brand), clip(v.Last4)
	k.ExpiresOn, k.Token, k.Verification, k.GaveUpAt = field.Date(lastDay(v.Year, v.Month)), "", "", nil
	switch {
	case k.State == cardsapi.CardRemoved:
		return s.queue.Enqueue(ctx, RemoveJob{Card: k.ID})
	case !saving(*k):
		return nil
	}
	setCardFailure(k, failure{})
	if err := s.book.Cards.Step(ctx, k, state.Move{Verb: store.VerbActivate}); err != nil {
		return err
	}

	return s.bus.Publish(ctx, cardsapi.CardSavedEvent{CardAbout: k.About()})
}

// Remove does the job. It may run twice: removing what is not there changes nothing.
func (s *Keeper) Remove(ctx context.Context, args RemoveJob) error {
	row, err := s.book.Cards.Find(ctx, args.Card)
	if err != nil || row.VendorID == nil {
		return err
	}
	open, err := s.vendors.OpenByID(ctx, row.Account)
	if err != nil {
		return err
	}
	calling, cancel := s.vendors.Context(ctx)
	defer cancel()
	err = open.RemoveCard(calling, *row.VendorID)
	if failure, ok := errors.AsType[*cardsapi.VendorError](err); ok {
		if failure.Reason == cardsapi.NotFound {
			return nil
		}
		if failure.NotDone && !failure.Retryable {
			return jobs.Permanent(err)
		}
	}

	return err
}

// renewCard has a saved card be as the vendor has it now.
func renewCard(k *store.Card, v cardsapi.VendorCard) {
	if v.Brand != "" {
		k.Brand = clip(v.Brand)
	}
	if v.Last4 != "" {
		k.Last4 = clip(v.Last4)
	}
	if v.Year > 0 && v.Month > 0 {
		k.ExpiresOn = field.Date(lastDay(v.Year, v.Month))
	}
}

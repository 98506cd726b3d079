package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/cardnumber"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Orders takes orders: it stores them with the job that carries them out.
type Orders struct {
	book    *Book
	vendors *accounts.Vendors
	bus     *events.Bus
	queue   *jobs.Queue
}

// NewOrders returns Orders.
func NewOrders(b *Book, v *accounts.Vendors, bus *events.Bus, q *jobs.Queue) *Orders {
	return &Orders{book: b, vendors: v, bus: bus, queue: q}
}

// Lengths of what callers send, in characters.
const (
	longestReference = 200
	longestNote      = 500
	longestStatement = 20
	longestToken     = 500
	longestName      = 200
)

// fields collects what is wrong with an order.
type fields struct{ wrong *errs.Error }

func (f *fields) require(fine bool, field, message string) {
	if fine {
		return
	}
	if f.wrong == nil {
		f.wrong = store.ErrInvalid
	}
	f.wrong = f.wrong.WithField(field, message)
}

func (f *fields) text(field, text string, longest int, required bool) {
	f.require(utf8.RuneCountInString(text) <= longest, field, fmt.Sprintf("The %s must have at most %d characters.", field, longest))
	f.require(!required || text != "", field, "The "+field+" is required.")
	f.require(!cardnumber.In([]byte(text)), field, "The "+field+" contains what looks like a card number. Remove it.")
}

func (f *fields) err() error {
	if f.wrong == nil {
		return nil
	}

	return f.wrong
}

// parseOwner reads an owner; "" is none.
func parseOwner(o cardsapi.Owner) (resource.Item, error) {
	if o == (cardsapi.Owner{}) {
		return resource.Item{}, nil
	}
	id, err := uuid.Parse(o.UUID)
	if err != nil || o.Type == "" {
		return resource.Item{}, store.ErrInvalid.WithField("owner", "The owner must have a type and a UUID.")
	}

	return resource.Item{Type: o.Type, UUID: id}, nil
}

// parseID reads an id of the contract; "" is none.
func parseID(text string, none error) (uuid.UUID, error) {
	if text == "" {
		return uuid.Nil, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, none
	}

	return id, nil
}

// ready returns an account that can be charged with.
func (s *Orders) ready(ctx context.Context, id uuid.UUID) (accounts.Open, error) {
	row, err := s.vendors.Accounts.Ready(ctx, id)
	if err != nil {
		return accounts.Open{}, err
	}
	open, err := s.vendors.Open(ctx, row)

	return open, accounts.CallerError(err)
}

// Account returns an account that can be charged with.
func (s *Orders) Account(ctx context.Context, id string) (cardsapi.AccountInfo, error) {
	parsed, err := parseID(id, store.ErrAccount)
	if err != nil {
		return cardsapi.AccountInfo{}, err
	}
	open, err := s.ready(ctx, parsed)
	if err != nil {
		return cardsapi.AccountInfo{}, err
	}

	return cardsapi.AccountInfo{UUID: open.Row.ID.String(), Vendor: open.Row.Provider, Page: open.Page()}, nil
}

// once stores an order in a transaction. Of two with the same reference at a time, the second is done again, and finds the first.
func (s *Orders) once(ctx context.Context, do func(context.Context) error) error {
	return s.book.DB.InTx(ctx, func(ctx context.Context) error {
		err := s.book.DB.Savepoint(ctx, do)
		if err = database.DuplicateAs(err, store.ErrReference); errors.Is(err, store.ErrReference) {
			err = s.book.DB.Savepoint(ctx, do)
		}

		return database.DuplicateAs(err, store.ErrReference)
	})
}

// Charge stores a payment, and has the card charged. The same reference again returns the first payment.
func (s *Orders) Charge(ctx context.Context, o cardsapi.Charge) (row store.Payment, err error) {
	row, err = s.newPayment(o)
	if err != nil {
		return row, err
	}
	order := row
	err = s.once(ctx, func(ctx context.Context) error {
		row = order
		known, err := first(s.book.Payments.Where(ctx, "reference = ?", o.Reference))
		if err != nil {
			return err
		}
		if known != nil {
			return repeated(known.Fingerprint, row.Fingerprint, func() { row = *known })
		}
		if row.Card != nil {
			if err := s.useCard(ctx, &row); err != nil {
				return err
			}
		}
		open, err := s.ready(ctx, row.Account)
		if err != nil {
			return err
		}
		row.Account = open.Row.ID
		if open.Can.Currencies != nil && !slices.Contains(open.Can.Currencies, string(row.Currency)) {
			return store.ErrCurrency.WithField("currency", fmt.Sprintf("The account does not charge in %s.", row.Currency))
		}
		if row.Authorize && !open.Can.Capture {
			return store.ErrNoCapture
		}
		if row, err = s.book.Payments.Create(ctx, row); err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, ChargeJob{Payment: row.ID})
	})

	return row, err
}

// repeated takes what is known of a reference, unless the order is another one.
func repeated(known, asked string, take func()) error {
	if known != asked {
		return store.ErrReference
	}
	take()

	return nil
}

// newPayment is the row of an order, without its account.
func (s *Orders) newPayment(o cardsapi.Charge) (row store.Payment, err error) {
	var f fields
	f.text("reference", o.Reference, longestReference, true)
	f.text("note", o.Note, longestNote, false)
	f.text("statement", o.Statement, longestStatement, false)
	f.text("token", o.Token.ID, longestToken, o.Card == "")
	f.text("verification", o.Token.Verification, longestToken, false)
	f.require(o.Card == "" || o.Token == (cardsapi.Token{}), "token", "Send either card_uuid or token, not both.")
	if err := f.err(); err != nil {
		return row, err
	}
	row = store.Payment{
		Reference: o.Reference, Note: o.Note, Statement: o.Statement, Authorize: o.Authorize, Present: o.Present,
		Token: o.Token.ID, Verification: o.Token.Verification,
	}
	if row.Amount, row.Currency, err = amountOf(o.Amount); err != nil {
		return row, err
	}
	row.Refunded, row.Disputed = store.AmountOf(0, row.Currency), store.AmountOf(0, row.Currency)
	if row.Owner, err = parseOwner(o.Owner); err != nil {
		return row, err
	}
	if row.Account, err = parseID(o.Account, store.ErrAccount); err != nil {
		return row, err
	}
	card, err := parseID(o.Card, store.ErrCard)
	if err != nil {
		return row, err
	}
	if card != uuid.Nil {
		row.Card = &card
	}
	row.Fingerprint, err = fingerprint(o)

	return row, err
}

// useCard takes the account of the card that is charged.
func (s *Orders) useCard(ctx context.Context, row *store.Payment) error {
	card, err := s.book.Cards.Find(ctx, *row.Card)
	if err != nil {
		return err
	}
	if card.State != cardsapi.CardActive {
		return store.ErrCardState.WithDetail("state", string(card.State))
	}
	if row.Account != uuid.Nil && row.Account != card.Account {
		return store.ErrCardAccount
	}
	row.Account = card.Account

	return nil
}

// end orders the end of an authorized payment.
func (s *Orders) end(ctx context.Context, id uuid.UUID, match web.IfMatch, order string) (row store.Payment, err error) {
	err = s.book.DB.InTx(ctx, func(ctx context.Context) error {
		row, err = s.book.Payments.Change(ctx, id, match, store.VerbOrder, func(_ context.Context, p *store.Payment) error {
			confirming := p.State == cardsapi.PaymentAction && order == orderCancel && p.VendorID != nil
			if p.Ordered != "" || p.State != cardsapi.PaymentAuthorized && !confirming {
				return store.ErrNotAuthorized.WithDetail("state", string(p.State))
			}
			p.Ordered, p.CalledAt, p.FirstCalledAt, p.Attempts = order, nil, nil, 0
			setPaymentFailure(p, failure{})

			return nil
		})
		if err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, EndJob{Payment: id})
	})

	return row, err
}

// What can be ordered for an authorized payment.
const (
	orderCapture = "capture"
	orderCancel  = "cancel"
)

// Capture has the vendor take the amount of an authorized payment.
func (s *Orders) Capture(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Payment, error) {
	return s.end(ctx, id, match, orderCapture)
}

// Cancel has the vendor release the amount of an authorized payment, or of one that the cardholder has not confirmed.
func (s *Orders) Cancel(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Payment, error) {
	return s.end(ctx, id, match, orderCancel)
}

// AskAgain has the vendor asked once more about a payment whose outcome is unknown.
func (s *Orders) AskAgain(ctx context.Context, id uuid.UUID, match web.IfMatch) (row store.Payment, err error) {
	err = s.book.DB.InTx(ctx, func(ctx context.Context) error {
		row, err = s.book.Payments.Change(ctx, id, match, "ask_again", func(_ context.Context, p *store.Payment) error {
			if p.State != cardsapi.PaymentUnknown || p.GaveUpAt == nil {
				return store.ErrNotUnknown.WithDetail("state", string(p.State))
			}
			p.GaveUpAt = nil

			return nil
		})
		if err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, ChargeJob{Payment: id})
	})

	return row, err
}

// GiveUp ends a payment whose outcome is unknown as failed: somebody has looked at the vendor. If the vendor reports it as captured
// later, it is captured.
func (s *Orders) GiveUp(ctx context.Context, id uuid.UUID, match web.IfMatch, move state.Move) (row store.Payment, err error) {
	err = s.book.DB.InTx(ctx, func(ctx context.Context) error {
		row, err = s.book.Payments.Change(ctx, id, match, store.VerbGiveUp, func(ctx context.Context, p *store.Payment) error {
			if p.State == cardsapi.PaymentUnknown && p.GaveUpAt == nil {
				return store.ErrNotUnknown.WithMessage("The vendor is still being asked. Wait for the outcome.").WithDetail("state", string(p.State))
			}
			if err := s.book.Payments.Step(ctx, p, move); err != nil {
				return err
			}
			p.Token, p.Verification = "", ""

			return nil
		})
		if err != nil {
			return err
		}

		return s.bus.Publish(ctx, cardsapi.PaymentFailedEvent{PaymentAbout: row.About(), Reason: cardsapi.Reason(row.Reason)})
	})

	return row, err
}

// Refund stores a refund, and has it given. Of two at a time that are too much together, one is refused.
func (s *Orders) Refund(ctx context.Context, o cardsapi.RefundOrder) (row store.Refund, err error) {
	var f fields
	f.text("reference", o.Reference, longestReference, true)
	f.text("note", o.Reason, longestNote, false)
	f.require(o.Units >= 0, "amount", "The amount must be more than 0.")
	if err := f.err(); err != nil {
		return row, err
	}
	id, err := uuid.Parse(o.Payment)
	if err != nil {
		return row, store.ErrPayment
	}
	mark, err := fingerprint(o)
	if err != nil {
		return row, err
	}
	err = s.once(ctx, func(ctx context.Context) error {
		if err := s.book.Payments.Hold(ctx, id); err != nil {
			return err
		}
		// Only who holds the payment knows that no other one with this reference is being stored, which would leave nothing to refund.
		known, err := first(s.book.Refunds.Where(ctx, "reference = ?", o.Reference))
		if err != nil {
			return err
		}
		if known != nil {
			return repeated(known.Fingerprint, mark, func() { row = *known })
		}
		of, err := s.book.Payments.Find(ctx, id)
		if err != nil {
			return err
		}
		most, err := s.refundable(ctx, of)
		if err != nil {
			return err
		}
		units := o.Units
		if units == 0 {
			units = most
		}
		if units > most || most == 0 {
			return store.ErrNotRefundable.WithMessage("The payment is %s; %s %s can be refunded.", of.State, store.AmountOf(most, of.Currency), of.Currency).
				WithDetail("max", string(store.AmountOf(most, of.Currency)))
		}
		row, err = s.book.Refunds.Create(ctx, store.Refund{
			Payment: of.ID, Account: of.Account, Reference: o.Reference, Amount: store.AmountOf(units, of.Currency), Currency: of.Currency,
			Note: o.Reason, Fingerprint: mark,
		})
		if err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, RefundJob{Refund: row.ID})
	})

	return row, err
}

// refundable is how much of a payment that is held can still be refunded.
func (s *Orders) refundable(ctx context.Context, of store.Payment) (int64, error) {
	if of.State != cardsapi.PaymentCaptured {
		return 0, nil
	}
	refunds, err := s.book.Refunds.Where(ctx, "payment_id = ?", of.ID)
	most := of.Units() - of.DisputedUnits()
	for _, r := range refunds {
		if r.Reserves() {
			most -= r.Units()
		}
	}

	return max(0, most), err
}

// Save stores a card, and has the vendor keep it.
func (s *Orders) Save(ctx context.Context, o cardsapi.SaveCard) (row store.Card, err error) {
	var f fields
	f.text("reference", o.Reference, longestReference, true)
	f.text("name", o.Name, longestName, false)
	f.text("email", o.Email, longestName, false)
	f.text("customer", o.Customer, longestName, false)
	f.text("postal_code", o.PostalCode, longestStatement, false)
	f.text("token", o.Token.ID, longestToken, true)
	f.text("verification", o.Token.Verification, longestToken, false)
	if err := f.err(); err != nil {
		return row, err
	}
	row = store.Card{
		Reference: o.Reference, Customer: o.Customer, OwnerName: o.Name, OwnerEmail: o.Email, PostalCode: o.PostalCode, Token: o.Token.ID, Verification: o.Token.Verification,
	}
	if row.Owner, err = parseOwner(o.Owner); err != nil {
		return row, err
	}
	account, err := parseID(o.Account, store.ErrAccount)
	if err != nil {
		return row, err
	}
	if row.Fingerprint, err = fingerprint(o); err != nil {
		return row, err
	}
	order := row
	err = s.once(ctx, func(ctx context.Context) error {
		row = order
		known, err := first(s.book.Cards.Where(ctx, "reference = ?", o.Reference))
		if err != nil {
			return err
		}
		if known != nil {
			return repeated(known.Fingerprint, row.Fingerprint, func() { row = *known })
		}
		open, err := s.ready(ctx, account)
		if err != nil {
			return err
		}
		row.Account = open.Row.ID
		if row, err = s.book.Cards.Create(ctx, row); err != nil {
			return err
		}

		return s.queue.Enqueue(ctx, SaveJob{Card: row.ID})
	})

	return row, err
}

// Remove removes a card, and has the vendor forget it.
func (s *Orders) Remove(ctx context.Context, id uuid.UUID, match web.IfMatch, move state.Move) (row store.Card, err error) {
	move.Verb, move.UUID = store.VerbRemove, id
	err = s.book.DB.InTx(ctx, func(ctx context.Context) error {
		row, err = s.book.Cards.Change(ctx, id, match, store.VerbRemove, func(ctx context.Context, c *store.Card) error {
			return s.book.Cards.Step(ctx, c, move)
		})
		if err != nil {
			return err
		}
		if row.VendorID != nil {
			if err := s.queue.Enqueue(ctx, RemoveJob{Card: id}); err != nil {
				return err
			}
		}

		return s.bus.Publish(ctx, cardsapi.CardRemovedEvent{CardAbout: row.About()})
	})

	return row, err
}

// CardsOf returns the cards of an owner that are not removed, the newest first.
func (s *Orders) CardsOf(ctx context.Context, of cardsapi.Owner) ([]store.Card, error) {
	owner, err := parseOwner(of)
	if err != nil {
		return nil, err
	}
	if owner == (resource.Item{}) {
		return nil, store.ErrInvalid.WithField("owner", "The owner is required.")
	}
	rows, err := s.book.Cards.Where(ctx, "owner_type = ? AND owner_id = ? AND state <> ?", owner.Type, owner.UUID, string(cardsapi.CardRemoved))
	slices.SortFunc(rows, func(a, b store.Card) int { return b.CreatedAt.Compare(a.CreatedAt) })

	return rows, err
}

// Payment returns a payment.
func (s *Orders) Payment(ctx context.Context, id string) (store.Payment, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return store.Payment{}, store.ErrPayment
	}

	return s.book.Payments.Find(ctx, parsed)
}

// isGone reports whether a row that a job is about is no longer there.
func isGone(err error) bool {
	return errors.Is(err, store.ErrPayment) || errors.Is(err, store.ErrRefund) || errors.Is(err, store.ErrCard)
}

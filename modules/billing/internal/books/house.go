// Package books keeps the seller's side of what companies owe: its ledger, and its series of numbers.
package books

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/catalogue"
	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/ledger"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// The series of numbers, which are the seller's.
const (
	InvoiceSeries = "billing.invoice"
	CreditSeries  = "billing.credit_note"
)

// House is the seller's side of what companies owe: who sells, its ledger, and its series of numbers.
type House struct {
	sellers *catalogue.Sellers
	books   *ledger.Ledger
	numbers *numbering.Numbers
}

// NewHouse returns a House.
func NewHouse(s *catalogue.Sellers, books *ledger.Ledger, numbers *numbering.Numbers) *House {
	return &House{sellers: s, books: books, numbers: numbers}
}

// Seller returns who sells. Error: ErrNoSeller.
func (h *House) Seller(ctx context.Context) (store.Seller, error) { return h.sellers.Required(ctx) }

// Number returns the next number of a series of the seller.
func (h *House) Number(ctx context.Context, s store.Seller, series string) (string, error) {
	return h.numbers.Next(s.AsHouse(ctx), series)
}

// Customer returns a context in which the service acts for the owner of a payment, false if the event is not the seller's.
func (h *House) Customer(ctx context.Context, ownerType, owner string) (context.Context, bool, error) {
	seller, err := h.Seller(ctx)
	if errs.KindOf(err) == errs.Conflict {
		return ctx, false, nil
	}
	company, invalid := uuid.Parse(owner)
	if err != nil || invalid != nil || ownerType != store.CustomerItem || principal.CompanyOf(ctx) != seller.House {
		return ctx, false, err
	}

	return principal.AsCompany(ctx, company), true, nil
}

// Entry is a transaction of the seller's ledger about the caller's company.
type Entry struct {
	Reference, Kind string
	Source          item.Ref
	Postings        []ledger.Posting
}

// Post posts an entry to the seller's ledger, in the caller's transaction. Postings of nothing are left out.
func (h *House) Post(ctx context.Context, seller store.Seller, e Entry) error {
	var postings []ledger.Posting
	for _, p := range e.Postings {
		if p.Amount.Sign() != 0 {
			postings = append(postings, p)
		}
	}
	if len(postings) == 0 {
		return nil
	}
	_, err := h.books.Post(seller.AsHouse(ctx), ledger.Transaction{Reference: e.Reference, Kind: e.Kind, Source: e.Source, Postings: postings})

	return err
}

// PostDispute posts that the vendor took a disputed amount, and where it went; no account while that is undecided. Events may come in any
// order: the amount is the one of the first.
func (h *House) PostDispute(ctx context.Context, source item.Ref, of cardsapi.DisputeAbout, amount money.Money, to ledger.Account) error {
	seller, err := h.Seller(ctx)
	if err != nil {
		return err
	}
	reference := "billing.dispute:" + of.Dispute
	err = h.Post(ctx, seller, Entry{
		Reference: reference + ":opened", Kind: "billing_dispute", Source: source,
		Postings: []ledger.Posting{ledger.Debit(DisputedAccount, amount), ledger.Credit(CardAccount, amount)},
	})
	if to.Code == "" || err != nil && !errors.Is(err, ledger.ErrReferenceConflict) {
		return err
	}

	from, decision := DisputedAccount, reference+":decided"
	switch of.Was { // another decision took the amount out of the disputed ones before
	case "lost":
		from, decision = ChargebackAccount, fmt.Sprintf("%s:%d", decision, of.Version)
	case "won":
		from, decision = CardAccount, fmt.Sprintf("%s:%d", decision, of.Version)
	}

	return h.Post(ctx, seller, Entry{
		Reference: decision, Kind: "billing_dispute_decided", Source: source,
		Postings: []ledger.Posting{ledger.Debit(to, amount), ledger.Credit(from, amount)},
	})
}

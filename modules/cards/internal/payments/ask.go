package payments

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
)

// AskJob is the job that asks a vendor about a payment or a refund without a recent report.
type AskJob struct {
	Payment uuid.UUID `json:"payment,omitzero"`
	Refund  uuid.UUID `json:"refund,omitzero"`
}

// Kind implements jobs.Args.
func (AskJob) Kind() string { return "cards.ask" }

// Asker asks vendors for reports that did not come.
type Asker struct {
	book    *Book
	vendors *accounts.Vendors
	reports *Reports
}

// NewAsker returns an Asker.
func NewAsker(b *Book, v *accounts.Vendors, reports *Reports) *Asker {
	return &Asker{book: b, vendors: v, reports: reports}
}

// Ask does the job.
func (s *Asker) Ask(ctx context.Context, args AskJob) error {
	if args.Refund != uuid.Nil {
		return s.askRefund(ctx, args.Refund)
	}
	row, err := s.book.Payments.Find(ctx, args.Payment)
	if err != nil || row.VendorID == nil {
		return err
	}
	open, err := s.vendors.OpenByID(ctx, row.Account)
	if err != nil {
		return err
	}
	calling, cancel := s.vendors.Context(ctx)
	defer cancel()
	found, err := open.Payment(calling, *row.VendorID)
	if err != nil {
		return unlessNotFound(err)
	}
	_, err = s.book.changePayment(ctx, row.ID, store.VerbReport, func(ctx context.Context, p *store.Payment) error {
		return s.reports.applyPayment(ctx, p, found, open.Explain)
	})

	return err
}

func (s *Asker) askRefund(ctx context.Context, id uuid.UUID) error {
	row, err := s.book.Refunds.Find(ctx, id)
	if err != nil || row.VendorID == nil {
		return err
	}
	open, err := s.vendors.OpenByID(ctx, row.Account)
	if err != nil {
		return err
	}
	calling, cancel := s.vendors.Context(ctx)
	defer cancel()
	found, err := open.ReadRefund(calling, *row.VendorID)
	if err != nil {
		return unlessNotFound(err)
	}

	return s.reports.applyRefund(ctx, row.Payment, row.ID, found, open.Explain)
}

// unlessNotFound is an error, but nil for what the vendor does not know: reconciliations find that.
func unlessNotFound(err error) error {
	if failure, ok := errors.AsType[*cardsapi.VendorError](err); ok && failure.Reason == cardsapi.NotFound {
		return nil
	}

	return err
}

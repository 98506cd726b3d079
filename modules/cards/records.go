package cards

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/payments"
	"github.com/dispatchd/dispatchd/modules/cards/internal/reconcile"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
)

// records implements cardsapi.CardRecords, cardsapi.PaymentRecords and cardsapi.Reconciler.
type records struct {
	book    *payments.Book
	store   *store.Repository
	compare *reconcile.Service
}

func newRecords(b *payments.Book, r *store.Repository, c *reconcile.Service) (cardsapi.CardRecords, cardsapi.PaymentRecords, cardsapi.Reconciler) {
	all := records{book: b, store: r, compare: c}

	return all, all, all
}

// accountsAt are the ids of the company's accounts at a vendor.
func (r records) accountsAt(ctx context.Context, vendor string) ([]uuid.UUID, error) {
	rows, err := r.store.AccountsAt(ctx, vendor)
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}

	return ids, err
}

// found returns a row at a vendor by our id or by the vendor's.
func found[R any](
	ctx context.Context, r records, vendor, id string, none error, accountOf func(R) uuid.UUID,
	find func(context.Context, uuid.UUID) (R, error), where func(ctx context.Context, where string, args ...any) ([]R, error),
) (row R, err error) {
	ids, err := r.accountsAt(ctx, vendor)
	if err != nil {
		return row, err
	}
	if len(ids) == 0 {
		return row, none
	}
	if ours, bad := uuid.Parse(id); bad == nil {
		if row, err = find(ctx, ours); err == nil && !slices.Contains(ids, accountOf(row)) {
			err = none
		}

		return row, err
	}
	rows, err := where(ctx, "vendor_id = ? AND account_id IN ?", id, ids)
	if err == nil && len(rows) == 0 {
		err = none
	}
	if err != nil {
		return row, err
	}

	return rows[0], nil
}

// Card implements cardsapi.CardRecords.
func (r records) Card(ctx context.Context, vendor, id string) (cardsapi.CardRecord, error) {
	row, err := found(ctx, r, vendor, id, store.ErrCard, func(c store.Card) uuid.UUID { return c.Account }, r.book.Cards.Find, r.book.Cards.Where)
	if err != nil {
		return cardsapi.CardRecord{}, err
	}

	return cardRecordOf(row), nil
}

// Payment implements cardsapi.PaymentRecords.
func (r records) Payment(ctx context.Context, vendor, id string) (cardsapi.PaymentRecord, error) {
	row, err := found(ctx, r, vendor, id, store.ErrPayment, func(p store.Payment) uuid.UUID { return p.Account }, r.book.Payments.Find, r.book.Payments.Where)
	if err != nil {
		return cardsapi.PaymentRecord{}, err
	}

	return paymentRecordOf(row), nil
}

// Refund implements cardsapi.PaymentRecords.
func (r records) Refund(ctx context.Context, vendor, id string) (cardsapi.RefundRecord, error) {
	row, err := found(ctx, r, vendor, id, store.ErrRefund, func(f store.Refund) uuid.UUID { return f.Account }, r.book.Refunds.Find, r.book.Refunds.Where)
	if err != nil {
		return cardsapi.RefundRecord{}, err
	}

	return cardsapi.RefundRecord{
		Refund: refundOf(row), Account: row.Account.String(), VendorID: value(row.VendorID), VendorStatus: row.VendorStatus, Code: row.Code, Detail: row.Detail,
		Explanation: row.Explanation, Note: row.Note, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}, nil
}

// Payments implements cardsapi.PaymentRecords.
func (r records) Payments(ctx context.Context, vendor, after string, most int) ([]cardsapi.PaymentRecord, error) {
	return recordsAfter(ctx, r, vendor, after, most, store.ErrPayment, r.store.PaymentsAfter, paymentRecordOf)
}

// Cards implements cardsapi.CardRecords.
func (r records) Cards(ctx context.Context, vendor, after string, most int) ([]cardsapi.CardRecord, error) {
	return recordsAfter(ctx, r, vendor, after, most, store.ErrCard, r.store.CardsAfter, cardRecordOf)
}

func recordsAfter[R, B any](
	ctx context.Context, r records, vendor, after string, most int, none error,
	read func(ctx context.Context, accounts []uuid.UUID, after uuid.UUID, most int) ([]R, error), record func(R) B,
) ([]B, error) {
	last := uuid.Nil
	if after != "" {
		var err error
		if last, err = uuid.Parse(after); err != nil {
			return nil, none
		}
	}
	ids, err := r.accountsAt(ctx, vendor)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	rows, err := read(ctx, ids, last, most)
	all := make([]B, len(rows))
	for i, row := range rows {
		all[i] = record(row)
	}

	return all, err
}

// Reconcile implements cardsapi.Reconciler.
func (r records) Reconcile(ctx context.Context, account string, from, to time.Time) (cardsapi.Reconciliation, error) {
	id, err := uuid.Parse(account)
	if err != nil {
		return cardsapi.Reconciliation{}, store.ErrAccount
	}
	row, err := r.compare.Start(ctx, id, from, to)
	if err != nil {
		return cardsapi.Reconciliation{}, err
	}

	return cardsapi.Reconciliation{
		UUID: row.ID.String(), Account: row.AccountID.String(), From: row.FromAt, To: row.ToAt, State: string(row.State), CreatedAt: row.CreatedAt,
	}, nil
}

func cardRecordOf(row store.Card) cardsapi.CardRecord {
	return cardsapi.CardRecord{
		Card: cardOf(row), Account: row.Account.String(), VendorID: value(row.VendorID), Customer: row.Customer, Name: row.OwnerName,
		Code: row.Code, Detail: row.Detail, Explanation: row.Explanation, Version: row.Version, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

func paymentRecordOf(row store.Payment) cardsapi.PaymentRecord {
	record := cardsapi.PaymentRecord{
		Payment: paymentOf(row), Account: row.Account.String(), VendorID: value(row.VendorID), VendorStatus: row.VendorStatus,
		Code: row.Code, Detail: row.Detail, Explanation: row.Explanation, Note: row.Note, Statement: row.Statement, Authorize: row.Authorize,
		Version: row.Version, UpdatedAt: row.UpdatedAt,
	}
	if row.Card != nil {
		record.Card = row.Card.String()
	}

	return record
}

func value(text *string) string {
	if text == nil {
		return ""
	}

	return *text
}

// Package store has the cards_* tables, with the lives of payments, refunds and cards, and the failures of the area.
package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/vendoraccount"
)

// Accounts keeps the accounts.
type Accounts = vendoraccount.Store[Account, *Account]

// NewAccounts returns the store of accounts.
func NewAccounts(db *database.DB, c clock.Clock, keys *secret.Keys, log *audit.Log) *Accounts {
	return vendoraccount.New[Account](db, c, keys, vendoraccount.Rules{
		Audit: log, Item: "cards.account",
		NotFound: ErrAccount, None: ErrNoAccount, Disabled: ErrDisabled, Taken: ErrNameTaken, Used: ErrAccountUsed, Invalid: ErrInvalid,
		MaxCredential: 5000,
	})
}

// Repository reads and writes what belongs to no resource; the database package keeps companies apart.
type Repository struct{ db *database.DB }

// NewRepository returns the repository of a database.
func NewRepository(db *database.DB) *Repository { return &Repository{db: db} }

// EndpointOwner returns the account whose notifications arrive at an endpoint, of any company.
func (r *Repository) EndpointOwner(ctx context.Context, endpoint uuid.UUID) (Account, error) {
	ctx = database.AcrossCompanies(ctx, "whose endpoint it is, is not known before")

	return database.One[Account](r.db.Conn(ctx), ErrAccount, "endpoint_id = ?", endpoint)
}

// AccountsAt returns the accounts of the company at a vendor.
func (r *Repository) AccountsAt(ctx context.Context, vendor string) ([]Account, error) {
	return database.All[Account](r.db.Conn(ctx).Where("provider = ?", vendor).Order("name").Limit(200))
}

// IsAccountUsed reports whether an account has cards or payments.
func (r *Repository) IsAccountUsed(ctx context.Context, account uuid.UUID) (bool, error) {
	payments, err := database.Count(r.db.Conn(ctx).Model(&Payment{}).Where("account_id = ?", account).Limit(1))
	if err != nil || payments > 0 {
		return payments > 0, err
	}
	cards, err := database.Count(r.db.Conn(ctx).Model(&Card{}).Where("account_id = ?", account).Limit(1))

	return cards > 0, err
}

// DeleteOfAccount deletes what only an account had.
func (r *Repository) DeleteOfAccount(ctx context.Context, account uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("account_id = ?", account).Delete(&Reconciliation{}).Error)
}

// OldestOpenPayout returns when the oldest payout of an account was first seen that has neither arrived nor failed, the zero time if there is none.
func (r *Repository) OldestOpenPayout(ctx context.Context, account uuid.UUID) (time.Time, error) {
	var row Payout
	err := r.db.Conn(ctx).Select("id, company_id, created_at").
		Where("account_id = ? AND state IN ('pending', 'in_transit')", account).Order("created_at").Take(&row).Error
	if err = database.Translate(err); errors.Is(err, database.ErrNotFound) {
		return time.Time{}, nil
	}

	return row.CreatedAt, err
}

// NotePayouts notes up to when the payouts of an account were fetched.
func (r *Repository) NotePayouts(ctx context.Context, account uuid.UUID, at time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&Account{}).Where("id = ?", account).Update("payouts_at", at).Error)
}

// EachUndecided calls do for the payments, refunds or cards of all companies whose outcome is open and that no run has touched since a
// time. Row is a zero row of the table.
func (r *Repository) EachUndecided(ctx context.Context, row any, states []string, before time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "vendors are called for all companies")).Model(row).
		Where("state IN ? AND gave_up_at IS NULL AND updated_at < ?", states, before), do)
}

// EachOrdered calls do for the payments of all companies whose capture or cancellation was ordered and that no run has touched since a
// time.
func (r *Repository) EachOrdered(ctx context.Context, before time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "vendors are called for all companies")).Model(&Payment{}).
		Where("state IN ('requires_action', 'authorized') AND ordered <> '' AND updated_at < ?", before), do)
}

// EachQuiet calls do for the payments or refunds of all companies in some states whose vendor has reported nothing since a time.
func (r *Repository) EachQuiet(ctx context.Context, row any, states []string, before time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "vendors are asked for all companies")).Model(row).
		Where("state IN ? AND vendor_id IS NOT NULL AND updated_at < ?", states, before), do)
}

// PaymentsMade returns the payments of an account that were made in a window and that a vendor may have, at most a number.
func (r *Repository) PaymentsMade(ctx context.Context, account uuid.UUID, from, to time.Time, most int) ([]Payment, error) {
	return database.All[Payment](r.db.Conn(ctx).Where("account_id = ? AND created_at >= ? AND created_at < ?", account, from, to).Order("created_at, id").Limit(most))
}

// RefundsMade is PaymentsMade for refunds.
func (r *Repository) RefundsMade(ctx context.Context, account uuid.UUID, from, to time.Time, most int) ([]Refund, error) {
	return database.All[Refund](r.db.Conn(ctx).Where("account_id = ? AND created_at >= ? AND created_at < ?", account, from, to).Order("created_at, id").Limit(most))
}

// PaymentsAfter returns payments of some accounts, the newest first, after the one with an id; uuid.Nil begins.
func (r *Repository) PaymentsAfter(ctx context.Context, accounts []uuid.UUID, after uuid.UUID, most int) ([]Payment, error) {
	tx := r.db.Conn(ctx).Where("account_id IN ?", accounts).Order("id DESC").Limit(most)
	if after != uuid.Nil {
		tx = tx.Where("id < ?", after)
	}

	return database.All[Payment](tx)
}

// CardsAfter is PaymentsAfter for cards that are not removed.
func (r *Repository) CardsAfter(ctx context.Context, accounts []uuid.UUID, after uuid.UUID, most int) ([]Card, error) {
	tx := r.db.Conn(ctx).Where("account_id IN ? AND state <> ?", accounts, string(cardsapi.CardRemoved)).Order("id DESC").Limit(most)
	if after != uuid.Nil {
		tx = tx.Where("id < ?", after)
	}

	return database.All[Card](tx)
}

// InsertReconciliation stores a new reconciliation.
func (r *Repository) InsertReconciliation(ctx context.Context, row *Reconciliation) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// Reconciliation returns a reconciliation.
func (r *Repository) Reconciliation(ctx context.Context, id uuid.UUID) (Reconciliation, error) {
	return database.One[Reconciliation](r.db.Conn(ctx), ErrReconciliation, "id = ?", id)
}

// LockReconciliation returns a reconciliation, and keeps others from it until the transaction ends.
func (r *Repository) LockReconciliation(ctx context.Context, id uuid.UUID) (Reconciliation, error) {
	return database.One[Reconciliation](database.ForUpdate(r.db.Conn(ctx)), ErrReconciliation, "id = ?", id)
}

// SaveReconciliation stores what came of a reconciliation, as a new version of it.
func (r *Repository) SaveReconciliation(ctx context.Context, now time.Time, row *Reconciliation) error {
	row.Version, row.UpdatedAt = row.Version+1, now

	return database.Translate(r.db.Conn(ctx).Model(&Reconciliation{}).Where("id = ?", row.ID).
		Select("state", "reason", "matched", "findings", "version", "updated_at").Updates(row).Error)
}

// Reconciliations returns a page of reconciliations.
func (r *Repository) Reconciliations(ctx context.Context, q list.Query) (list.Page[Reconciliation], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, func(row Reconciliation, field string) any {
		if field == "created_at" {
			return row.CreatedAt
		}

		return row.ID
	})

	return page, database.Translate(err)
}

func (r *Repository) countIn(ctx context.Context, state cardsapi.PaymentState) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&Payment{}).Where("state = ?", string(state)))
}

// CountUnknown returns how many payments have an unknown outcome.
func (r *Repository) CountUnknown(ctx context.Context) (int64, error) {
	return r.countIn(ctx, cardsapi.PaymentUnknown)
}

// CountAuthorized returns how many payments wait to be captured or canceled.
func (r *Repository) CountAuthorized(ctx context.Context) (int64, error) {
	return r.countIn(ctx, cardsapi.PaymentAuthorized)
}

// CountOpenDisputes returns how many disputes are open.
func (r *Repository) CountOpenDisputes(ctx context.Context) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&Dispute{}).Where("state = ?", string(DisputeOpen)))
}

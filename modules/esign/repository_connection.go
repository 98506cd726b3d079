package esign

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
)

// connection returns of the account whose notifications arrive at an endpoint, of any company, what verifies them.
func (r *repository) connection(ctx context.Context, endpoint uuid.UUID) (account, error) {
	ctx = database.AcrossCompanies(ctx, "whose endpoint it is, is not known before")

	return one[account](r.db.Conn(ctx).Select("company_id", "id", "external_id", "disabled_at", "verification", "version"),
		errAccount, "endpoint_id = ?", endpoint)
}

// connected returns the company's account of an endpoint, also of one that was given up meanwhile.
func (r *repository) connected(ctx context.Context, endpoint uuid.UUID) (account, error) {
	return one[account](r.db.Conn(ctx), errAccount, "endpoint_id = ? OR last_endpoint_id = ?", endpoint, endpoint)
}

// heldConnection keeps others from an account until the transaction ends.
func (r *repository) heldConnection(ctx context.Context, id uuid.UUID) (account, error) {
	return one[account](holding(r.db.Conn(ctx)), errAccount, "id = ?", id)
}

// saveConnection stores how notifications arrive, and are verified.
func (r *repository) saveConnection(ctx context.Context, row *account) error {
	return database.Translate(r.db.Conn(ctx).Model(&account{}).Where("id = ?", row.ID).
		Select("endpoint_id", "last_endpoint_id", "verification", "version", "updated_at").Updates(row).Error)
}

// saveReconciled notes up to when a provider was asked what has changed.
func (r *repository) saveReconciled(ctx context.Context, id uuid.UUID, to time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&account{}).
		Where("id = ? AND (reconciled_to IS NULL OR reconciled_to < ?)", id, to).Update("reconciled_to", to).Error)
}

// activeAccounts returns accounts of all companies that are in use.
func (r *repository) activeAccounts(ctx context.Context, after place, most int) ([]place, error) {
	var rows []place
	err := r.db.Conn(database.AcrossCompanies(ctx, "providers are asked for all companies")).Model(&account{}).
		Where("disabled_at IS NULL AND (company_id > ? OR (company_id = ? AND id > ?))", after.CompanyID, after.CompanyID, after.ID).
		Order("company_id, id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// keysOf returns the keys of an account, the oldest first.
func (r *repository) keysOf(ctx context.Context, account uuid.UUID) ([]key, error) {
	return all[key](r.db.Conn(ctx).Where("account_id = ?", account).Order("id"))
}

func (r *repository) deleteKey(ctx context.Context, account, id uuid.UUID) error {
	return touched(r.db.Conn(ctx).Where("id = ? AND account_id = ?", id, account).Delete(&key{}), errKey)
}

// clientsOf returns the clients of an account, the oldest first, the revoked ones too.
func (r *repository) clientsOf(ctx context.Context, account uuid.UUID) ([]client, error) {
	return all[client](r.db.Conn(ctx).Where("account_id = ?", account).Order("id"))
}

// clientByID returns a client of any company.
func (r *repository) clientByID(ctx context.Context, id uuid.UUID) (client, error) {
	ctx = database.AcrossCompanies(ctx, "whose client it is, is not known before")

	return one[client](r.db.Conn(ctx), errClient, "id = ?", id)
}

// heldClient keeps a client from being revoked until the transaction ends.
func (r *repository) heldClient(ctx context.Context, id uuid.UUID) (client, error) {
	return one[client](holding(r.db.Conn(ctx)), errClient, "id = ?", id)
}

// revokeClient ends a client and its tokens.
func (r *repository) revokeClient(ctx context.Context, account, id uuid.UUID, now time.Time) error {
	err := touched(r.db.Conn(ctx).Model(&client{}).Where("id = ? AND account_id = ? AND revoked_at IS NULL", id, account).
		Update("revoked_at", now), errClient)
	if err != nil {
		return err
	}

	return database.Translate(r.db.Conn(ctx).Where("client_id = ?", id).Delete(&token{}).Error)
}

// tokenOf returns the good token of an account with a hash.
func (r *repository) tokenOf(ctx context.Context, account uuid.UUID, hash []byte, now time.Time) (*token, error) {
	return ifAny[token](r.db.Conn(ctx), "account_id = ? AND hash = ? AND expires_at > ?", account, hash, now)
}

// oldTokens returns tokens of all companies that are good no more.
func (r *repository) oldTokens(ctx context.Context, now time.Time, most int) ([]place, error) {
	ctx = database.AcrossCompanies(ctx, "what is too old is removed for all companies")

	return all[place](r.db.Conn(ctx).Model(&token{}).Where("expires_at <= ?", now).Order("expires_at").Limit(most))
}

func (r *repository) deleteTokens(ctx context.Context, ids []uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("id IN ?", ids).Delete(&token{}).Error)
}

// touchKey and touchClient note that something was used, if that was not done since a time.
func (r *repository) touchKey(ctx context.Context, id uuid.UUID, now, since time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&key{}).
		Where("id = ? AND (used_at IS NULL OR used_at < ?)", id, since).Update("used_at", now).Error)
}

func (r *repository) touchClient(ctx context.Context, id uuid.UUID, now, since time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&client{}).
		Where("id = ? AND (used_at IS NULL OR used_at < ?)", id, since).Update("used_at", now).Error)
}

// all returns the rows of a query.
func all[T any](tx *gorm.DB) ([]T, error) {
	var rows []T
	err := tx.Find(&rows).Error

	return rows, database.Translate(err)
}

// touched is the error of a write that has to meet a row.
func touched(tx *gorm.DB, notFound error) error {
	if err := database.Translate(tx.Error); err != nil {
		return err
	}
	if tx.RowsAffected == 0 {
		return notFound
	}

	return nil
}

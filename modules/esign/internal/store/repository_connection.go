package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Connection returns of the account whose notifications arrive at an endpoint, of any company, what verifies them.
func (r *Repository) Connection(ctx context.Context, endpoint uuid.UUID) (Account, error) {
	ctx = database.AcrossCompanies(ctx, "whose endpoint it is, is not known before")

	return database.One[Account](r.DB.Conn(ctx).Select("company_id", "id", "external_id", "disabled_at", "verification", "version"),
		ErrAccount, "endpoint_id = ?", endpoint)
}

// Connected returns the company's account of an endpoint, also of one that was given up meanwhile.
func (r *Repository) Connected(ctx context.Context, endpoint uuid.UUID) (Account, error) {
	return database.One[Account](r.DB.Conn(ctx), ErrAccount, "endpoint_id = ? OR last_endpoint_id = ?", endpoint, endpoint)
}

// SaveConnection stores how notifications arrive, and are verified. The row gets its next version: with other keys it is another one.
func (r *Repository) SaveConnection(ctx context.Context, now time.Time, row *Account) error {
	row.Version, row.UpdatedAt = row.Version+1, now

	return database.Translate(r.DB.Conn(ctx).Model(&Account{}).Where("id = ?", row.ID).
		Select("endpoint_id", "last_endpoint_id", "verification", "version", "updated_at").Updates(row).Error)
}

// SaveReconciled notes up to when a provider was asked what has changed.
func (r *Repository) SaveReconciled(ctx context.Context, id uuid.UUID, to time.Time) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Account{}).
		Where("id = ? AND (reconciled_to IS NULL OR reconciled_to < ?)", id, to).Update("reconciled_to", to).Error)
}

// KeysOf returns the keys of an account, the oldest first.
func (r *Repository) KeysOf(ctx context.Context, account uuid.UUID) ([]Key, error) {
	return database.All[Key](r.DB.Conn(ctx).Where("account_id = ?", account).Order("id"))
}

// DeleteKey deletes a key of an account.
func (r *Repository) DeleteKey(ctx context.Context, account, id uuid.UUID) error {
	return database.RequireAffected(r.DB.Conn(ctx).Where("id = ? AND account_id = ?", id, account).Delete(&Key{}), ErrKey)
}

// ClientsOf returns the clients of an account, the oldest first, the revoked ones too.
func (r *Repository) ClientsOf(ctx context.Context, account uuid.UUID) ([]Client, error) {
	return database.All[Client](r.DB.Conn(ctx).Where("account_id = ?", account).Order("id"))
}

// ClientByID returns a client of any company.
func (r *Repository) ClientByID(ctx context.Context, id uuid.UUID) (Client, error) {
	ctx = database.AcrossCompanies(ctx, "whose client it is, is not known before")

	return database.One[Client](r.DB.Conn(ctx), ErrClient, "id = ?", id)
}

// HeldClient keeps a client from being revoked until the transaction ends.
func (r *Repository) HeldClient(ctx context.Context, id uuid.UUID) (Client, error) {
	return database.One[Client](database.ForUpdate(r.DB.Conn(ctx)), ErrClient, "id = ?", id)
}

// RevokeClient ends a client and its tokens.
func (r *Repository) RevokeClient(ctx context.Context, account, id uuid.UUID, now time.Time) error {
	err := database.RequireAffected(r.DB.Conn(ctx).Model(&Client{}).Where("id = ? AND account_id = ? AND revoked_at IS NULL", id, account).
		Update("revoked_at", now), ErrClient)
	if err != nil {
		return err
	}

	return database.Translate(r.DB.Conn(ctx).Where("client_id = ?", id).Delete(&Token{}).Error)
}

// TokenOf returns the good token of an account with a hash.
func (r *Repository) TokenOf(ctx context.Context, account uuid.UUID, hash []byte, now time.Time) (*Token, error) {
	return database.IfAny[Token](r.DB.Conn(ctx), "account_id = ? AND hash = ? AND expires_at > ?", account, hash, now)
}

// DeleteTokensExpired deletes the tokens of all companies that are good no more.
func (r *Repository) DeleteTokensExpired(ctx context.Context, now time.Time) error {
	old := r.DB.Conn(database.AcrossCompanies(ctx, "what is too old is removed for all companies")).Model(&Token{}).
		Where("expires_at <= ?", now).Order("expires_at")

	return r.DB.Drain(ctx, old, func(ctx context.Context, ids []uuid.UUID) error {
		return database.Translate(r.DB.Conn(ctx).Where("id IN ?", ids).Delete(&Token{}).Error)
	})
}

// TouchKey notes that a key was used, if that was not done since a time.
func (r *Repository) TouchKey(ctx context.Context, id uuid.UUID, now, since time.Time) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Key{}).
		Where("id = ? AND (used_at IS NULL OR used_at < ?)", id, since).Update("used_at", now).Error)
}

// TouchClient notes that a client was used, if that was not done since a time.
func (r *Repository) TouchClient(ctx context.Context, id uuid.UUID, now, since time.Time) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Client{}).
		Where("id = ? AND (used_at IS NULL OR used_at < ?)", id, since).Update("used_at", now).Error)
}

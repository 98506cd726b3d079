package esign

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// connection returns of the account whose notifications arrive at an endpoint, of any company, what verifies them.
func (r *repository) connection(ctx context.Context, endpoint uuid.UUID) (account, error) {
	ctx = database.AcrossCompanies(ctx, "whose endpoint it is, is not known before")

	return database.One[account](r.db.Conn(ctx).Select("company_id", "id", "external_id", "disabled_at", "verification", "version"),
		errAccount, "endpoint_id = ?", endpoint)
}

// connected returns the company's account of an endpoint, also of one that was given up meanwhile.
func (r *repository) connected(ctx context.Context, endpoint uuid.UUID) (account, error) {
	return database.One[account](r.db.Conn(ctx), errAccount, "endpoint_id = ? OR last_endpoint_id = ?", endpoint, endpoint)
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

// keysOf returns the keys of an account, the oldest first.
func (r *repository) keysOf(ctx context.Context, account uuid.UUID) ([]key, error) {
	return database.All[key](r.db.Conn(ctx).Where("account_id = ?", account).Order("id"))
}

func (r *repository) deleteKey(ctx context.Context, account, id uuid.UUID) error {
	return database.Touched(r.db.Conn(ctx).Where("id = ? AND account_id = ?", id, account).Delete(&key{}), errKey)
}

// clientsOf returns the clients of an account, the oldest first, the revoked ones too.
func (r *repository) clientsOf(ctx context.Context, account uuid.UUID) ([]client, error) {
	return database.All[client](r.db.Conn(ctx).Where("account_id = ?", account).Order("id"))
}

// clientByID returns a client of any company.
func (r *repository) clientByID(ctx context.Context, id uuid.UUID) (client, error) {
	ctx = database.AcrossCompanies(ctx, "whose client it is, is not known before")

	return database.One[client](r.db.Conn(ctx), errClient, "id = ?", id)
}

// heldClient keeps a client from being revoked until the transaction ends.
func (r *repository) heldClient(ctx context.Context, id uuid.UUID) (client, error) {
	return database.One[client](database.Held(r.db.Conn(ctx)), errClient, "id = ?", id)
}

// revokeClient ends a client and its tokens.
func (r *repository) revokeClient(ctx context.Context, account, id uuid.UUID, now time.Time) error {
	err := database.Touched(r.db.Conn(ctx).Model(&client{}).Where("id = ? AND account_id = ? AND revoked_at IS NULL", id, account).
		Update("revoked_at", now), errClient)
	if err != nil {
		return err
	}

	return database.Translate(r.db.Conn(ctx).Where("client_id = ?", id).Delete(&token{}).Error)
}

// tokenOf returns the good token of an account with a hash.
func (r *repository) tokenOf(ctx context.Context, account uuid.UUID, hash []byte, now time.Time) (*token, error) {
	return database.IfAny[token](r.db.Conn(ctx), "account_id = ? AND hash = ? AND expires_at > ?", account, hash, now)
}

// dropTokens deletes the tokens of all companies that are good no more.
func (r *repository) dropTokens(ctx context.Context, now time.Time) error {
	old := r.db.Conn(database.AcrossCompanies(ctx, "what is too old is removed for all companies")).Model(&token{}).
		Where("expires_at <= ?", now).Order("expires_at")

	return r.db.Drain(ctx, old, func(ctx context.Context, ids []uuid.UUID) error {
		return database.Translate(r.db.Conn(ctx).Where("id IN ?", ids).Delete(&token{}).Error)
	})
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

package identity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/lastuse"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func (r repository) createToken(ctx context.Context, t Token, d digest) error {
	row := newTokenRow(t, d)

	return database.Translate(r.db.Conn(ctx).Create(&row).Error)
}

func (r repository) createOperatorToken(ctx context.Context, t Token, d digest) error {
	return database.Translate(r.db.Conn(ctx).Create(&operatorTokenRow{Secret: newSecretRow(t, d)}).Error)
}

// tokens lists the tokens of the caller's company.
func (r repository) tokens(ctx context.Context) ([]Token, error) {
	var rows []tokenRow
	if err := r.db.Conn(ctx).Omit("hash").Order("id").Find(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	all := make([]Token, len(rows))
	for i, row := range rows {
		all[i] = row.token()
	}

	return all, nil
}

func (r repository) token(ctx context.Context, id uuid.UUID) (Token, error) {
	var row tokenRow
	err := r.db.Conn(ctx).Where("id = ?", id).Take(&row).Error

	return row.token(), database.Translate(err)
}

func (r repository) revoke(ctx context.Context, id uuid.UUID, now time.Time) error {
	return revokeToken(r.db.Conn(ctx).Model(&tokenRow{}), id, now)
}

func (r repository) revokeOperator(ctx context.Context, id uuid.UUID, now time.Time) error {
	return revokeToken(r.db.Conn(ctx).Model(&operatorTokenRow{}), id, now)
}

// revokeToken ends a token, and keeps the time of the first time.
func revokeToken(tx *gorm.DB, id uuid.UUID, now time.Time) error {
	return requireChanged(tx.Where("id = ?", id).Update("revoked_at", gorm.Expr("coalesce(revoked_at, ?)", now)))
}

// revokeOf ends the tokens of a user, but one, and returns how many it ended.
func (r repository) revokeOf(ctx context.Context, user, except uuid.UUID, now time.Time) (int64, error) {
	tx := r.db.Conn(ctx).Model(&tokenRow{}).
		Where("user_id = ? AND id <> ? AND revoked_at IS NULL", user, except).Update("revoked_at", now)

	return tx.RowsAffected, database.Translate(tx.Error)
}

// recordUses records when tokens were used, unless another process has recorded a later time.
func (r repository) recordUses(ctx context.Context, batch []lastuse.Use) error {
	ctx = database.AcrossCompanies(ctx, "the use of tokens is recorded for all companies together")

	return r.db.InTx(ctx, func(ctx context.Context) error {
		for _, u := range batch {
			tx := r.db.Conn(ctx).Model(&tokenRow{}).Where("company_id = ?", u.Company)
			if u.Kind == string(principal.Operator) {
				tx = r.db.Conn(ctx).Model(&operatorTokenRow{})
			}
			err := tx.Where("id = ? AND (last_used_at IS NULL OR last_used_at < ?)", u.ID, u.At).
				Update("last_used_at", u.At).Error
			if err != nil {
				return database.Translate(err)
			}
		}

		return nil
	})
}

// facts reads what decides about a token, the zero value if there is none.
func (r repository) facts(ctx context.Context, d digest, builtIn Roles) (facts, error) {
	const why = "who shows a token is not known before it is found"
	var rows []factsRow
	err := r.db.Raw(ctx, why).Raw(`
		SELECT t.company_id, t.id, t.user_id, t.scopes, t.expires_at, t.revoked_at, t.last_used_at,
			u.role, r.scopes AS role_scopes, u.deactivated_at, c.suspended_at
		FROM identity_tokens t
		JOIN identity_companies c ON c.id = t.company_id
		LEFT JOIN identity_users u ON u.company_id = t.company_id AND u.id = t.user_id
		LEFT JOIN identity_roles r ON r.company_id = u.company_id AND r.name = u.role
		WHERE t.hash = ?`, d[:]).Scan(&rows).Error
	if err == nil && len(rows) == 0 {
		err = r.db.Raw(ctx, why).Raw(`
			SELECT t.id, t.scopes, t.expires_at, t.revoked_at, t.last_used_at
			FROM identity_operator_tokens t
			WHERE t.hash = ?`, d[:]).Scan(&rows).Error
	}
	if err != nil || len(rows) == 0 {
		return facts{}, database.Translate(err)
	}

	return rows[0].facts(builtIn), nil
}

package esign

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

func (r *repository) account(ctx context.Context, id uuid.UUID) (account, error) {
	return database.One[account](r.db.Conn(ctx), errAccount, "id = ?", id)
}

func (r *repository) heldAccount(ctx context.Context, id uuid.UUID) (account, error) {
	return database.One[account](database.Held(r.db.Conn(ctx)), errAccount, "id = ?", id)
}

// defaultAccount is the account that is used where none is said.
func (r *repository) defaultAccount(ctx context.Context) (account, error) {
	return database.One[account](r.db.Conn(ctx), errNoAccount, "is_default = ?", true)
}

// saveAccount stores what there is of an account, but for how its notifications are verified and up to when it is
// reconciled: those have writers of their own.
func (r *repository) saveAccount(ctx context.Context, row *account) error {
	return database.Taken(r.db.Conn(ctx).Model(&account{}).Where("id = ?", row.ID).Select(
		"name", "external_id", "base_url", "credentials", "is_default", "disabled_at", "health", "problem", "checked_at",
		"version", "updated_at",
	).Updates(row).Error, errTaken)
}

// clearDefaultAccount makes no account the default.
func (r *repository) clearDefaultAccount(ctx context.Context) error {
	return database.Translate(r.db.Conn(ctx).Model(&account{}).Where("is_default = ?", true).Update("is_default", false).Error)
}

// accountIsUsed reports whether an account has envelopes, or templates that are mapped.
func (r *repository) accountIsUsed(ctx context.Context, id uuid.UUID) (bool, error) {
	var n int64
	err := r.db.Conn(ctx).Model(&envelope{}).Where("account_id = ?", id).Limit(1).Count(&n).Error
	if err != nil || n > 0 {
		return n > 0, database.Translate(err)
	}
	templates := r.db.Conn(ctx).Model(&template{}).Select("id").Where("account_id = ?", id)
	err = r.db.Conn(ctx).Model(&mapping{}).Where("deleted_at IS NULL AND template_id IN (?)", templates).Limit(1).Count(&n).Error

	return n > 0, database.Translate(err)
}

// deleteAccount deletes an account with its keys, clients, tokens, templates and strays.
func (r *repository) deleteAccount(ctx context.Context, id uuid.UUID) error {
	for _, of := range []any{&key{}, &token{}, &client{}, &template{}, &stray{}} {
		if err := r.db.Conn(ctx).Where("account_id = ?", id).Delete(of).Error; err != nil {
			return database.Translate(err)
		}
	}

	return database.Translate(r.db.Conn(ctx).Where("id = ?", id).Delete(&account{}).Error)
}

// eachUsed calls do for the accounts of all companies that are in use, but for those at one provider.
func (r *repository) eachUsed(ctx context.Context, but string, do func(context.Context, uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "vendors are asked for all companies")).Model(&account{}).
		Where("disabled_at IS NULL AND provider <> ?", but), do)
}

func (r *repository) countFailing(ctx context.Context) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&account{}).Where("health = ? AND disabled_at IS NULL", healthFailing))
}

func accountSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "provider", Expr: "provider", Kind: list.Text, Filterable: true},
			{Name: "environment", Expr: "environment", Kind: list.Text, Filterable: true},
			{Name: "health", Expr: "health", Kind: list.Text, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true}, DefaultSort: []string{"name"},
		Keys: list.KeysOf[accountBody](),
	}
}

func (r *repository) accounts(ctx context.Context, q list.Query) (list.Page[account], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, account.sortKey)

	return page, database.Translate(err)
}

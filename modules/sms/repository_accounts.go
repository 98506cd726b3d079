package sms

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

func (r *repository) saveAccount(ctx context.Context, row *account) error {
	return database.Taken(r.db.Conn(ctx).Model(&account{}).Where("id = ?", row.ID).Select(
		"name", "credentials", "is_default", "disabled_at", "health", "problem", "checked_at", "endpoint_id", "last_endpoint_id",
		"verifies", "version", "updated_at",
	).Updates(row).Error, errTaken)
}

// clearDefaultAccount makes no account the default.
func (r *repository) clearDefaultAccount(ctx context.Context) error {
	return database.Translate(r.db.Conn(ctx).Model(&account{}).Where("is_default = ?", true).Update("is_default", false).Error)
}

func (r *repository) hasNumbers(ctx context.Context, account uuid.UUID) (bool, error) {
	n, err := database.Count(r.db.Conn(ctx).Model(&number{}).Where("account_id = ? AND released_at IS NULL", account))

	return n > 0, err
}

func (r *repository) deleteAccount(ctx context.Context, id uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("id = ?", id).Delete(&account{}).Error)
}

// endpointOwner returns the account whose notifications arrive at an endpoint, of any company.
func (r *repository) endpointOwner(ctx context.Context, endpoint uuid.UUID) (account, error) {
	ctx = database.AcrossCompanies(ctx, "whose endpoint it is, is not known before")

	return database.One[account](r.db.Conn(ctx), errAccount, "endpoint_id = ?", endpoint)
}

// notified returns the company's account of an endpoint, also of one that was given up meanwhile.
func (r *repository) notified(ctx context.Context, endpoint uuid.UUID) (account, error) {
	return database.One[account](r.db.Conn(ctx), errAccount, "endpoint_id = ? OR last_endpoint_id = ?", endpoint, endpoint)
}

// eachUsed calls do for the accounts of all companies that are in use, but for those at some providers.
func (r *repository) eachUsed(ctx context.Context, but []string, do func(context.Context, uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "vendors are asked for all companies")).Model(&account{}).
		Where("disabled_at IS NULL AND provider NOT IN ?", but), do)
}

func (r *repository) countFailing(ctx context.Context) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&account{}).Where("health = ? AND disabled_at IS NULL", healthFailing))
}

func accountSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "provider", Expr: "provider", Kind: list.Text, Filterable: true},
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

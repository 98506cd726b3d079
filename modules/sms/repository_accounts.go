package sms

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

func (r *repository) account(ctx context.Context, id uuid.UUID) (account, error) {
	return one[account](r.db.Conn(ctx), errAccount, "id = ?", id)
}

func (r *repository) heldAccount(ctx context.Context, id uuid.UUID) (account, error) {
	return one[account](holding(r.db.Conn(ctx)), errAccount, "id = ?", id)
}

// defaultAccount is the account that is used where none is said.
func (r *repository) defaultAccount(ctx context.Context) (account, error) {
	return one[account](r.db.Conn(ctx), errNoAccount, "is_default = ?", true)
}

func (r *repository) saveAccount(ctx context.Context, row *account) error {
	return r.renamed(r.db.Conn(ctx).Model(&account{}).Where("id = ?", row.ID).Select(
		"name", "credentials", "is_default", "disabled_at", "health", "problem", "checked_at", "endpoint_id", "last_endpoint_id",
		"verifies", "version", "updated_at",
	).Updates(row).Error)
}

// clearDefaultAccount makes no account the default.
func (r *repository) clearDefaultAccount(ctx context.Context) error {
	return database.Translate(r.db.Conn(ctx).Model(&account{}).Where("is_default = ?", true).Update("is_default", false).Error)
}

func (r *repository) hasNumbers(ctx context.Context, account uuid.UUID) (bool, error) {
	var n int64
	err := r.db.Conn(ctx).Model(&number{}).Where("account_id = ? AND released_at IS NULL", account).Count(&n).Error

	return n > 0, database.Translate(err)
}

func (r *repository) deleteAccount(ctx context.Context, id uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("id = ?", id).Delete(&account{}).Error)
}

// endpointOwner returns the account whose notifications arrive at an endpoint, of any company.
func (r *repository) endpointOwner(ctx context.Context, endpoint uuid.UUID) (account, error) {
	ctx = database.AcrossCompanies(ctx, "whose endpoint it is, is not known before")

	return one[account](r.db.Conn(ctx), errAccount, "endpoint_id = ?", endpoint)
}

// notified returns the company's account of an endpoint, also of one that was given up meanwhile.
func (r *repository) notified(ctx context.Context, endpoint uuid.UUID) (account, error) {
	return one[account](r.db.Conn(ctx), errAccount, "endpoint_id = ? OR last_endpoint_id = ?", endpoint, endpoint)
}

// checkable returns the accounts of all companies that are in use, but for those of some providers.
func (r *repository) checkable(ctx context.Context, but []string, after key, most int) ([]key, error) {
	var keys []key
	err := r.db.Conn(database.AcrossCompanies(ctx, "accounts are checked for all companies")).Model(&account{}).
		Where("disabled_at IS NULL AND provider NOT IN ?", but).
		Where("(company_id > ? OR (company_id = ? AND id > ?))", after.CompanyID, after.CompanyID, after.ID).
		Order("company_id, id").Limit(most).Find(&keys).Error

	return keys, database.Translate(err)
}

func (r *repository) countFailing(ctx context.Context) (n int64, err error) {
	err = r.db.Conn(ctx).Model(&account{}).Where("health = ? AND disabled_at IS NULL", healthFailing).Count(&n).Error

	return n, database.Translate(err)
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

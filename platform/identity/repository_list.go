package identity

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// CompanySchema is what a list of companies may be asked for.
var CompanySchema = list.Schema{
	ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
	Fields: []list.Field{
		{Name: "name", Expr: "name", Kind: kind.Text, Sortable: true, Filterable: true},
		{Name: "usdot_number", Expr: "usdot_number", Kind: kind.Text, Filterable: true},
		{Name: "suspended_at", Expr: "suspended_at", Kind: kind.Time, Nullable: true, Filterable: true},
		{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
	},
	Search: []string{"name", "legal_name", "dba"},
}

func (r companyRow) sortKey(field string) any {
	switch field {
	case "name":
		return r.Name
	case "created_at":
		return r.CreatedAt
	default:
		return r.ID
	}
}

func (r repository) pageCompanies(ctx context.Context, q list.Query) (list.Page[companyRow], error) {
	return pageOf(ctx, r, q, companyRow.sortKey)
}

// UserSchema is what a list of users may be asked for.
var UserSchema = list.Schema{
	ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
	Fields: []list.Field{
		{Name: "name", Expr: "name", Kind: kind.Text, Sortable: true, Filterable: true},
		{Name: "email", Expr: "email", Kind: kind.Text, Sortable: true, Filterable: true},
		{Name: "role", Expr: "role", Kind: kind.Text, Filterable: true},
		{Name: "deactivated_at", Expr: "deactivated_at", Kind: kind.Time, Nullable: true, Filterable: true},
		{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
	},
	DefaultSort: []string{"name"},
	Search:      []string{"name", "email"},
}

func (r userRow) sortKey(field string) any {
	switch field {
	case "name":
		return r.Name
	case "email":
		return r.Email
	case "created_at":
		return r.CreatedAt
	default:
		return r.ID
	}
}

func (r repository) pageUsers(ctx context.Context, q list.Query) (list.Page[userRow], error) {
	return pageOf(ctx, r, q, userRow.sortKey)
}

// TokenSchema is what a list of tokens may be asked for.
var TokenSchema = list.Schema{
	ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
	Fields: []list.Field{
		{Name: "name", Expr: "name", Kind: kind.Text, Filterable: true},
		{Name: "prefix", Expr: "prefix", Kind: kind.Text, Filterable: true},
		{Name: "user_uuid", Expr: "user_id", Kind: kind.UUID, Nullable: true, Filterable: true, NamesUser: true},
		{Name: "expires_at", Expr: "expires_at", Kind: kind.Time, Nullable: true, Filterable: true},
		{Name: "revoked_at", Expr: "revoked_at", Kind: kind.Time, Nullable: true, Filterable: true},
		{Name: "last_used_at", Expr: "last_used_at", Kind: kind.Time, Nullable: true, Filterable: true},
		{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
	},
	DefaultSort: []string{"-created_at"},
}

func (r tokenRow) sortKey(field string) any {
	if field == "created_at" {
		return r.Secret.CreatedAt
	}

	return r.Secret.ID
}

func (r repository) pageTokens(ctx context.Context, q list.Query) (list.Page[tokenRow], error) {
	return pageOf(ctx, r, q, tokenRow.sortKey)
}

// pageOf returns a page of the rows of one table, sorted by what key says of a row.
func pageOf[R any](ctx context.Context, r repository, q list.Query, key func(R, string) any) (list.Page[R], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, key)

	return page, database.Translate(err)
}

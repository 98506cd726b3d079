package esign

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

func (r *repository) template(ctx context.Context, id uuid.UUID) (template, error) {
	return database.One[template](r.db.Conn(ctx), errTemplate, "id = ?", id)
}

func (r *repository) templatesByID(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]template, error) {
	rows, err := database.All[template](database.WithID(r.db.Conn(ctx), "id", ids))
	known := make(map[uuid.UUID]template, len(rows))
	for _, row := range rows {
		known[row.ID] = row
	}

	return known, err
}

func (r *repository) heldTemplateOf(ctx context.Context, account uuid.UUID, externalID string) (template, error) {
	return database.One[template](database.Held(r.db.Conn(ctx)), errTemplate, "account_id = ? AND external_id = ?", account, externalID)
}

// templatesOf returns the templates of an account by the provider's ids, without what is large.
func (r *repository) templatesOf(ctx context.Context, account uuid.UUID) (map[string]template, error) {
	var rows []template
	err := r.db.Conn(ctx).Select("id", "external_id", "changed_at").Where("account_id = ?", account).Find(&rows).Error
	known := make(map[string]template, len(rows))
	for _, row := range rows {
		known[row.ExternalID] = row
	}

	return known, database.Translate(err)
}

func (r *repository) saveTemplate(ctx context.Context, row *template) error {
	return database.Translate(r.db.Conn(ctx).Model(&template{}).Where("id = ?", row.ID).Select(
		"name", "description", "subject", "message", "roles", "fingerprint", "changed_at", "synced_at", "missing_at", "version", "updated_at",
	).Updates(row).Error)
}

// touchTemplates notes that templates are there, and have not changed.
func (r *repository) touchTemplates(ctx context.Context, ids []uuid.UUID, now time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&template{}).Where("id IN ?", ids).Updates(map[string]any{"synced_at": now, "missing_at": nil}).Error)
}

// missTemplates marks the templates of an account that were not seen since a time.
func (r *repository) missTemplates(ctx context.Context, account uuid.UUID, since, now time.Time) error {
	return database.Translate(r.db.Conn(ctx).Model(&template{}).Where("account_id = ? AND synced_at < ? AND missing_at IS NULL", account, since).
		Update("missing_at", now).Error)
}

// enabledAccounts returns the company's accounts that are in use.
func (r *repository) enabledAccounts(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Conn(ctx).Model(&account{}).Where("disabled_at IS NULL").Order("id").Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

func templateSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: list.UUID, Filterable: true},
			{Name: "external_id", Expr: "external_id", Kind: list.Text, Filterable: true},
			{Name: "missing_at", Expr: "missing_at", Kind: list.Time, Nullable: true, Filterable: true},
			{Name: "synced_at", Expr: "synced_at", Kind: list.Time, Sortable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true}, DefaultSort: []string{"name"},
		Keys: list.KeysOf[templateBody](), Search: []string{"name"},
	}
}

func (r *repository) templates(ctx context.Context, q list.Query) (list.Page[template], error) {
	page, err := list.Find(r.db.Dynamic(ctx).Omit("roles", "message"), q, template.sortKey)

	return page, database.Translate(err)
}

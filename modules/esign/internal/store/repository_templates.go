package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Template returns a template.
func (r *Repository) Template(ctx context.Context, id uuid.UUID) (Template, error) {
	return database.One[Template](r.DB.Conn(ctx), ErrTemplate, "id = ?", id)
}

// TemplatesByID returns those of some templates that there are.
func (r *Repository) TemplatesByID(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Template, error) {
	rows, err := database.All[Template](database.WithID(r.DB.Conn(ctx), "id", ids))
	known := make(map[uuid.UUID]Template, len(rows))
	for _, row := range rows {
		known[row.ID] = row
	}

	return known, err
}

// HeldTemplateOf returns a template by the provider's id, and keeps it until the transaction ends.
func (r *Repository) HeldTemplateOf(ctx context.Context, account uuid.UUID, externalID string) (Template, error) {
	return database.One[Template](database.ForUpdate(r.DB.Conn(ctx)), ErrTemplate, "account_id = ? AND external_id = ?", account, externalID)
}

// TemplatesOf returns the templates of an account by the provider's ids, without what is large.
func (r *Repository) TemplatesOf(ctx context.Context, account uuid.UUID) (map[string]Template, error) {
	var rows []Template
	err := r.DB.Conn(ctx).Select("id", "external_id", "changed_at").Where("account_id = ?", account).Find(&rows).Error
	known := make(map[string]Template, len(rows))
	for _, row := range rows {
		known[row.ExternalID] = row
	}

	return known, database.Translate(err)
}

// SaveTemplate stores a template as the provider has it.
func (r *Repository) SaveTemplate(ctx context.Context, row *Template) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Template{}).Where("id = ?", row.ID).Select(
		"name", "description", "subject", "message", "roles", "fingerprint", "changed_at", "synced_at", "missing_at", "version", "updated_at",
	).Updates(row).Error)
}

// MarkTemplatesSeen notes that templates are there, and have not changed.
func (r *Repository) MarkTemplatesSeen(ctx context.Context, ids []uuid.UUID, now time.Time) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Template{}).Where("id IN ?", ids).Updates(map[string]any{"synced_at": now, "missing_at": nil}).Error)
}

// MarkTemplatesMissing marks the templates of an account that were not seen since a time.
func (r *Repository) MarkTemplatesMissing(ctx context.Context, account uuid.UUID, since, now time.Time) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Template{}).Where("account_id = ? AND synced_at < ? AND missing_at IS NULL", account, since).
		Update("missing_at", now).Error)
}

// EnabledAccounts returns the company's accounts that are in use.
func (r *Repository) EnabledAccounts(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.DB.Conn(ctx).Model(&Account{}).Where("disabled_at IS NULL").Order("id").Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// Templates returns a page of templates.
func (r *Repository) Templates(ctx context.Context, q list.Query) (list.Page[Template], error) {
	page, err := list.Find(r.DB.Dynamic(ctx).Omit("roles", "message"), q, Template.sortKey)

	return page, database.Translate(err)
}

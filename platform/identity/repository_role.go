package identity

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

func (r repository) createRole(ctx context.Context, o OwnRole) error {
	return database.Translate(r.db.Conn(ctx).Create(&roleRow{
		ID: o.ID, Name: o.Name, Title: o.Title, Scopes: strings.Join(o.Scopes, " "), Version: o.Version,
		CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt,
	}).Error)
}

func (r repository) updateRole(ctx context.Context, o OwnRole) error {
	return requireChanged(r.db.Conn(ctx).Model(&roleRow{}).Where("id = ?", o.ID).Updates(map[string]any{
		"title": o.Title, "scopes": strings.Join(o.Scopes, " "), "version": o.Version, "updated_at": o.UpdatedAt,
	}))
}

func (r repository) deleteRole(ctx context.Context, id uuid.UUID) error {
	return requireChanged(r.db.Conn(ctx).Where("id = ?", id).Delete(&roleRow{}))
}

func (r repository) role(ctx context.Context, id uuid.UUID) (OwnRole, error) {
	var row roleRow
	err := r.db.Conn(ctx).Where("id = ?", id).Take(&row).Error

	return row.role(), database.Translate(err)
}

func (r repository) roleNamed(ctx context.Context, name Role) (OwnRole, error) {
	var row roleRow
	err := r.db.Conn(ctx).Where("name = ?", name).Take(&row).Error

	return row.role(), database.Translate(err)
}

func (r repository) ownRoles(ctx context.Context) ([]OwnRole, error) {
	var rows []roleRow
	if err := r.db.Conn(ctx).Order("name").Find(&rows).Error; err != nil {
		return nil, database.Translate(err)
	}
	all := make([]OwnRole, len(rows))
	for i, row := range rows {
		all[i] = row.role()
	}

	return all, nil
}

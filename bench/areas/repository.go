package main

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// letter is a row of letters_letters.
type letter struct {
	database.Tenant
	ID        uuid.UUID
	Name      string
	Body      string
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt *time.Time
}

// TableName implements GORM's naming.
func (letter) TableName() string { return "letters_letters" }

func (row letter) sortKey(field string) any {
	switch field {
	case "name":
		return row.Name
	case "created_at":
		return row.CreatedAt
	default:
		return row.ID
	}
}

func letterSchema() list.Schema {
	return list.ShownAs[body](list.Schema{
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"name"},
		Search: []string{"name"},
	})
}

// repository keeps letters.
type repository struct{ db *database.DB }

func (r repository) insert(ctx context.Context, row *letter) error {
	return database.DuplicateAs(database.Translate(r.db.Conn(ctx).Create(row).Error), errTaken)
}

func (r repository) one(ctx context.Context, id uuid.UUID) (letter, error) {
	return database.One[letter](r.db.Conn(ctx), errLetter, "id = ? AND deleted_at IS NULL", id)
}

func (r repository) held(ctx context.Context, id uuid.UUID) (letter, error) {
	return database.One[letter](database.ForUpdate(r.db.Conn(ctx)), errLetter, "id = ? AND deleted_at IS NULL", id)
}

func (r repository) save(ctx context.Context, row *letter) error {
	return database.DuplicateAs(r.db.Conn(ctx).Model(&letter{}).Where("id = ?", row.ID).
		Select("name", "body", "version", "updated_at").Updates(row).Error, errTaken)
}

func (r repository) page(ctx context.Context, q list.Query) (list.Page[letter], error) {
	page, err := list.Find(r.db.Dynamic(ctx).Where("deleted_at IS NULL"), q, letter.sortKey)

	return page, database.Translate(err)
}

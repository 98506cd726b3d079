package docks

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// repository reads and writes docks_doors; the database package keeps companies apart.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db: db} }

func (r *repository) insert(ctx context.Context, row *door) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// find returns errNotFound for what is not there or is another company's.
func (r *repository) find(ctx context.Context, id uuid.UUID) (door, error) {
	var row door
	err := database.Translate(r.db.Conn(ctx).Where("id = ?", id).Take(&row).Error)
	if errors.Is(err, database.ErrNotFound) {
		return row, errNotFound
	}

	return row, err
}

// listSchema is what a list of doors can be filtered and sorted by.
func listSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: list.UUID},
		DefaultSort: []string{"name"},
	}
}

func (r *repository) list(ctx context.Context, query list.Query) (list.Page[door], error) {
	page, err := list.Find(r.db.Dynamic(ctx), query, door.sortKey)

	return page, database.Translate(err)
}

package esign

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// liveMapping returns a mapping that is not deleted.
func (r *repository) liveMapping(ctx context.Context, id uuid.UUID) (mapping, error) {
	return database.One[mapping](r.db.Conn(ctx), errMapping, "id = ? AND deleted_at IS NULL", id)
}

// mapping returns a mapping, also a deleted one: envelopes that were made with it need it still.
func (r *repository) mapping(ctx context.Context, id uuid.UUID) (mapping, error) {
	return database.One[mapping](r.db.Conn(ctx), errMapping, "id = ?", id)
}

// heldMapping returns a mapping, also a deleted one.
func (r *repository) heldMapping(ctx context.Context, id uuid.UUID) (mapping, error) {
	return database.One[mapping](database.Held(r.db.Conn(ctx)), errMapping, "id = ?", id)
}

func (r *repository) saveMapping(ctx context.Context, row *mapping) error {
	return database.Taken(r.db.Conn(ctx).Model(&mapping{}).Where("id = ?", row.ID).Select(
		"name", "template_id", "item_type", "item_part", "rules", "roles", "fingerprint", "version", "updated_at", "deleted_at",
	).Updates(row).Error, errTaken)
}

func mappingSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "name", Expr: "name", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "template_uuid", Expr: "template_id", Kind: list.UUID, Filterable: true},
			{Name: "item_type", Expr: "item_type", Kind: list.Text, Filterable: true},
			{Name: "item_part", Expr: "item_part", Kind: list.Text, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true}, DefaultSort: []string{"name"},
		Keys: list.KeysOf[mappingBody](), Search: []string{"name"},
	}
}

func (r *repository) mappings(ctx context.Context, q list.Query) (list.Page[mapping], error) {
	page, err := list.Find(r.db.Dynamic(ctx).Omit("roles").Where("deleted_at IS NULL"), q, mapping.sortKey)

	return page, database.Translate(err)
}

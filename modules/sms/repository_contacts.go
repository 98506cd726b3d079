package sms

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// heldContact makes the row of a number, if there is none, and keeps it until the transaction ends: whoever sends
// to a number and whoever enters its opt-out come one after the other.
func (r *repository) heldContact(ctx context.Context, number string, now time.Time) (contact, error) {
	row := contact{ID: database.NewID(), Number: number, CreatedAt: now}
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return row, database.Translate(err)
	}

	return database.One[contact](database.Held(r.db.Conn(ctx)), errOptOut, "number = ?", number)
}

func (r *repository) saveContact(ctx context.Context, row *contact) error {
	return database.Translate(r.db.Conn(ctx).Model(&contact{}).Where("id = ?", row.ID).Select(
		"opted_out_at", "source", "keyword", "farewell_id", "replied_at", "bad_at", "bad_reason").Updates(row).Error)
}

// optedOut reports whether a number is on the list, without waiting for anybody.
func (r *repository) optedOut(ctx context.Context, number string) (bool, error) {
	n, err := database.Count(r.db.Conn(ctx).Model(&contact{}).Where("number = ? AND opted_out_at IS NOT NULL", number))

	return n > 0, err
}

// contact returns what is known of a number, without waiting for anybody; the zero row if that is nothing.
func (r *repository) contact(ctx context.Context, number string) (contact, error) {
	row, err := database.IfAny[contact](r.db.Conn(ctx), "number = ?", number)
	if err != nil || row == nil {
		return contact{}, err
	}

	return *row, nil
}

func (r *repository) optOut(ctx context.Context, id uuid.UUID) (contact, error) {
	return database.One[contact](r.db.Conn(ctx), errOptOut, "id = ? AND opted_out_at IS NOT NULL", id)
}

func optOutSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: list.Text, Filterable: true},
			{Name: "source", Expr: "source", Kind: list.Text, Filterable: true},
			{Name: "opted_out_at", Expr: "opted_out_at", Kind: list.Time, Nullable: true, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true}, DefaultSort: []string{"-opted_out_at"},
		Keys: list.KeysOf[optOutBody](), Search: []string{"number"},
	}
}

func (r *repository) optOuts(ctx context.Context, q list.Query) (list.Page[contact], error) {
	page, err := list.Find(r.db.Dynamic(ctx).Where("opted_out_at IS NOT NULL"), q, contact.sortKey)

	return page, database.Translate(err)
}

func consentSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: list.Text, Filterable: true},
			{Name: "action", Expr: "action", Kind: list.Text, Filterable: true},
			{Name: "source", Expr: "source", Kind: list.Text, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
		Keys: list.KeysOf[consentBody](),
	}
}

func (r *repository) consents(ctx context.Context, q list.Query) (list.Page[consent], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, consent.sortKey)

	return page, database.Translate(err)
}

// liveTemplate returns a template that is not deleted.
func (r *repository) liveTemplate(ctx context.Context, id uuid.UUID) (template, error) {
	return database.One[template](r.db.Conn(ctx), errTemplate, "id = ? AND deleted_at IS NULL", id)
}

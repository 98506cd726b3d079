package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// LockContact makes the row of a number, if there is none, and keeps it until the transaction ends: whoever sends
// to a number and whoever enters its opt-out come one after the other.
func (r *Repository) LockContact(ctx context.Context, number string, now time.Time) (Contact, error) {
	row := Contact{ID: database.NewID(), Number: number, CreatedAt: now}
	if err := r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return row, database.Translate(err)
	}

	return database.One[Contact](database.ForUpdate(r.DB.Conn(ctx)), ErrOptOut, "number = ?", number)
}

// SaveContact stores what is known of a number.
func (r *Repository) SaveContact(ctx context.Context, row *Contact) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Contact{}).Where("id = ?", row.ID).Select(
		"opted_out_at", "source", "keyword", "farewell_id", "replied_at", "bad_at", "bad_reason").Updates(row).Error)
}

// OptedOut reports whether a number is on the list, without waiting for anybody.
func (r *Repository) OptedOut(ctx context.Context, number string) (bool, error) {
	n, err := database.Count(r.DB.Conn(ctx).Model(&Contact{}).Where("number = ? AND opted_out_at IS NOT NULL", number))

	return n > 0, err
}

// Contact returns what is known of a number, without waiting for anybody; the zero row if that is nothing.
func (r *Repository) Contact(ctx context.Context, number string) (Contact, error) {
	row, err := database.IfAny[Contact](r.DB.Conn(ctx), "number = ?", number)
	if err != nil || row == nil {
		return Contact{}, err
	}

	return *row, nil
}

// OptOut returns an opt-out.
func (r *Repository) OptOut(ctx context.Context, id uuid.UUID) (Contact, error) {
	return database.One[Contact](r.DB.Conn(ctx), ErrOptOut, "id = ? AND opted_out_at IS NOT NULL", id)
}

// OptOuts returns a page of opt-outs.
func (r *Repository) OptOuts(ctx context.Context, q list.Query) (list.Page[Contact], error) {
	page, err := list.Find(r.DB.Dynamic(ctx).Where("opted_out_at IS NOT NULL"), q, Contact.sortKey)

	return page, database.Translate(err)
}

// Consents returns a page of the log of consents.
func (r *Repository) Consents(ctx context.Context, q list.Query) (list.Page[Consent], error) {
	page, err := list.Find(r.DB.Dynamic(ctx), q, Consent.sortKey)

	return page, database.Translate(err)
}

// LiveTemplate returns a template that is not deleted.
func (r *Repository) LiveTemplate(ctx context.Context, id uuid.UUID) (Template, error) {
	return database.One[Template](r.DB.Conn(ctx), ErrTemplate, "id = ? AND deleted_at IS NULL", id)
}

package sms

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

func (r *repository) number(ctx context.Context, id uuid.UUID) (number, error) {
	return database.One[number](r.db.Conn(ctx), errNumber, "id = ?", id)
}

func (r *repository) heldNumber(ctx context.Context, id uuid.UUID) (number, error) {
	return database.One[number](database.Held(r.db.Conn(ctx)), errNumber, "id = ?", id)
}

// numberOf returns the number of an account by its E.164.
func (r *repository) numberOf(ctx context.Context, account uuid.UUID, e164 string) (number, error) {
	return database.One[number](r.db.Conn(ctx), errNumber, "account_id = ? AND number = ? AND released_at IS NULL", account, e164)
}

func (r *repository) saveNumber(ctx context.Context, row *number) error {
	return database.Translate(r.db.Conn(ctx).Model(&number{}).Where("id = ?", row.ID).Select(
		"kind", "label", "sms", "mms", "voice", "registration", "provider_id", "user_id", "per_minute", "state", "problem",
		"released_at", "version", "updated_at",
	).Updates(row).Error)
}

// userDefault returns the number that a user has chosen, nil for none.
func (r *repository) userDefault(ctx context.Context, user uuid.UUID) (*uuid.UUID, error) {
	row, err := database.IfAny[userDefault](r.db.Conn(ctx), "user_id = ?", user)
	if err != nil || row == nil {
		return nil, err
	}

	return &row.NumberID, nil
}

func (r *repository) setUserDefault(ctx context.Context, row *userDefault) error {
	if err := r.dropUserDefault(ctx, row.UserID); err != nil {
		return err
	}

	return r.insert(ctx, row)
}

func (r *repository) dropUserDefault(ctx context.Context, user uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("user_id = ?", user).Delete(&userDefault{}).Error)
}

// dropDefaults makes a number nobody's default, but for one user; nil for nobody.
func (r *repository) dropDefaults(ctx context.Context, number uuid.UUID, but *uuid.UUID) error {
	tx := r.db.Conn(ctx).Where("number_id = ?", number)
	if but != nil {
		tx = tx.Where("user_id <> ?", *but)
	}

	return database.Translate(tx.Delete(&userDefault{}).Error)
}

// heldThrottle returns when a number may send next, and keeps others from it until the transaction ends.
func (r *repository) heldThrottle(ctx context.Context, number uuid.UUID) (throttle, error) {
	row := throttle{NumberID: number, NextAt: time.Unix(0, 0).UTC()}
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return row, database.Translate(err)
	}

	return database.One[throttle](database.Held(r.db.Conn(ctx)), errNumber, "number_id = ?", number)
}

func (r *repository) saveThrottle(ctx context.Context, row throttle) error {
	return database.Translate(r.db.Conn(ctx).Model(&throttle{}).Where("number_id = ?", row.NumberID).Update("next_at", row.NextAt).Error)
}

func (r *repository) countNumbers(ctx context.Context) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&number{}).Where("state = ?", numberActive))
}

func numberSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "label", Expr: "label", Kind: list.Text, Sortable: true, Filterable: true},
			{Name: "state", Expr: "state", Kind: list.Text, Filterable: true},
			{Name: "kind", Expr: "kind", Kind: list.Text, Filterable: true},
			{Name: "registration", Expr: "registration", Kind: list.Text, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: list.UUID, Filterable: true},
			{Name: "user_uuid", Expr: "user_id", Kind: list.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
		Keys: list.KeysOf[numberBody](), Search: []string{"number", "label"}, Expand: []string{expandAccount},
	}
}

func (r *repository) numbers(ctx context.Context, q list.Query) (list.Page[number], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, number.sortKey)

	return page, database.Translate(err)
}

package vendoraccount

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// One returns an account.
func (s *Store[A, P]) One(ctx context.Context, id uuid.UUID) (A, error) {
	return database.One[A](s.db.Conn(ctx), s.rules.NotFound, "id = ?", id)
}

// OneForUpdate is One, and keeps others from the account until the transaction ends.
func (s *Store[A, P]) OneForUpdate(ctx context.Context, id uuid.UUID) (A, error) {
	return database.One[A](database.ForUpdate(s.db.Conn(ctx)), s.rules.NotFound, "id = ?", id)
}

func (s *Store[A, P]) byDefault(ctx context.Context) (A, error) {
	return database.One[A](s.db.Conn(ctx), s.rules.None, "is_default = ?", true)
}

// EachUsed calls do for the accounts of all companies that are in use, but for those at some vendors, as database.Each does.
func (s *Store[A, P]) EachUsed(ctx context.Context, do func(ctx context.Context, id uuid.UUID) error, but ...string) error {
	used := s.accounts(database.AcrossCompanies(ctx, "vendors are asked for all companies")).Where("disabled_at IS NULL")
	if len(but) > 0 {
		used = used.Where("provider NOT IN ?", but)
	}

	return s.db.Each(ctx, used, do)
}

// CountFailing counts the company's accounts in use that do not work.
func (s *Store[A, P]) CountFailing(ctx context.Context) (int64, error) {
	return database.Count(s.accounts(ctx).Where("health = ? AND disabled_at IS NULL", Failing))
}

// List returns a page of accounts.
func (s *Store[A, P]) List(ctx context.Context, q list.Query) (list.Page[A], error) {
	page, err := list.Find(s.db.Dynamic(ctx), q, func(row A, field string) any { return P(&row).Common().sortKey(field) })

	return page, database.Translate(err)
}

// listSchema is what a list of accounts, shown as B, can be filtered and sorted by; own are fields of the area's.
func listSchema[B any](own []list.Field) list.Schema {
	return list.ShownAs[B](list.Schema{
		Fields: slices.Concat([]list.Field{
			{Name: "name", Expr: "name", Kind: kind.Text, Sortable: true, Filterable: true},
			{Name: "provider", Expr: "provider", Kind: kind.Text, Filterable: true},
		}, own, []list.Field{
			{Name: "health", Expr: "health", Kind: kind.Text, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
		}),
		ID: list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true}, DefaultSort: []string{"name"},
	})
}

func (s *Store[A, P]) accounts(ctx context.Context) *gorm.DB { return s.db.Conn(ctx).Model(new(A)) }

func (s *Store[A, P]) insert(ctx context.Context, row P) error {
	return database.Translate(s.db.Conn(ctx).Create(row).Error)
}

func (s *Store[A, P]) save(ctx context.Context, row P) error {
	return database.DuplicateAs(s.accounts(ctx).Where("id = ?", row.Common().ID).Select(append(columns, s.rules.Own...)).Updates(row).Error, s.rules.Taken)
}

func (s *Store[A, P]) clearDefault(ctx context.Context) error {
	return database.Translate(s.accounts(ctx).Where("is_default = ?", true).Update("is_default", false).Error)
}

func (s *Store[A, P]) delete(ctx context.Context, id uuid.UUID) error {
	return database.Translate(s.db.Conn(ctx).Where("id = ?", id).Delete(new(A)).Error)
}

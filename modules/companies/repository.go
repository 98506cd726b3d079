package companies

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
)

// repository reads and writes the companies_* tables; the database package keeps companies apart.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db: db} }

func (r *repository) insertInvitation(ctx context.Context, i *invitation) error {
	return database.Translate(r.db.Conn(ctx).Create(i).Error)
}

// invitation returns errInvitationNotFound for what is not there or is another company's.
func (r *repository) invitation(ctx context.Context, id uuid.UUID) (invitation, error) {
	var row invitation
	err := database.Translate(r.db.Conn(ctx).Where("id = ?", id).Take(&row).Error)
	if errors.Is(err, database.ErrNotFound) {
		return row, errInvitationNotFound
	}

	return row, err
}

// openInvitations returns the invitations of an address that were neither accepted nor revoked.
func (r *repository) openInvitations(ctx context.Context, email string) ([]invitation, error) {
	var rows []invitation
	err := r.db.Conn(ctx).Where("email = ? AND accepted_at IS NULL AND revoked_at IS NULL", email).Find(&rows).Error

	return rows, database.Translate(err)
}

// endInvitation marks an invitation as revoked, or as accepted by a user.
func (r *repository) endInvitation(ctx context.Context, id uuid.UUID, user *uuid.UUID, at time.Time) error {
	columns := map[string]any{"revoked_at": at, "version": gorm.Expr("version + 1")}
	if user != nil {
		columns = map[string]any{"accepted_at": at, "user_id": *user, "version": gorm.Expr("version + 1")}
	}

	return database.Translate(r.db.Conn(ctx).Model(&invitation{}).
		Where("id = ? AND accepted_at IS NULL AND revoked_at IS NULL", id).Updates(columns).Error)
}

// countOpenInvitations counts what could still be accepted at a time.
func (r *repository) countOpenInvitations(ctx context.Context, now time.Time) (n int64, err error) {
	err = r.db.Conn(ctx).Model(&invitation{}).
		Where("accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?", now).Count(&n).Error

	return n, database.Translate(err)
}

// invitationList is what a list of invitations can be filtered and sorted by.
var invitationList = sync.OnceValue(func() list.Schema {
	return list.ShownAs[invitationBody](list.Schema{
		Fields: []list.Field{
			{Name: "email", Expr: "email", Kind: kind.Text, Filterable: true},
			{Name: "role", Expr: "role", Kind: kind.Text, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: kind.Time, Sortable: true, Filterable: true},
			{Name: "expires_at", Expr: "expires_at", Kind: kind.Time, Filterable: true},
			{Name: "accepted_at", Expr: "accepted_at", Kind: kind.Time, Nullable: true, Filterable: true},
			{Name: "revoked_at", Expr: "revoked_at", Kind: kind.Time, Nullable: true, Filterable: true},
		},
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true},
		DefaultSort: []string{"-created_at"},
	})
})

func (r *repository) invitations(ctx context.Context, q list.Query) (list.Page[invitation], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, invitation.sortKey)

	return page, database.Translate(err)
}

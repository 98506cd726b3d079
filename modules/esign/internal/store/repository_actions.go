package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// mostActions is how many actions of an envelope are shown.
const mostActions = 100

// HeldAction returns an action, and keeps it until the transaction ends.
func (r *Repository) HeldAction(ctx context.Context, id uuid.UUID) (Action, error) {
	return database.One[Action](database.ForUpdate(r.DB.Conn(ctx)), ErrEnvelope, "id = ?", id)
}

// SaveAction stores what became of an action.
func (r *Repository) SaveAction(ctx context.Context, row *Action) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Action{}).Where("id = ?", row.ID).Select(
		"state", "reason", "code", "detail", "called_at", "updated_at").Updates(row).Error)
}

// Actions returns what people wanted of an envelope, the youngest first.
func (r *Repository) Actions(ctx context.Context, envelope uuid.UUID) ([]Action, error) {
	return database.All[Action](r.DB.Conn(ctx).Where("envelope_id = ?", envelope).Order("id DESC").Limit(mostActions))
}

// EachWaitingAction calls do for the actions of all companies that wait.
func (r *Repository) EachWaitingAction(ctx context.Context, before time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.DB.Each(ctx, r.DB.Conn(database.AcrossCompanies(ctx, "actions without a job are found for all companies")).Model(&Action{}).
		Where("state = 'waiting' AND updated_at < ?", before), do)
}

// RenameRecipient stores what was corrected of a recipient.
func (r *Repository) RenameRecipient(ctx context.Context, row *Recipient) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Recipient{}).Where("id = ?", row.ID).Select(
		"name", "email", "routing_order", "updated_at").Updates(row).Error)
}

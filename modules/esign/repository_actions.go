package esign

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// mostActions is how many actions of an envelope are shown.
const mostActions = 100

func (r *repository) heldAction(ctx context.Context, id uuid.UUID) (action, error) {
	return database.One[action](database.Held(r.db.Conn(ctx)), errEnvelope, "id = ?", id)
}

func (r *repository) saveAction(ctx context.Context, row *action) error {
	return database.Translate(r.db.Conn(ctx).Model(&action{}).Where("id = ?", row.ID).Select(
		"state", "reason", "code", "detail", "called_at", "updated_at").Updates(row).Error)
}

// actions returns what people wanted of an envelope, the youngest first.
func (r *repository) actions(ctx context.Context, envelope uuid.UUID) ([]action, error) {
	return database.All[action](r.db.Conn(ctx).Where("envelope_id = ?", envelope).Order("id DESC").Limit(mostActions))
}

// eachWaitingAction calls do for the actions of all companies that wait.
func (r *repository) eachWaitingAction(ctx context.Context, before time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "actions without a job are found for all companies")).Model(&action{}).
		Where("state = 'waiting' AND updated_at < ?", before), do)
}

func (r *repository) renameRecipient(ctx context.Context, row *recipient) error {
	return database.Translate(r.db.Conn(ctx).Model(&recipient{}).Where("id = ?", row.ID).Select(
		"name", "email", "routing_order", "updated_at").Updates(row).Error)
}

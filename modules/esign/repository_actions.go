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
	return one[action](holding(r.db.Conn(ctx)), errEnvelope, "id = ?", id)
}

func (r *repository) saveAction(ctx context.Context, row *action) error {
	return database.Translate(r.db.Conn(ctx).Model(&action{}).Where("id = ?", row.ID).Select(
		"state", "reason", "code", "detail", "called_at", "updated_at").Updates(row).Error)
}

// actions returns what people wanted of an envelope, the youngest first.
func (r *repository) actions(ctx context.Context, envelope uuid.UUID) ([]action, error) {
	var rows []action
	err := r.db.Conn(ctx).Where("envelope_id = ?", envelope).Order("id DESC").Limit(mostActions).Find(&rows).Error

	return rows, database.Translate(err)
}

// waitingActions returns actions of all companies that wait.
func (r *repository) waitingActions(ctx context.Context, before time.Time, after place, most int) ([]place, error) {
	var places []place
	err := r.db.Conn(database.AcrossCompanies(ctx, "actions without a job are found for all companies")).Model(&action{}).
		Where("state = 'waiting' AND updated_at < ?", before).
		Where("(company_id > ? OR (company_id = ? AND id > ?))", after.CompanyID, after.CompanyID, after.ID).
		Order("company_id, id").Limit(most).Find(&places).Error

	return places, database.Translate(err)
}

func (r *repository) renameRecipient(ctx context.Context, row *recipient) error {
	return database.Translate(r.db.Conn(ctx).Model(&recipient{}).Where("id = ?", row.ID).Select(
		"name", "email", "routing_order", "updated_at").Updates(row).Error)
}

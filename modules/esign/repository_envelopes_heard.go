package esign

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// heldEnvelopeOf returns the envelope with a vendor's id, nil if there is none.
func (r *repository) heldEnvelopeOf(ctx context.Context, account uuid.UUID, external string) (*envelope, error) {
	return database.IfAny[envelope](database.Held(r.db.Conn(ctx)), "account_id = ? AND external_id = ?", account, external)
}

// heldEnvelopeByID returns an account's envelope, nil if there is none.
func (r *repository) heldEnvelopeByID(ctx context.Context, account, id uuid.UUID) (*envelope, error) {
	return database.IfAny[envelope](database.Held(r.db.Conn(ctx)), "id = ? AND account_id = ?", id, account)
}

// knowsEnvelope reports whether there is an envelope with a vendor's id.
func (r *repository) knowsEnvelope(ctx context.Context, account uuid.UUID, external string) (bool, error) {
	n, err := database.Count(r.db.Conn(ctx).Model(&envelope{}).Where("account_id = ? AND external_id = ?", account, external))

	return n > 0, err
}

// saveHeard stores what was heard of an envelope.
func (r *repository) saveHeard(ctx context.Context, row *envelope) error {
	return database.Translate(r.db.Conn(ctx).Model(&envelope{}).Where("id = ?", row.ID).Select(
		"external_id", "subject", "message", "state", "reason", "code", "heard_status", "heard_at", "heard", "told_at", "expires_at",
		"sent_at", "delivered_at", "completed_at", "ended_at", "documents", "version", "updated_at",
	).Updates(row).Error)
}

// recipientsOf returns the recipients of an envelope, in the order of the index that finds them.
func (r *repository) recipientsOf(ctx context.Context, envelope uuid.UUID) ([]recipient, error) {
	return database.All[recipient](r.db.Conn(ctx).Where("envelope_id = ?", envelope).Order("external_id"))
}

func (r *repository) saveRecipient(ctx context.Context, row *recipient) error {
	return database.Translate(r.db.Conn(ctx).Model(&recipient{}).Where("id = ?", row.ID).Select(
		"external_id", "kind", "role", "name", "email", "routing_order", "embedded", "state", "reason", "heard_status", "heard_at",
		"sent_at", "delivered_at", "signed_at", "declined_at", "told_at", "updated_at",
	).Updates(row).Error)
}

// insertHappening writes down what has happened, unless that was done.
func (r *repository) insertHappening(ctx context.Context, row *happening) error {
	return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(row).Error)
}

// insertStray keeps what is told of an envelope that is not known, unless that was done.
func (r *repository) insertStray(ctx context.Context, row *stray) error {
	return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(row).Error)
}

// straysOf returns what was told of an envelope while it was not known, in the order in which it came.
func (r *repository) straysOf(ctx context.Context, account uuid.UUID, external string, most int) ([]stray, error) {
	return database.All[stray](r.db.Conn(ctx).Where("account_id = ? AND external_id = ?", account, external).
		Order("received_at, id").Limit(most))
}

func (r *repository) deleteStrays(ctx context.Context, ids []uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("id IN ?", ids).Delete(&stray{}).Error)
}

// dropStrays deletes the strays of all companies that came before a time.
func (r *repository) dropStrays(ctx context.Context, before time.Time) error {
	return r.db.Drain(ctx, r.db.Conn(database.AcrossCompanies(ctx, "what is too old is removed for all companies")).Model(&stray{}).
		Where("received_at < ?", before).Order("received_at"), r.deleteStrays)
}

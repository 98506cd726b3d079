package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// HeldEnvelopeOf returns the envelope with a vendor's id, nil if there is none.
func (r *Repository) HeldEnvelopeOf(ctx context.Context, account uuid.UUID, external string) (*Envelope, error) {
	return database.IfAny[Envelope](database.ForUpdate(r.DB.Conn(ctx)), "account_id = ? AND external_id = ?", account, external)
}

// HeldEnvelopeByID returns an account's envelope, nil if there is none.
func (r *Repository) HeldEnvelopeByID(ctx context.Context, account, id uuid.UUID) (*Envelope, error) {
	return database.IfAny[Envelope](database.ForUpdate(r.DB.Conn(ctx)), "id = ? AND account_id = ?", id, account)
}

// KnowsEnvelope reports whether there is an envelope with a vendor's id.
func (r *Repository) KnowsEnvelope(ctx context.Context, account uuid.UUID, external string) (bool, error) {
	n, err := database.Count(r.DB.Conn(ctx).Model(&Envelope{}).Where("account_id = ? AND external_id = ?", account, external))

	return n > 0, err
}

// SaveReported stores what was heard of an envelope.
func (r *Repository) SaveReported(ctx context.Context, row *Envelope) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Envelope{}).Where("id = ?", row.ID).Select(
		"external_id", "subject", "message", "state", "reason", "code", "heard_status", "heard_at", "heard", "told_at", "expires_at",
		"sent_at", "delivered_at", "completed_at", "ended_at", "documents", "version", "updated_at",
	).Updates(row).Error)
}

// RecipientsOf returns the recipients of an envelope, in the order of the index that finds them.
func (r *Repository) RecipientsOf(ctx context.Context, envelope uuid.UUID) ([]Recipient, error) {
	return database.All[Recipient](r.DB.Conn(ctx).Where("envelope_id = ?", envelope).Order("external_id"))
}

// SaveRecipient stores what was reported of a recipient.
func (r *Repository) SaveRecipient(ctx context.Context, row *Recipient) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Recipient{}).Where("id = ?", row.ID).Select(
		"external_id", "kind", "role", "name", "email", "routing_order", "embedded", "state", "reason", "heard_status", "heard_at",
		"sent_at", "delivered_at", "signed_at", "declined_at", "told_at", "updated_at",
	).Updates(row).Error)
}

// InsertHistoryEvent writes down what has happened, unless that was done.
func (r *Repository) InsertHistoryEvent(ctx context.Context, row *HistoryEvent) error {
	return database.Translate(r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(row).Error)
}

// InsertUnmatched keeps what is told of an envelope that is not known, unless that was done.
func (r *Repository) InsertUnmatched(ctx context.Context, row *Unmatched) error {
	return database.Translate(r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(row).Error)
}

// UnmatchedOf returns what was told of an envelope while it was not known, in the order in which it came.
func (r *Repository) UnmatchedOf(ctx context.Context, account uuid.UUID, external string, most int) ([]Unmatched, error) {
	return database.All[Unmatched](r.DB.Conn(ctx).Where("account_id = ? AND external_id = ?", account, external).
		Order("received_at, id").Limit(most))
}

// DeleteUnmatched deletes strays that were applied, or are too old.
func (r *Repository) DeleteUnmatched(ctx context.Context, ids []uuid.UUID) error {
	return database.Translate(r.DB.Conn(ctx).Where("id IN ?", ids).Delete(&Unmatched{}).Error)
}

// DeleteUnmatchedBefore deletes the strays of all companies that came before a time.
func (r *Repository) DeleteUnmatchedBefore(ctx context.Context, before time.Time) error {
	return r.DB.Drain(ctx, r.DB.Conn(database.AcrossCompanies(ctx, "what is too old is removed for all companies")).Model(&Unmatched{}).
		Where("received_at < ?", before).Order("received_at"), r.DeleteUnmatched)
}

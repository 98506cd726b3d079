package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Envelope returns an envelope.
func (r *Repository) Envelope(ctx context.Context, id uuid.UUID) (Envelope, error) {
	return database.One[Envelope](r.DB.Conn(ctx), ErrEnvelope, "id = ?", id)
}

// HeldEnvelope returns an envelope, and keeps it until the transaction ends.
func (r *Repository) HeldEnvelope(ctx context.Context, id uuid.UUID) (Envelope, error) {
	return database.One[Envelope](database.ForUpdate(r.DB.Conn(ctx)), ErrEnvelope, "id = ?", id)
}

// EnvelopesByID returns those of some ids that there are, without what is large.
func (r *Repository) EnvelopesByID(ctx context.Context, ids []uuid.UUID) ([]Envelope, error) {
	return database.All[Envelope](r.DB.Conn(ctx).Omit("content", "heard", "message").Where("id IN ?", ids))
}

// EnvelopesOf returns the envelopes of an item, the youngest first.
func (r *Repository) EnvelopesOf(ctx context.Context, itemType string, id uuid.UUID, most int) ([]Envelope, error) {
	return database.All[Envelope](r.DB.Conn(ctx).Omit("content", "heard", "message").Where("item_type = ? AND item_id = ?", itemType, id).
		Order("created_at DESC, id DESC").Limit(most))
}

// SaveEnvelope stores what of an envelope is decided here. What the provider tells of it has a writer of its own.
func (r *Repository) SaveEnvelope(ctx context.Context, row *Envelope) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Envelope{}).Where("id = ?", row.ID).Select(
		"subject", "message", "content", "state", "reason", "code", "detail", "attempts", "called_at", "asked_at",
		"ended_at", "documents", "documents_problem", "version", "updated_at",
	).Updates(row).Error)
}

// SaveContent stores what an envelope is made from.
func (r *Repository) SaveContent(ctx context.Context, row *Envelope) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Envelope{}).Where("id = ?", row.ID).Select("content").Updates(row).Error)
}

// Recipients returns the recipients of an envelope in the order in which they act.
func (r *Repository) Recipients(ctx context.Context, envelope uuid.UUID) ([]Recipient, error) {
	return database.All[Recipient](r.DB.Conn(ctx).Where("envelope_id = ?", envelope).Order("routing_order, id"))
}

// SaveSignedTabs stores what a recipient has signed.
func (r *Repository) SaveSignedTabs(ctx context.Context, row *Recipient) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Recipient{}).Where("id = ?", row.ID).Select("signed_tabs", "updated_at").Updates(row).Error)
}

// SignedRecipients returns the recipients of envelopes whose signed values are known.
func (r *Repository) SignedRecipients(ctx context.Context, envelopes ...uuid.UUID) ([]Recipient, error) {
	return database.All[Recipient](r.DB.Conn(ctx).Where("envelope_id IN ? AND signed_tabs IS NOT NULL", envelopes).Order("envelope_id, routing_order, id"))
}

// InsertRecipients stores new recipients of an envelope.
func (r *Repository) InsertRecipients(ctx context.Context, envelope uuid.UUID, rows []Recipient) error {
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		rows[i].EnvelopeID = envelope
	}

	return database.Translate(r.DB.Conn(ctx).Create(&rows).Error)
}

// DeleteRecipients deletes the recipients of an envelope.
func (r *Repository) DeleteRecipients(ctx context.Context, envelope uuid.UUID) error {
	return database.Translate(r.DB.Conn(ctx).Where("envelope_id = ?", envelope).Delete(&Recipient{}).Error)
}

// mostHappenings is how much of an envelope's history is read: a hundred recipients have some hundreds.
const maxHistoryEvents = 2000

// HistoryEvents returns what happened to an envelope, the earliest first.
func (r *Repository) HistoryEvents(ctx context.Context, envelope uuid.UUID) ([]HistoryEvent, error) {
	return database.All[HistoryEvent](r.DB.Conn(ctx).Where("envelope_id = ?", envelope).Order("happened_at, id").Limit(maxHistoryEvents))
}

// EachWaiting calls do for the envelopes of all companies that wait to be handed over, or for what came of that.
func (r *Repository) EachWaiting(ctx context.Context, before time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.DB.Each(ctx, r.DB.Conn(database.AcrossCompanies(ctx, "envelopes without a job are found for all companies")).Model(&Envelope{}).
		Where("state IN ('queued', 'sending') AND updated_at < ?", before), do)
}

func (r *Repository) countStates(ctx context.Context, states ...Status) (int64, error) {
	return database.Count(r.DB.Conn(ctx).Model(&Envelope{}).Where("state IN ?", states))
}

// CountUnderWay counts the envelopes that wait for signatures.
func (r *Repository) CountUnderWay(ctx context.Context) (int64, error) {
	return r.countStates(ctx, Sent, Delivered, Signed, Correcting)
}

// CountUnknown counts the envelopes that may have been sent or not.
func (r *Repository) CountUnknown(ctx context.Context) (int64, error) {
	return r.countStates(ctx, Unknown)
}

// CountFailed counts the envelopes that could not be sent.
func (r *Repository) CountFailed(ctx context.Context) (int64, error) {
	return r.countStates(ctx, Failed)
}

// Envelopes returns a page of envelopes.
func (r *Repository) Envelopes(ctx context.Context, q list.Query) (list.Page[Envelope], error) {
	page, err := list.Find(r.DB.Dynamic(ctx).Omit("heard"), q, Envelope.sortKey)

	return page, database.Translate(err)
}

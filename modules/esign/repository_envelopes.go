package esign

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

func (r *repository) envelope(ctx context.Context, id uuid.UUID) (envelope, error) {
	return database.One[envelope](r.db.Conn(ctx), errEnvelope, "id = ?", id)
}

func (r *repository) heldEnvelope(ctx context.Context, id uuid.UUID) (envelope, error) {
	return database.One[envelope](database.Held(r.db.Conn(ctx)), errEnvelope, "id = ?", id)
}

// someEnvelopes returns those of some ids that there are, without what is large.
func (r *repository) someEnvelopes(ctx context.Context, ids []uuid.UUID) ([]envelope, error) {
	return database.All[envelope](r.db.Conn(ctx).Omit("content", "heard", "message").Where("id IN ?", ids))
}

// envelopesOf returns the envelopes of an item, the youngest first.
func (r *repository) envelopesOf(ctx context.Context, itemType string, id uuid.UUID, most int) ([]envelope, error) {
	return database.All[envelope](r.db.Conn(ctx).Omit("content", "heard", "message").Where("item_type = ? AND item_id = ?", itemType, id).
		Order("created_at DESC, id DESC").Limit(most))
}

// saveEnvelope stores what of an envelope is decided here. What the provider tells of it has a writer of its own.
func (r *repository) saveEnvelope(ctx context.Context, row *envelope) error {
	return database.Translate(r.db.Conn(ctx).Model(&envelope{}).Where("id = ?", row.ID).Select(
		"subject", "message", "content", "state", "reason", "code", "detail", "attempts", "called_at", "asked_at",
		"ended_at", "documents", "documents_problem", "version", "updated_at",
	).Updates(row).Error)
}

// saveContent stores what an envelope is made from.
func (r *repository) saveContent(ctx context.Context, row *envelope) error {
	return database.Translate(r.db.Conn(ctx).Model(&envelope{}).Where("id = ?", row.ID).Select("content").Updates(row).Error)
}

func (r *repository) recipients(ctx context.Context, envelope uuid.UUID) ([]recipient, error) {
	return database.All[recipient](r.db.Conn(ctx).Where("envelope_id = ?", envelope).Order("routing_order, id"))
}

// saveSignedTabs stores what a recipient has signed.
func (r *repository) saveSignedTabs(ctx context.Context, row *recipient) error {
	return database.Translate(r.db.Conn(ctx).Model(&recipient{}).Where("id = ?", row.ID).Select("signed_tabs", "updated_at").Updates(row).Error)
}

// signedRecipients returns the recipients of envelopes whose signed values are known.
func (r *repository) signedRecipients(ctx context.Context, envelopes ...uuid.UUID) ([]recipient, error) {
	return database.All[recipient](r.db.Conn(ctx).Where("envelope_id IN ? AND signed_tabs IS NOT NULL", envelopes).Order("envelope_id, routing_order, id"))
}

func (r *repository) insertRecipients(ctx context.Context, envelope uuid.UUID, rows []recipient) error {
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		rows[i].EnvelopeID = envelope
	}

	return database.Translate(r.db.Conn(ctx).Create(&rows).Error)
}

func (r *repository) dropRecipients(ctx context.Context, envelope uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("envelope_id = ?", envelope).Delete(&recipient{}).Error)
}

// mostHappenings is how much of an envelope's history is read: a hundred recipients have some hundreds.
const mostHappenings = 2000

func (r *repository) happenings(ctx context.Context, envelope uuid.UUID) ([]happening, error) {
	return database.All[happening](r.db.Conn(ctx).Where("envelope_id = ?", envelope).Order("happened_at, id").Limit(mostHappenings))
}

// eachWaiting calls do for the envelopes of all companies that wait to be handed over, or for what came of that.
func (r *repository) eachWaiting(ctx context.Context, before time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "envelopes without a job are found for all companies")).Model(&envelope{}).
		Where("state IN ('queued', 'sending') AND updated_at < ?", before), do)
}

func (r *repository) countStates(ctx context.Context, states ...status) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&envelope{}).Where("state IN ?", states))
}

func (r *repository) countUnderWay(ctx context.Context) (int64, error) {
	return r.countStates(ctx, sent, delivered, signed, correcting)
}

func (r *repository) countUnknown(ctx context.Context) (int64, error) {
	return r.countStates(ctx, unknown)
}

func (r *repository) countFailed(ctx context.Context) (int64, error) {
	return r.countStates(ctx, failed)
}

func envelopeSchema() list.Schema {
	text := func(name string) list.Field {
		return list.Field{Name: name, Expr: name, Kind: list.Text, Filterable: true}
	}

	return list.Schema{
		Fields: []list.Field{
			text("state"), text("reason"), text("item_type"), text("source"), text("origin"), text("documents"),
			{Name: "item_uuid", Expr: "item_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: list.UUID, Filterable: true},
			{Name: "template_uuid", Expr: "template_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "mapping_uuid", Expr: "mapping_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "copy_of_uuid", Expr: "copy_of", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "external_id", Expr: "external_id", Kind: list.Text, Nullable: true, Filterable: true},
			{Name: "created_by_uuid", Expr: "created_by", Kind: list.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
			{Name: "updated_at", Expr: "updated_at", Kind: list.Time, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
		Keys: list.KeysOf[envelopeBody](), Search: []string{"subject"},
	}
}

func (r *repository) envelopes(ctx context.Context, q list.Query) (list.Page[envelope], error) {
	page, err := list.Find(r.db.Dynamic(ctx).Omit("heard"), q, envelope.sortKey)

	return page, database.Translate(err)
}

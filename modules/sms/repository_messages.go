package sms

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

func (r *repository) message(ctx context.Context, id uuid.UUID) (message, error) {
	return database.One[message](r.db.Conn(ctx), errNotFound, "id = ?", id)
}

func (r *repository) heldMessage(ctx context.Context, id uuid.UUID) (message, error) {
	return database.One[message](database.Held(r.db.Conn(ctx)), errNotFound, "id = ?", id)
}

// messageOf returns the message that an account knows by a provider's id.
func (r *repository) messageOf(ctx context.Context, account uuid.UUID, providerID string) (message, error) {
	return database.One[message](r.db.Conn(ctx), errBadMessageID, "account_id = ? AND provider_id = ?", account, providerID)
}

func (r *repository) saveMessage(ctx context.Context, row *message) error {
	return database.Translate(r.db.Conn(ctx).Model(&message{}).Where("id = ?", row.ID).Select(
		"segments", "state", "reason", "code", "provider_id", "provider_status", "cost", "currency", "slot_at", "due_at",
		"attempts", "sent_at", "delivered_at", "heard_at", "version", "updated_at",
	).Updates(row).Error)
}

func (r *repository) someMessages(ctx context.Context, ids []uuid.UUID) ([]message, error) {
	return database.All[message](r.db.Conn(ctx).Where("id IN ?", ids))
}

func (r *repository) attempt(ctx context.Context, id uuid.UUID) (attempt, error) {
	return database.One[attempt](r.db.Conn(ctx), errBadMessageID, "id = ?", id)
}

// lastAttempt returns the newest attempt of a message.
func (r *repository) lastAttempt(ctx context.Context, message uuid.UUID) (attempt, error) {
	return database.One[attempt](r.db.Conn(ctx).Order("number DESC"), errNotFound, "message_id = ?", message)
}

func (r *repository) attempts(ctx context.Context, message uuid.UUID) ([]attempt, error) {
	return database.All[attempt](r.db.Conn(ctx).Where("message_id = ?", message).Order("number"))
}

func (r *repository) saveAttempt(ctx context.Context, row *attempt) error {
	return database.Translate(r.db.Conn(ctx).Model(&attempt{}).Where("id = ?", row.ID).Select(
		"outcome", "reason", "code", "detail", "called_at", "ended_at").Updates(row).Error)
}

// eachWaiting calls do for the messages of all companies that should have gone before a time.
func (r *repository) eachWaiting(ctx context.Context, before time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.db.Each(ctx, r.db.Conn(database.AcrossCompanies(ctx, "messages without a job are found for all companies")).Model(&message{}).
		Where("due_at < ? AND state IN ('scheduled', 'queued', 'sending')", before), do)
}

// purgeBodies removes the texts of the messages of all companies that were made before a time and have come to an end.
func (r *repository) purgeBodies(ctx context.Context, before, now time.Time) error {
	old := r.db.Conn(database.AcrossCompanies(ctx, "texts are kept for so long, of all companies")).Model(&message{}).
		Where("created_at < ? AND body_purged_at IS NULL AND state NOT IN ('scheduled', 'queued', 'sending', 'unknown')", before).
		Order("created_at")

	return r.db.Drain(ctx, old, func(ctx context.Context, ids []uuid.UUID) error {
		return database.Translate(r.db.Conn(ctx).Model(&message{}).Where("id IN ?", ids).Updates(map[string]any{
			"body": "", "media": "[]", "body_purged_at": now, "version": gorm.Expr("version + 1"), "updated_at": now,
		}).Error)
	})
}

func (r *repository) countUnknown(ctx context.Context) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&message{}).Where("state = ?", unknown))
}

// countSuspected returns how many messages wait for somebody to say whether they are opt-outs.
func (r *repository) countSuspected(ctx context.Context) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&message{}).Where("opt_out_review = ?", reviewPending))
}

// settleReviews ends the reviews of a number's messages.
func (r *repository) settleReviews(ctx context.Context, number, as string, now time.Time) error {
	return settle(r.db.Conn(ctx).Where("sender = ?", number), as, now)
}

// settleReview ends the review of a message.
func (r *repository) settleReview(ctx context.Context, id uuid.UUID, as string, now time.Time) error {
	return settle(r.db.Conn(ctx).Where("id = ?", id), as, now)
}

func settle(tx *gorm.DB, as string, now time.Time) error {
	return database.Translate(tx.Model(&message{}).Where("opt_out_review = ?", reviewPending).Updates(map[string]any{
		"opt_out_review": as, "version": gorm.Expr("version + 1"), "updated_at": now,
	}).Error)
}

// talk puts a message at the end of the thread of two numbers, which is made if there is none, and returns it held.
func (r *repository) talk(ctx context.Context, row thread) (thread, error) {
	latest := clause.AssignmentColumns([]string{"number_id", "last_id", "last_at", "direction"})
	unread := clause.Assignments(map[string]any{"unread": gorm.Expr("sms_threads.unread + excluded.unread")})
	err := r.db.Conn(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "number"}, {Name: "counterpart"}},
		DoUpdates: append(latest, unread...), Where: database.SameCompany(thread{}.TableName()),
	}, clause.Returning{}).Create(&row).Error

	return row, database.Translate(err)
}

// lastThread returns the number that was last used with a counterpart; nil for none.
func (r *repository) lastThread(ctx context.Context, counterpart string) (*thread, error) {
	return database.IfAny[thread](r.db.Conn(ctx).Order("last_at DESC, id DESC"), "counterpart = ?", counterpart)
}

func (r *repository) thread(ctx context.Context, id uuid.UUID) (thread, error) {
	return database.One[thread](r.db.Conn(ctx), errThread, "id = ?", id)
}

func (r *repository) markRead(ctx context.Context, id uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Model(&thread{}).Where("id = ?", id).Update("unread", 0).Error)
}

func (r *repository) countUnread(ctx context.Context) (int64, error) {
	return database.Count(r.db.Conn(ctx).Model(&thread{}).Where("unread > 0"))
}

func messageSchema() list.Schema {
	text := func(name string) list.Field {
		return list.Field{Name: name, Expr: name, Kind: list.Text, Filterable: true}
	}

	return list.Schema{
		Fields: []list.Field{
			{Name: "thread_uuid", Expr: "thread_id", Kind: list.UUID, Filterable: true},
			{Name: "account_uuid", Expr: "account_id", Kind: list.UUID, Filterable: true},
			{Name: "number_uuid", Expr: "number_id", Kind: list.UUID, Filterable: true},
			{Name: "template_uuid", Expr: "template_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "owner_uuid", Expr: "owner_id", Kind: list.UUID, Nullable: true, Filterable: true},
			{Name: "created_by_uuid", Expr: "created_by", Kind: list.UUID, Nullable: true, Filterable: true, NamesUser: true},
			{Name: "from", Expr: "sender", Kind: list.Text, Filterable: true},
			{Name: "to", Expr: "recipient", Kind: list.Text, Filterable: true},
			text("direction"), text("state"), text("reason"), text("code"), text("owner_type"),
			{Name: "opt_out_review", Expr: "opt_out_review", Kind: list.Text, Nullable: true, Filterable: true},
			{Name: "created_at", Expr: "created_at", Kind: list.Time, Sortable: true, Filterable: true},
			{Name: "due_at", Expr: "due_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true}, DefaultSort: []string{"-created_at"},
		Keys: list.KeysOf[messageBody](), Search: []string{"body"}, Expand: []string{expandNumber, expandTemplate},
	}
}

func (r *repository) messages(ctx context.Context, q list.Query) (list.Page[message], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, message.sortKey)

	return page, database.Translate(err)
}

func threadSchema() list.Schema {
	return list.Schema{
		Fields: []list.Field{
			{Name: "number", Expr: "number", Kind: list.Text, Filterable: true},
			{Name: "counterpart", Expr: "counterpart", Kind: list.Text, Filterable: true},
			{Name: "number_uuid", Expr: "number_id", Kind: list.UUID, Filterable: true},
			{Name: "unread", Expr: "unread", Kind: list.Integer, Filterable: true},
			{Name: "direction", Expr: "direction", Kind: list.Text, Filterable: true},
			{Name: "last_at", Expr: "last_at", Kind: list.Time, Sortable: true, Filterable: true},
		},
		ID: list.Field{Name: "uuid", Expr: "id", Kind: list.UUID, Filterable: true}, DefaultSort: []string{"-last_at"},
		Keys: list.KeysOf[threadBody](), Search: []string{"counterpart"}, Expand: []string{expandLast},
	}
}

func (r *repository) threads(ctx context.Context, q list.Query) (list.Page[thread], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, thread.sortKey)

	return page, database.Translate(err)
}

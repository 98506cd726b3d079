package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Message returns a message.
func (r *Repository) Message(ctx context.Context, id uuid.UUID) (Message, error) {
	return database.One[Message](r.DB.Conn(ctx), ErrNotFound, "id = ?", id)
}

// LockMessage returns a message, and keeps others from it until the transaction ends.
func (r *Repository) LockMessage(ctx context.Context, id uuid.UUID) (Message, error) {
	return database.One[Message](database.ForUpdate(r.DB.Conn(ctx)), ErrNotFound, "id = ?", id)
}

// MessageByProviderID returns the message that an account knows by a provider's id.
func (r *Repository) MessageByProviderID(ctx context.Context, account uuid.UUID, providerID string) (Message, error) {
	return database.One[Message](r.DB.Conn(ctx), ErrBadMessageID, "account_id = ? AND provider_id = ?", account, providerID)
}

// SaveMessage stores what changes of a message after it was made.
func (r *Repository) SaveMessage(ctx context.Context, row *Message) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Message{}).Where("id = ?", row.ID).Select(
		"segments", "state", "reason", "code", "provider_id", "provider_status", "cost", "currency", "slot_at", "due_at",
		"attempts", "sent_at", "delivered_at", "heard_at", "version", "updated_at",
	).Updates(row).Error)
}

// MessagesByID returns those of the messages that there are.
func (r *Repository) MessagesByID(ctx context.Context, ids []uuid.UUID) ([]Message, error) {
	return database.All[Message](r.DB.Conn(ctx).Where("id IN ?", ids))
}

// Attempt returns an attempt.
func (r *Repository) Attempt(ctx context.Context, id uuid.UUID) (Attempt, error) {
	return database.One[Attempt](r.DB.Conn(ctx), ErrBadMessageID, "id = ?", id)
}

// LastAttempt returns the newest attempt of a message.
func (r *Repository) LastAttempt(ctx context.Context, message uuid.UUID) (Attempt, error) {
	return database.One[Attempt](r.DB.Conn(ctx).Order("number DESC"), ErrNotFound, "message_id = ?", message)
}

// Attempts returns the attempts of a message, the first one first.
func (r *Repository) Attempts(ctx context.Context, message uuid.UUID) ([]Attempt, error) {
	return database.All[Attempt](r.DB.Conn(ctx).Where("message_id = ?", message).Order("number"))
}

// SaveAttempt stores what became of an attempt.
func (r *Repository) SaveAttempt(ctx context.Context, row *Attempt) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Attempt{}).Where("id = ?", row.ID).Select(
		"outcome", "reason", "code", "detail", "called_at", "ended_at").Updates(row).Error)
}

// EachWaiting calls do for the messages of all companies that should have gone before a time.
func (r *Repository) EachWaiting(ctx context.Context, before time.Time, do func(context.Context, uuid.UUID) error) error {
	return r.DB.Each(ctx, r.DB.Conn(database.AcrossCompanies(ctx, "messages without a job are found for all companies")).Model(&Message{}).
		Where("due_at < ? AND state IN ('scheduled', 'queued', 'sending')", before), do)
}

// PurgeBodies removes the texts of the messages of all companies that were made before a time and have come to an end.
func (r *Repository) PurgeBodies(ctx context.Context, before, now time.Time) error {
	old := r.DB.Conn(database.AcrossCompanies(ctx, "texts are kept for so long, of all companies")).Model(&Message{}).
		Where("created_at < ? AND body_purged_at IS NULL AND state NOT IN ('scheduled', 'queued', 'sending', 'unknown')", before).
		Order("created_at")

	return r.DB.Drain(ctx, old, func(ctx context.Context, ids []uuid.UUID) error {
		return database.Translate(r.DB.Conn(ctx).Model(&Message{}).Where("id IN ?", ids).Updates(map[string]any{
			"body": "", "sealed_body": nil, "media": "[]", "body_purged_at": now, "version": gorm.Expr("version + 1"), "updated_at": now,
		}).Error)
	})
}

// CountUnknown returns how many messages are unknown.
func (r *Repository) CountUnknown(ctx context.Context) (int64, error) {
	return database.Count(r.DB.Conn(ctx).Model(&Message{}).Where("state = ?", Unknown))
}

// CountSuspected returns how many messages wait for somebody to say whether they are opt-outs.
func (r *Repository) CountSuspected(ctx context.Context) (int64, error) {
	return database.Count(r.DB.Conn(ctx).Model(&Message{}).Where("opt_out_review = ?", ReviewPending))
}

// EndReviews ends the reviews of a number's messages.
func (r *Repository) EndReviews(ctx context.Context, number, as string, now time.Time) error {
	return endReview(r.DB.Conn(ctx).Where("sender = ?", number), as, now)
}

// EndReview ends the review of a message.
func (r *Repository) EndReview(ctx context.Context, id uuid.UUID, as string, now time.Time) error {
	return endReview(r.DB.Conn(ctx).Where("id = ?", id), as, now)
}

func endReview(tx *gorm.DB, as string, now time.Time) error {
	return database.Translate(tx.Model(&Message{}).Where("opt_out_review = ?", ReviewPending).Updates(map[string]any{
		"opt_out_review": as, "version": gorm.Expr("version + 1"), "updated_at": now,
	}).Error)
}

// AddToThread puts a message at the end of the thread of two numbers, which is made if there is none, and returns it held.
func (r *Repository) AddToThread(ctx context.Context, row Thread) (Thread, error) {
	latest := clause.AssignmentColumns([]string{"number_id", "last_id", "last_at", "direction"})
	unread := clause.Assignments(map[string]any{"unread": gorm.Expr("sms_threads.unread + excluded.unread")})
	err := r.DB.Conn(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "number"}, {Name: "counterpart"}},
		DoUpdates: append(latest, unread...), Where: database.SameCompany(Thread{}.TableName()),
	}, clause.Returning{}).Create(&row).Error

	return row, database.Translate(err)
}

// LastThread returns the number that was last used with a counterpart; nil for none.
func (r *Repository) LastThread(ctx context.Context, counterpart string) (*Thread, error) {
	return database.IfAny[Thread](r.DB.Conn(ctx).Order("last_at DESC, id DESC"), "counterpart = ?", counterpart)
}

// Thread returns a thread.
func (r *Repository) Thread(ctx context.Context, id uuid.UUID) (Thread, error) {
	return database.One[Thread](r.DB.Conn(ctx), ErrThread, "id = ?", id)
}

// MarkRead marks all messages of a thread as read.
func (r *Repository) MarkRead(ctx context.Context, id uuid.UUID) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Thread{}).Where("id = ?", id).Update("unread", 0).Error)
}

// CountUnread returns how many threads have unread messages.
func (r *Repository) CountUnread(ctx context.Context) (int64, error) {
	return database.Count(r.DB.Conn(ctx).Model(&Thread{}).Where("unread > 0"))
}

// Messages returns a page of messages.
func (r *Repository) Messages(ctx context.Context, q list.Query) (list.Page[Message], error) {
	page, err := list.Find(r.DB.Dynamic(ctx), q, Message.sortKey)

	return page, database.Translate(err)
}

// Threads returns a page of threads.
func (r *Repository) Threads(ctx context.Context, q list.Query) (list.Page[Thread], error) {
	page, err := list.Find(r.DB.Dynamic(ctx), q, Thread.sortKey)

	return page, database.Translate(err)
}

// UnreportedAccounts returns the accounts of all companies that have messages to ask about.
func (r *Repository) UnreportedAccounts(ctx context.Context, made, heard time.Time) ([]database.Place, error) {
	return database.All[database.Place](r.DB.Conn(database.AcrossCompanies(ctx, "providers are asked for all companies")).Model(&Message{}).
		Distinct("company_id", "account_id AS id").
		Where("state IN ('sending', 'sent') AND heard_at < ? AND created_at > ? AND provider_id IS NOT NULL", heard, made))
}

// UnreportedMessages returns messages of an account that nothing was heard of since a time, the longest first.
func (r *Repository) UnreportedMessages(ctx context.Context, account uuid.UUID, made, heard time.Time, most int) ([]Message, error) {
	return database.All[Message](r.DB.Conn(ctx).
		Where("account_id = ? AND state IN ('sending', 'sent') AND heard_at < ? AND created_at > ? AND provider_id IS NOT NULL", account, heard, made).
		Order("heard_at").Limit(most))
}

// MarkAsked notes that a message was asked about.
func (r *Repository) MarkAsked(ctx context.Context, id uuid.UUID, now time.Time) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Message{}).Where("id = ?", id).Update("heard_at", now).Error)
}

// ActiveNumbers returns the numbers of an account that get messages.
func (r *Repository) ActiveNumbers(ctx context.Context, account uuid.UUID) ([]Number, error) {
	return database.All[Number](r.DB.Conn(ctx).Where("account_id = ? AND state = ?", account, NumberActive).Order("id"))
}

// NoteFetched notes up to when an account was asked for messages.
func (r *Repository) NoteFetched(ctx context.Context, id uuid.UUID, at time.Time) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Account{}).Where("id = ?", id).Update("fetched_at", at).Error)
}

// LaterConsent reports whether somebody has opted out or in after a time.
func (r *Repository) LaterConsent(ctx context.Context, number string, at time.Time) (bool, error) {
	n, err := database.Count(r.DB.Conn(ctx).Model(&Consent{}).Where("number = ? AND created_at > ?", number, at))

	return n > 0, err
}

// SaveAttachments stores which files of a message were kept.
func (r *Repository) SaveAttachments(ctx context.Context, row *Message) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Message{}).Where("id = ?", row.ID).Select("attachment_ids", "version", "updated_at").Updates(row).Error)
}

// AddMessageToThread puts a message at the end of its thread.
func (r *Repository) AddMessageToThread(ctx context.Context, row *Message) (Thread, error) {
	ours := row.Sender
	if row.Direction == Inbound {
		ours = row.Recipient
	}
	t := Thread{
		ID: database.NewID(), NumberID: row.NumberID, Number: ours, Counterpart: row.Counterpart(),
		LastID: row.ID, LastAt: row.CreatedAt, Direction: row.Direction, CreatedAt: row.CreatedAt,
	}
	if row.Direction == Inbound {
		t.Unread = 1
	}

	return r.AddToThread(ctx, t)
}

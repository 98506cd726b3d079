package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
)

// store reads and writes the esign_sandbox_* tables; the database package keeps companies apart.
type store struct{ db *database.DB }

// notFoundAs translates an error; a row that is not there is the vendor's word for it.
func notFoundAs(err error) error {
	if err = database.Translate(err); errors.Is(err, database.ErrNotFound) {
		return refusal(provider.NotFound, "ENVELOPE_DOES_NOT_EXIST")
	}

	return err
}

// envelope returns an envelope of an account; uuid.Nil is any account of the company.
func (s *store) envelope(ctx context.Context, account, id uuid.UUID, held bool) (envelope, error) {
	var row envelope
	tx := s.db.Conn(ctx).Where("id = ?", id)
	if account != uuid.Nil {
		tx = tx.Where("account_id = ?", account)
	}
	if held {
		tx = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
	}

	return row, notFoundAs(tx.Take(&row).Error)
}

func (s *store) insert(ctx context.Context, row any) error {
	return database.Translate(s.db.Conn(ctx).Create(row).Error)
}

func (s *store) saveEnvelope(ctx context.Context, row *envelope) error {
	return database.Translate(s.db.Conn(ctx).Model(&envelope{}).Where("id = ?", row.ID).Select(
		"status", "reason", "recipients", "notices", "expires_at", "sent_at", "delivered_at", "completed_at", "declined_at",
		"voided_at", "changed_at",
	).Updates(row).Error)
}

// referenced returns the envelopes of an account by their reference, the oldest first.
func (s *store) referenced(ctx context.Context, account uuid.UUID, reference string, since time.Time) (rows []envelope, err error) {
	err = s.db.Conn(ctx).Where("account_id = ? AND reference = ? AND created_at >= ?", account, reference, since).
		Order("created_at, id").Limit(100).Find(&rows).Error

	return rows, database.Translate(err)
}

// changed returns the envelopes of an account that have changed since, the earliest first, after a place among them.
func (s *store) changed(ctx context.Context, account uuid.UUID, since time.Time, skip, most int) (rows []envelope, err error) {
	err = s.db.Conn(ctx).Where("account_id = ? AND changed_at >= ?", account, since).
		Order("changed_at, id").Offset(skip).Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// waiting returns the open envelopes of the company, the youngest first.
func (s *store) waiting(ctx context.Context, most int) (rows []envelope, err error) {
	err = s.db.Conn(ctx).Where("status IN ?", []string{sent, delivered}).Order("created_at DESC, id DESC").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// outbox implements vendorsandbox.Outbox over the notices of envelopes.
type outbox struct{ db *database.DB }

// Hold implements vendorsandbox.Outbox.
func (o outbox) Hold(ctx context.Context, id uuid.UUID, now, until time.Time) (bool, error) {
	tx := o.db.Conn(ctx).Model(&envelope{}).Where("id = ? AND (held_until IS NULL OR held_until < ?)", id, now).Update("held_until", until)

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}

// Release implements vendorsandbox.Outbox.
func (o outbox) Release(ctx context.Context, id uuid.UUID) error {
	return database.Translate(o.db.Conn(ctx).Model(&envelope{}).Where("id = ?", id).Update("held_until", nil).Error)
}

// Next implements vendorsandbox.Outbox.
func (o outbox) Next(ctx context.Context, envelope uuid.UUID) (*vendorsandbox.Notice, error) {
	var rows []notice
	err := o.db.Conn(ctx).Where("envelope_id = ? AND taken_at IS NULL AND failed_at IS NULL", envelope).Order("seq").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, database.Translate(err)
	}
	n := rows[0]

	return &vendorsandbox.Notice{ID: n.ID, Account: n.AccountID, Event: n.Event, Body: n.Body, Tries: n.Tries}, nil
}

// Save implements vendorsandbox.Outbox.
func (o outbox) Save(ctx context.Context, n *vendorsandbox.Notice) error {
	row := notice{Tries: n.Tries, TakenAt: n.TakenAt, FailedAt: n.FailedAt}

	return database.Translate(o.db.Conn(ctx).Model(&notice{}).Where("id = ?", n.ID).Select("tries", "taken_at", "failed_at").Updates(&row).Error)
}

// deleteAccount forgets what an account had.
func (s *store) deleteAccount(ctx context.Context, account uuid.UUID) error {
	for _, of := range []any{&notice{}, &envelope{}} {
		if err := s.db.Conn(ctx).Where("account_id = ?", account).Delete(of).Error; err != nil {
			return database.Translate(err)
		}
	}

	return nil
}

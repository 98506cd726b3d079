package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
)

// box reads and writes the cards_sandbox_* tables; the database package keeps companies apart.
type box struct{ db *database.DB }

var errNotFound = errors.New("sandbox: there is no such thing")

// locked returns a thing of an account, and keeps others from it until the transaction ends. Error: a Failure for none.
func (b *box) locked(ctx context.Context, account uuid.UUID, kind, id string) (thing, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return thing{}, notFound()
	}
	row, err := database.One[thing](database.ForUpdate(b.db.Conn(ctx)), errNotFound, "id = ? AND account_id = ? AND kind = ?", parsed, account, kind)
	if errors.Is(err, errNotFound) {
		err = notFound()
	}

	return row, err
}

func notFound() error {
	return refused(cardsapi.NotFound, "NOT_FOUND", "There is no such thing at the sandbox.")
}

// referenced returns the thing with a reference, nil for none.
func (b *box) referenced(ctx context.Context, account uuid.UUID, kind, reference string) (*thing, error) {
	return database.IfAny[thing](b.db.Conn(ctx), "account_id = ? AND kind = ? AND reference = ? AND reference <> ''", account, kind, reference)
}

func (b *box) insert(ctx context.Context, row any) error {
	return database.Translate(b.db.Conn(ctx).Create(row).Error)
}

func (b *box) save(ctx context.Context, row *thing) error {
	return database.Translate(b.db.Conn(ctx).Model(&thing{}).Where("id = ?", row.ID).
		Select("status", "units", "fee", "notices", "changed_at").Updates(row).Error)
}

// children returns the refunds or disputes of payments.
func (b *box) children(ctx context.Context, kind string, payments ...uuid.UUID) ([]thing, error) {
	if len(payments) == 0 {
		return nil, nil
	}

	return database.All[thing](b.db.Conn(ctx).Where("kind = ? AND parent_id IN ?", kind, payments).Order("created_at, id"))
}

// made returns the things of a kind that were made in a window, after a place.
func (b *box) made(ctx context.Context, account uuid.UUID, kind string, from, to time.Time, skip, most int) ([]thing, error) {
	return database.All[thing](b.db.Conn(ctx).Where("account_id = ? AND kind = ? AND created_at >= ? AND created_at < ?", account, kind, from, to).
		Order("created_at, id").Offset(skip).Limit(most))
}

// forget deletes a payment with all that belongs to it.
func (b *box) forget(ctx context.Context, payment uuid.UUID) error {
	if err := b.db.Conn(ctx).Where("parent_id = ?", payment).Delete(&thing{}).Error; err != nil {
		return database.Translate(err)
	}

	return database.Translate(b.db.Conn(ctx).Where("id = ?", payment).Delete(&thing{}).Error)
}

// deleteAccount deletes what an account had.
func (b *box) deleteAccount(ctx context.Context, account uuid.UUID) error {
	for _, of := range []any{&notice{}, &thing{}} {
		if err := b.db.Conn(ctx).Where("account_id = ?", account).Delete(of).Error; err != nil {
			return database.Translate(err)
		}
	}

	return nil
}

// outbox implements vendorsandbox.Outbox over the notices of payments.
type outbox struct{ db *database.DB }

// Hold implements vendorsandbox.Outbox.
func (o outbox) Hold(ctx context.Context, id uuid.UUID, now, until time.Time) (bool, error) {
	tx := o.db.Conn(ctx).Model(&thing{}).Where("id = ? AND (held_until IS NULL OR held_until < ?)", id, now).Update("held_until", until)

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}

// Release implements vendorsandbox.Outbox.
func (o outbox) Release(ctx context.Context, id uuid.UUID) error {
	return database.Translate(o.db.Conn(ctx).Model(&thing{}).Where("id = ?", id).Update("held_until", nil).Error)
}

// Next implements vendorsandbox.Outbox.
func (o outbox) Next(ctx context.Context, thing uuid.UUID) (*vendorsandbox.Notice, error) {
	rows, err := database.All[notice](o.db.Conn(ctx).Where("thing_id = ? AND taken_at IS NULL AND failed_at IS NULL", thing).Order("seq").Limit(1))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	n := rows[0]

	return &vendorsandbox.Notice{ID: n.ID, Account: n.AccountID, Event: n.Event, Body: n.Body, Tries: n.Tries}, nil
}

// Save implements vendorsandbox.Outbox.
func (o outbox) Save(ctx context.Context, n *vendorsandbox.Notice) error {
	row := notice{Tries: n.Tries, TakenAt: n.TakenAt, FailedAt: n.FailedAt}

	return database.Translate(o.db.Conn(ctx).Model(&notice{}).Where("id = ?", n.ID).Select("tries", "taken_at", "failed_at").Updates(&row).Error)
}

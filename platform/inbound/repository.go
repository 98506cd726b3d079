package inbound

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// repository reads and writes the tables inbound_*. Its errors are those of database.Translate, and
// ErrDelivery.
type repository struct{ db *database.DB }

// why is the reason for SQL by hand.
const why = "what nothing reads again goes in one message; the company is that of the endpoint, and is bound"

// insert leaves a delivery to be stored. That there is one with its dedupe key is the database.ErrDuplicate of the
// transaction.
func (r repository) insert(ctx context.Context, n row, b bodyRow) error {
	err := r.db.Pipeline(ctx, why, `INSERT INTO inbound_deliveries (company_id, id, kind, endpoint_id, dedupe_key, key_id, size, state,
attempts, duplicates, replays, error, address, request_id, received_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, '', ?, ?, ?)`,
		[]any{n.CompanyID, n.ID, n.Kind, n.EndpointID, n.DedupeKey, n.KeyID, n.Size, string(n.State), n.Address, n.RequestID, n.ReceivedAt}, nil)
	if err != nil {
		return err
	}

	return r.db.Pipeline(ctx, why, "INSERT INTO inbound_bodies (company_id, id, head, body, file_size) VALUES (?, ?, ?, ?, ?)",
		[]any{n.CompanyID, n.ID, b.Head, b.Body, b.FileSize}, nil)
}

// countDuplicate counts that the notification of a row came again.
func (r repository) countDuplicate(ctx context.Context, n row) error {
	return r.db.Pipeline(ctx, why, `UPDATE inbound_deliveries SET duplicates = duplicates + 1, last_duplicate_at = ?
WHERE company_id = ? AND kind = ? AND endpoint_id = ? AND dedupe_key = ?`,
		[]any{n.ReceivedAt, n.CompanyID, n.Kind, n.EndpointID, n.DedupeKey}, nil)
}

func (r repository) countRefusals(ctx context.Context, n Refusal) error {
	return r.db.Pipeline(ctx, why, `INSERT INTO inbound_rejections (company_id, kind, endpoint_id, reason, count, address, first_at, last_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (company_id, kind, endpoint_id, reason) DO UPDATE
SET count = inbound_rejections.count + excluded.count, address = excluded.address, last_at = excluded.last_at`,
		[]any{n.CompanyID, n.Kind, n.EndpointID, n.Reason, n.Count, n.Address, n.FirstAt, n.LastAt}, nil)
}

func (r repository) find(ctx context.Context, id uuid.UUID) (row, error) {
	var found row
	err := database.Translate(r.db.Conn(ctx).Where("id = ?", id).Take(&found).Error)
	if errors.Is(err, database.ErrNotFound) {
		err = ErrDelivery
	}

	return found, err
}

// body returns what is kept of a request, and false if that is nothing any more.
func (r repository) body(ctx context.Context, id uuid.UUID) (found bodyRow, kept bool, err error) {
	err = database.Translate(r.db.Conn(ctx).Where("id = ?", id).Take(&found).Error)
	if errors.Is(err, database.ErrNotFound) {
		return found, false, nil
	}

	return found, err == nil, err
}

// hasFile reports whether a delivery has a body that is a file.
func (r repository) hasFile(ctx context.Context, id uuid.UUID) (bool, error) {
	var count int64
	err := r.db.Conn(ctx).Model(&bodyRow{}).Where("id = ? AND file_size > 0", id).Count(&count).Error

	return count > 0, database.Translate(err)
}

// usage returns what the files of a company take.
func (r repository) usage(ctx context.Context, company uuid.UUID) (u Usage, err error) {
	err = r.db.Raw(ctx, why).Raw(`SELECT count(*) AS files, COALESCE(sum(file_size), 0) AS bytes FROM inbound_bodies
WHERE company_id = ? AND file_size > 0`, company).Scan(&u).Error

	return u, database.Translate(err)
}

// end moves a delivery that is received on, and reports whether it was.
func (r repository) end(ctx context.Context, id uuid.UUID, to State, now time.Time) (bool, error) {
	tx := r.db.Conn(ctx).Model(&row{}).Where("id = ? AND state = ?", id, Received).Updates(map[string]any{
		"state": to, "attempts": gorm.Expr("attempts + 1"), "error": "", "processed_at": now,
	})

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}

// markIgnored says of a delivery that ended in this transaction that it was ignored.
func (r repository) markIgnored(ctx context.Context, id uuid.UUID, reason string) error {
	return database.Translate(r.db.Conn(ctx).Model(&row{}).Where("id = ?", id).
		Updates(map[string]any{"state": Skipped, "error": reason}).Error)
}

// fail notes an attempt that failed.
func (r repository) fail(ctx context.Context, id uuid.UUID, to State, problem string) error {
	return database.Translate(r.db.Conn(ctx).Model(&row{}).Where("id = ? AND state = ?", id, Received).
		Updates(map[string]any{"state": to, "attempts": gorm.Expr("attempts + 1"), "error": problem}).Error)
}

// requeue makes deliveries wait for being processed.
func (r repository) requeue(ctx context.Context, ids []uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Model(&row{}).Where("id IN ?", ids).Updates(map[string]any{
		"state": Received, "replays": gorm.Expr("replays + 1"), "error": "", "processed_at": nil,
	}).Error)
}

// selectIDs returns the ids of deliveries, the oldest first, limit at most.
func (r repository) selectIDs(ctx context.Context, s Selection, limit int) ([]uuid.UUID, error) {
	tx := r.db.Dynamic(ctx).Model(&row{}).Where("state = ? AND id > ?", s.State, s.After)
	if s.Kind != "" {
		tx = tx.Where("kind = ?", s.Kind)
	}
	if s.Endpoint != uuid.Nil {
		tx = tx.Where("endpoint_id = ?", s.Endpoint)
	}
	if !s.From.IsZero() {
		tx = tx.Where("received_at >= ?", s.From)
	}
	if !s.Before.IsZero() {
		tx = tx.Where("received_at < ?", s.Before)
	}
	var ids []uuid.UUID
	err := tx.Order("id").Limit(limit).Pluck("id", &ids).Error

	return ids, database.Translate(err)
}

// withBodies returns those of the ids whose bodies are kept.
func (r repository) withBodies(ctx context.Context, ids []uuid.UUID) ([]uuid.UUID, error) {
	var found []uuid.UUID
	err := r.db.Conn(ctx).Model(&bodyRow{}).Where("id IN ?", ids).Order("id").Pluck("id", &found).Error

	return found, database.Translate(err)
}

func (r repository) list(ctx context.Context, q list.Query) (list.Page[row], error) {
	page, err := list.Find(r.db.Dynamic(ctx), q, row.listKey)

	return page, database.Translate(err)
}

// listKey is the value that a list of deliveries is sorted by.
func (r row) listKey(string) any { return r.ID }

// refusals returns those of the company, the latest first.
func (r repository) refusals(ctx context.Context, limit int) ([]Refusal, error) {
	var found []Refusal
	err := r.db.Conn(ctx).Order("last_at DESC, kind, endpoint_id, reason").Limit(limit).Find(&found).Error

	return found, database.Translate(err)
}

// companies returns the companies that there are.
func (r repository) companies(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.db.Raw(ctx, why).Raw("SELECT id FROM identity_companies ORDER BY id").Scan(&ids).Error

	return ids, database.Translate(err)
}

// oldBodies returns bodies of a company's deliveries before an id that wait for nothing, the oldest first, limit at most:
// their ids, and whether they are files.
func (r repository) oldBodies(ctx context.Context, company, before uuid.UUID, limit int) ([]bodyRow, error) {
	var found []bodyRow
	err := r.db.Raw(ctx, why).Raw(`SELECT b.id, b.file_size FROM inbound_bodies b
JOIN inbound_deliveries d ON d.company_id = b.company_id AND d.id = b.id
WHERE b.company_id = ? AND b.id < ? AND d.state <> ? ORDER BY b.id LIMIT ?`, company, before, string(Received), limit).Scan(&found).Error

	return found, database.Translate(err)
}

func (r repository) removeBodies(ctx context.Context, company uuid.UUID, ids []uuid.UUID) error {
	return database.Translate(r.db.Raw(ctx, why).Exec("DELETE FROM inbound_bodies WHERE company_id = ? AND id IN ?", company, ids).Error)
}

// remove removes a company's deliveries before an id that wait for nothing, limit at most.
func (r repository) remove(ctx context.Context, company, before uuid.UUID, limit int) (int, error) {
	tx := r.db.Raw(ctx, why).Exec(`DELETE FROM inbound_deliveries WHERE company_id = ? AND id IN (
SELECT id FROM inbound_deliveries WHERE company_id = ? AND id < ? AND state <> ? ORDER BY id LIMIT ?)`,
		company, company, before, string(Received), limit)

	return int(tx.RowsAffected), database.Translate(tx.Error)
}

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
func (r repository) insert(ctx context.Context, n row, head string, body []byte) error {
	err := r.db.Pipeline(ctx, why, `INSERT INTO inbound_deliveries (company_id, id, kind, endpoint_id, dedupe_key, key_id, size, state,
attempts, duplicates, replays, error, address, request_id, received_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, '', ?, ?, ?)`,
		[]any{n.CompanyID, n.ID, n.Kind, n.EndpointID, n.DedupeKey, n.KeyID, n.Size, string(n.State), n.Address, n.RequestID, n.ReceivedAt}, nil)
	if err != nil {
		return err
	}

	return r.db.Pipeline(ctx, why, "INSERT INTO inbound_bodies (company_id, id, head, body) VALUES (?, ?, ?, ?)",
		[]any{n.CompanyID, n.ID, head, body}, nil)
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

// body returns a request as it came, and false if it is not kept any more.
func (r repository) body(ctx context.Context, id uuid.UUID) (n Notification, kept bool, err error) {
	var found bodyRow
	err = database.Translate(r.db.Conn(ctx).Where("id = ?", id).Take(&found).Error)
	if errors.Is(err, database.ErrNotFound) {
		return n, false, nil
	}
	if err != nil {
		return n, false, err
	}
	h, err := decodeHead(found.Head)

	return Notification{Header: h.Header, Target: h.Target, Body: found.Body}, err == nil, err
}

// end moves a delivery that is received on, and reports whether it was.
func (r repository) end(ctx context.Context, id uuid.UUID, to State, now time.Time) (bool, error) {
	tx := r.db.Conn(ctx).Model(&row{}).Where("id = ? AND state = ?", id, Received).Updates(map[string]any{
		"state": to, "attempts": gorm.Expr("attempts + 1"), "error": "", "processed_at": now,
	})

	return tx.RowsAffected > 0, database.Translate(tx.Error)
}

// skip says of a delivery that ended in this transaction that it was ignored.
func (r repository) skip(ctx context.Context, id uuid.UUID, reason string) error {
	return database.Translate(r.db.Conn(ctx).Model(&row{}).Where("id = ?", id).
		Updates(map[string]any{"state": Skipped, "error": reason}).Error)
}

// fail notes an attempt that failed.
func (r repository) fail(ctx context.Context, id uuid.UUID, to State, problem string) error {
	return database.Translate(r.db.Conn(ctx).Model(&row{}).Where("id = ? AND state = ?", id, Received).
		Updates(map[string]any{"state": to, "attempts": gorm.Expr("attempts + 1"), "error": problem}).Error)
}

// again makes deliveries wait for being processed.
func (r repository) again(ctx context.Context, ids []uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Model(&row{}).Where("id IN ?", ids).Updates(map[string]any{
		"state": Received, "replays": gorm.Expr("replays + 1"), "error": "", "processed_at": nil,
	}).Error)
}

// some returns the ids of deliveries, the oldest first, limit at most.
func (r repository) some(ctx context.Context, s Selection, limit int) ([]uuid.UUID, error) {
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

// kept returns those of the ids whose bodies are kept.
func (r repository) kept(ctx context.Context, ids []uuid.UUID) ([]uuid.UUID, error) {
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

// removeBodies removes bodies of a company's deliveries before an id that wait for nothing, limit at most.
func (r repository) removeBodies(ctx context.Context, company, before uuid.UUID, limit int) (int, error) {
	tx := r.db.Raw(ctx, why).Exec(`DELETE FROM inbound_bodies WHERE company_id = ? AND id IN (
SELECT b.id FROM inbound_bodies b JOIN inbound_deliveries d ON d.company_id = b.company_id AND d.id = b.id
WHERE b.company_id = ? AND b.id < ? AND d.state <> ? ORDER BY b.id LIMIT ?)`, company, company, before, string(Received), limit)

	return int(tx.RowsAffected), database.Translate(tx.Error)
}

// remove removes a company's deliveries before an id that wait for nothing, limit at most.
func (r repository) remove(ctx context.Context, company, before uuid.UUID, limit int) (int, error) {
	tx := r.db.Raw(ctx, why).Exec(`DELETE FROM inbound_deliveries WHERE company_id = ? AND id IN (
SELECT id FROM inbound_deliveries WHERE company_id = ? AND id < ? AND state <> ? ORDER BY id LIMIT ?)`,
		company, company, before, string(Received), limit)

	return int(tx.RowsAffected), database.Translate(tx.Error)
}

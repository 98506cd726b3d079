package events

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// logRow is a row of the event log.
type logRow struct {
	database.Tenant

	ID        uuid.UUID `gorm:"primaryKey"`
	Name      string
	Payload   database.JSON
	Actor     string
	RequestID string
	At        time.Time
	ItemType  string
	ItemID    *uuid.UUID
}

// TableName implements the naming that GORM asks for.
func (logRow) TableName() string { return "events_log" }

// queueRows leaves rows to be stored: nothing in the transaction reads them again.
func (b *Bus) queueRows(ctx context.Context, rows []logRow) error {
	values := make([][]any, len(rows))
	for i, r := range rows {
		values[i] = []any{r.CompanyID, r.ID, r.Name, r.Payload, r.Actor, r.RequestID, r.At, r.ItemType, r.ItemID}
	}

	return b.db.PipelineRows(ctx, why, b.insert, values, nil)
}

func insertLog() database.Rows {
	return database.NewRows("INSERT INTO events_log (company_id, id, name, payload, actor, request_id, at, item_type, item_id)",
		database.PlainValues("uuid", "uuid", "text", "jsonb", "text", "text", "timestamptz", "text", "uuid"), "")
}

// why is the reason for SQL by hand.
const why = "rows of the principal's company are added in one statement, old ones of all companies removed; the company is bound"

// companies returns the companies that there are.
func (b *Bus) companies(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := b.db.Raw(ctx, why).Raw("SELECT id FROM identity_companies ORDER BY id").Scan(&ids).Error

	return ids, database.Translate(err)
}

// remove removes events of a company that are from before a time, most at most, and returns how many. Ids, which say
// roughly when by the clock of the machine, are what is indexed; the time of the event itself decides.
func (b *Bus) remove(ctx context.Context, company uuid.UUID, before time.Time, most int) (removed int, err error) {
	err = b.db.InTx(ctx, func(ctx context.Context) error {
		tx := b.db.Raw(ctx, why).Exec(`DELETE FROM events_log WHERE company_id = ? AND id IN (
			SELECT id FROM events_log WHERE company_id = ? AND id < ? AND at < ? ORDER BY id LIMIT ?)`,
			company, company, database.FirstID(before), before, most)
		removed = int(tx.RowsAffected)

		return database.Translate(tx.Error)
	})

	return removed, err
}

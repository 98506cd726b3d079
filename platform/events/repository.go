package events

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

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
}

// TableName implements the naming that GORM asks for.
func (logRow) TableName() string { return "events_log" }

// keep leaves rows to the end of the transaction: nothing in it reads them again.
func (b *Bus) keep(ctx context.Context, rows []logRow) error {
	return b.db.AtCommit(ctx, func(tx *gorm.DB) *gorm.DB { return tx.Create(&rows) })
}

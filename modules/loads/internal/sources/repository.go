package sources

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// received is a row of loads_intakes: a request, and what was understood of it.
type received struct {
	database.Tenant

	ID        uuid.UUID `gorm:"primaryKey"`
	SourceID  uuid.UUID
	LoadID    uuid.UUID
	Key       string
	MessageID string
	Format    intake.Format
	Original  string
	Found     resource.JSON[intake.Inquiry]
	Letter    resource.JSON[intake.Letter]
	Problem   string
	At        time.Time
}

// TableName implements GORM's naming.
func (received) TableName() string { return "loads_intakes" }

// repository keeps what was received.
type repository struct{ db *database.DB }

// errNeverReceived says that a request was not received before.
var errNeverReceived = errors.New("never received")

// receivedBefore returns the latest request of a source with a key since a time. Error: errNeverReceived.
func (r repository) receivedBefore(ctx context.Context, source uuid.UUID, key string, since time.Time) (received, error) {
	return database.One[received](r.db.Conn(ctx).Order("at DESC").Limit(1), errNeverReceived, "source_id = ? AND key = ? AND at > ?", source, key, since)
}

func (r repository) receive(ctx context.Context, row received) error {
	return database.Translate(r.db.Conn(ctx).Create(&row).Error)
}

// find returns a request. Error: errNeverReceived.
func (r repository) find(ctx context.Context, id uuid.UUID) (received, error) {
	return database.One[received](r.db.Conn(ctx), errNeverReceived, "id = ?", id)
}

// receivedOf returns the beginnings of the latest requests that a load was made of.
func (r repository) receivedOf(ctx context.Context, load uuid.UUID) ([]received, error) {
	const most = 50

	return database.All[received](r.db.Conn(ctx).Select("id, source_id, load_id, format, found, letter, problem, at, substr(original, 1, ?) AS original", mostShown).
		Where("load_id = ?", load).Order("at DESC, id DESC").Limit(most))
}

// loadOfMessages returns the load that was made of one of some mails. Error: errNeverReceived.
func (r repository) loadOfMessages(ctx context.Context, messages []string) (uuid.UUID, error) {
	if len(messages) == 0 {
		return uuid.Nil, errNeverReceived
	}
	row, err := database.One[received](r.db.Conn(ctx).Order("at DESC").Limit(1), errNeverReceived, "message_id IN ?", messages)

	return row.LoadID, err
}

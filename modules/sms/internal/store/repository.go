// Package store keeps the sms_* tables, with the lifecycle of messages and the failures of the area.
package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// Repository reads and writes the sms_* tables; the database package keeps companies apart.
type Repository struct{ DB *database.DB }

// NewRepository returns the repository of a database.
func NewRepository(db *database.DB) *Repository { return &Repository{DB: db} }

// Insert stores a new row.
func (r *Repository) Insert(ctx context.Context, row any) error {
	return database.Translate(r.DB.Conn(ctx).Create(row).Error)
}

// defaultPreferences are those of a company that has set nothing.
func defaultPreferences() Preferences {
	return Preferences{
		Region: "US", QuietPolicy: quietDefer, AutoReplies: true,
		StopText:  "You have opted out and will get no more messages. Reply START to get them again.",
		StartText: "You will get messages again. Reply STOP to opt out.",
		HelpText:  "Reply STOP to opt out, START to get messages again.",
		StopWords: []string{},
	}
}

// Preferences returns the company's, or the defaults.
func (r *Repository) Preferences(ctx context.Context) (Preferences, error) {
	var rows []Preferences
	err := r.DB.Conn(ctx).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return defaultPreferences(), database.Translate(err)
	}

	return rows[0], nil
}

// LockPreferences makes the company's row, if there is none, and keeps it until the transaction ends.
func (r *Repository) LockPreferences(ctx context.Context, now time.Time) (Preferences, error) {
	row := defaultPreferences()
	row.UpdatedAt = now
	if err := r.DB.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return row, database.Translate(err)
	}

	return database.One[Preferences](database.ForUpdate(r.DB.Conn(ctx)), ErrInvalid, "version >= 0")
}

// SavePreferences stores a company's settings.
func (r *Repository) SavePreferences(ctx context.Context, row *Preferences) error {
	return database.Translate(r.DB.Conn(ctx).Model(&Preferences{}).Where("version >= 0").Select(
		"region", "quiet_from", "quiet_to", "quiet_policy", "auto_replies", "stop_text", "start_text", "help_text", "stop_words",
		"number_id", "version", "updated_at",
	).Updates(row).Error)
}

// Embed gives each item the row that it refers to, by one statement for all. A row that is not there is left out.
func Embed[B, R any](
	ctx context.Context, r *Repository, items []B, refers func(*B) *uuid.UUID, key func(R) uuid.UUID, put func(*B, R),
) error {
	wanted := map[uuid.UUID][]*B{}
	for i := range items {
		if id := refers(&items[i]); id != nil {
			wanted[*id] = append(wanted[*id], &items[i])
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, 0, len(wanted))
	for id := range wanted {
		ids = append(ids, id)
	}
	var rows []R
	if err := r.DB.Conn(ctx).Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return database.Translate(err)
	}
	for _, row := range rows {
		for _, item := range wanted[key(row)] {
			put(item, row)
		}
	}

	return nil
}

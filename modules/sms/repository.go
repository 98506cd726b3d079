package sms

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads and writes the sms_* tables; the database package keeps companies apart.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db: db} }

func (r *repository) insert(ctx context.Context, row any) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// defaultPreferences are those of a company that has set nothing.
func defaultPreferences() preferences {
	return preferences{
		Region: "US", QuietPolicy: quietDefer, AutoReplies: true,
		StopText:  "You have opted out and will get no more messages. Reply START to get them again.",
		StartText: "You will get messages again. Reply STOP to opt out.",
		HelpText:  "Reply STOP to opt out, START to get messages again.",
		StopWords: []string{},
	}
}

// preferences returns the company's, or the defaults.
func (r *repository) preferences(ctx context.Context) (preferences, error) {
	var rows []preferences
	err := r.db.Conn(ctx).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return defaultPreferences(), database.Translate(err)
	}

	return rows[0], nil
}

// heldPreferences makes the company's row, if there is none, and keeps it until the transaction ends.
func (r *repository) heldPreferences(ctx context.Context, now time.Time) (preferences, error) {
	row := defaultPreferences()
	row.UpdatedAt = now
	if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return row, database.Translate(err)
	}

	return database.One[preferences](database.Held(r.db.Conn(ctx)), errInvalid, "version >= 0")
}

func (r *repository) savePreferences(ctx context.Context, row *preferences) error {
	return database.Translate(r.db.Conn(ctx).Model(&preferences{}).Where("version >= 0").Select(
		"region", "quiet_from", "quiet_to", "quiet_policy", "auto_replies", "stop_text", "start_text", "help_text", "stop_words",
		"number_id", "version", "updated_at",
	).Updates(row).Error)
}

package vehicles

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// repository stores answers of vPIC's API.
type repository struct {
	db       *database.DB
	settings settings
	clock    clock.Clock
}

func newRepository(db *database.DB, s settings, c clock.Clock) *repository {
	return &repository{db, s, c}
}

// now is the time by which answers are stored and age.
func (r *repository) now() time.Time { return r.clock.Now() }

// answers returns the answers for patterns, by pattern.
func (r *repository) answers(ctx context.Context, patterns []string) (map[string]answer, error) {
	rows, err := database.All[answer](r.db.Conn(ctx).Where("pattern IN ?", patterns))
	byPattern := make(map[string]answer, len(rows))
	for _, row := range rows {
		byPattern[row.Pattern] = row
	}

	return byPattern, err
}

// put stores answers, each in place of the one before.
func (r *repository) put(ctx context.Context, rows []answer) error {
	return r.db.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "company_id"}, {Name: "pattern"}},
			Where:     database.SameCompany(answer{}.TableName()),
			DoUpdates: clause.AssignmentColumns([]string{"facts", "fetched_at", "failed_at", "asked_at"}),
		}).Create(&rows).Error)
	})
}

// purgeEvery is how often old answers are removed.
const purgeEvery = 24 * time.Hour

// purgeArgs are the arguments of the job that removes old answers.
type purgeArgs struct{}

// Kind implements jobs.Args.
func (purgeArgs) Kind() string { return "vehicles.purge" }

// purge is that job.
func (r *repository) purge(ctx context.Context, _ purgeArgs) error {
	ctx = database.AcrossCompanies(ctx, "old answers of vPIC are removed for all companies")

	return r.db.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(r.db.Conn(ctx).Where("asked_at < ?", r.clock.Now().Add(-r.settings.CacheFor)).Delete(&answer{}).Error)
	})
}

package numbering

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/database"
)

// repository reads and writes numbering_series and numbering_counters of the caller's company.
type repository struct{ db *database.DB }

// next takes the next counts of a series and returns the last of them, provided that it has this
// template, counts this shape now and knows of its width; otherwise, or with fewer counts left, it
// returns 0. The row is locked until the end of the transaction.
func (r repository) next(ctx context.Context, series string, several int, t template, s shape) (int64, error) {
	var row seriesRow
	result := r.db.Conn(ctx).Model(&row).Clauses(clause.Returning{Columns: []clause.Column{{Name: "last"}}}).
		Where("series = ? AND template = ? AND prefix = ? AND suffix = ? AND width >= ? AND last <= ?",
			series, t.text, s.Prefix, s.Suffix, t.width, maxSeq-several).
		UpdateColumn("last", gorm.Expr("last + ?", several))

	return row.Last, database.Translate(result.Error)
}

// series returns a series, or one with nothing in it but its name if it was never used.
func (r repository) series(ctx context.Context, series string) (seriesRow, error) {
	return takeNumber(r.db.Conn(ctx), series)
}

// lockSeries makes sure that there is a series, with this template if it was never used, and returns it.
// Nobody else changes it until the end of the transaction.
func (r repository) lockSeries(ctx context.Context, series string, template string, now time.Time) (seriesRow, error) {
	locked := r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
	row, err := takeNumber(locked, series)
	if err != nil || row.Template != "" {
		return row, err
	}
	made := seriesRow{Series: series, Template: template, UpdatedAt: now}
	err = r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&made).Error
	if err != nil {
		return seriesRow{}, database.Translate(err)
	}

	return takeNumber(r.db.Conn(ctx).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), series)
}

func takeNumber(tx *gorm.DB, series string) (seriesRow, error) {
	row := seriesRow{Series: series}
	err := database.Translate(tx.Where("series = ?", series).Take(&row).Error)
	if errors.Is(err, database.ErrNotFound) {
		err = nil
	}

	return row, err
}

// all returns the series of the company that were used or changed.
func (r repository) all(ctx context.Context) ([]seriesRow, error) {
	var rows []seriesRow
	err := r.db.Conn(ctx).Find(&rows).Error

	return rows, database.Translate(err)
}

// store writes what a held series is like now.
func (r repository) store(ctx context.Context, row seriesRow) error {
	err := r.db.Conn(ctx).Model(&seriesRow{}).Where("series = ?", row.Series).UpdateColumns(map[string]any{
		"template": row.Template, "prefix": row.Prefix, "suffix": row.Suffix, "last": row.Last, "width": row.Width,
		"updated_at": row.UpdatedAt,
	}).Error

	return database.Translate(err)
}

// saveCounter keeps the present counter of a held series for later.
func (r repository) saveCounter(ctx context.Context, row seriesRow) error {
	kept := counterRow{Series: row.Series, Prefix: row.Prefix, Suffix: row.Suffix, Last: row.Last, Width: row.Width}
	err := r.db.Conn(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}, {Name: "series"}, {Name: "prefix"}, {Name: "suffix"}},
		DoUpdates: clause.AssignmentColumns([]string{"last", "width"}),
		Where:     database.SameCompany("numbering_counters"),
	}).Create(&kept).Error

	return database.Translate(err)
}

// resting returns the counter of a shape, which begins at 0 if there is none.
func (r repository) resting(ctx context.Context, series string, s shape) (counter, error) {
	var rows []counterRow
	err := r.db.Conn(ctx).Where("series = ? AND prefix = ? AND suffix = ?", series, s.Prefix, s.Suffix).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return counter{shape: s}, database.Translate(err)
	}

	return rows[0].counter(), nil
}

// counters returns the counters of a series that rest.
func (r repository) counters(ctx context.Context, series string) ([]counter, error) {
	var rows []counterRow
	err := r.db.Conn(ctx).Where("series = ?", series).Find(&rows).Error
	all := make([]counter, len(rows))
	for i, row := range rows {
		all[i] = row.counter()
	}

	return all, database.Translate(err)
}

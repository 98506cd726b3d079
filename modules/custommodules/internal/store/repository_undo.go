package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
)

// ForeignVersions returns of some records the latest version that people or programs made otherwise than by a
// source. What a change of a field made of a record is none.
func (r *Repository) ForeignVersions(ctx context.Context, source string, written []collection.Written) (map[uuid.UUID]int64, error) {
	ids := make([]uuid.UUID, len(written))
	for i, w := range written {
		ids[i] = w.Row
	}
	var rows []struct {
		RecordID uuid.UUID
		Version  int64
	}
	err := r.DB.Dynamic(ctx).Model(&definition.HistoryRow{}).Select("record_id, max(version) AS version").
		Where("record_id IN ? AND source <> ? AND source NOT LIKE ?", ids, source, ChangeSourcePrefix+"%").
		Group("record_id").Find(&rows).Error
	latest := make(map[uuid.UUID]int64, len(rows))
	for _, row := range rows {
		latest[row.RecordID] = row.Version
	}

	return latest, database.Translate(err)
}

// HistoryAfterAll returns the versions of records after the ones that writes found, the latest first, for the
// writes that found one.
func (r *Repository) HistoryAfterAll(ctx context.Context, written []collection.Written) (map[uuid.UUID][]definition.HistoryRow, error) {
	since := map[uuid.UUID]int64{}
	var ids []uuid.UUID
	for _, w := range written {
		earliest, known := since[w.Row]
		switch {
		case w.Before == 0:
			continue
		case !known:
			ids = append(ids, w.Row)
			since[w.Row] = w.Before
		default:
			since[w.Row] = min(earliest, w.Before)
		}
	}
	later := map[uuid.UUID][]definition.HistoryRow{}
	if len(ids) == 0 {
		return later, nil
	}
	var rows []definition.HistoryRow
	err := r.DB.Dynamic(ctx).Select("record_id", "version", "changes").Where("record_id IN ?", ids).Order("version DESC").Find(&rows).Error
	for _, row := range rows {
		if row.Version > since[row.RecordID] {
			later[row.RecordID] = append(later[row.RecordID], row)
		}
	}

	return later, database.Translate(err)
}

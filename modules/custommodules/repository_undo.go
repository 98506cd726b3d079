package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
)

// foreignVersions returns of some records the latest version that people or programs made otherwise than by a
// source. What a change of a field made of a record is none.
func (r *repository) foreignVersions(ctx context.Context, source string, written []collection.Written) (map[uuid.UUID]int64, error) {
	ids := make([]uuid.UUID, len(written))
	for i, w := range written {
		ids[i] = w.Row
	}
	var rows []struct {
		RecordID uuid.UUID
		Version  int64
	}
	err := r.db.Dynamic(ctx).Model(&historyRow{}).Select("record_id, max(version) AS version").
		Where("record_id IN ? AND source <> ? AND source NOT LIKE ?", ids, source, changeSourcePrefix+"%").
		Group("record_id").Find(&rows).Error
	latest := make(map[uuid.UUID]int64, len(rows))
	for _, row := range rows {
		latest[row.RecordID] = row.Version
	}

	return latest, database.Translate(err)
}

// historyAfterAll returns the versions of records after the ones that writes found, the latest first, for the
// writes that found one.
func (r *repository) historyAfterAll(ctx context.Context, written []collection.Written) (map[uuid.UUID][]historyRow, error) {
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
	later := map[uuid.UUID][]historyRow{}
	if len(ids) == 0 {
		return later, nil
	}
	var rows []historyRow
	err := r.db.Dynamic(ctx).Select("record_id", "version", "changes").Where("record_id IN ?", ids).Order("version DESC").Find(&rows).Error
	for _, row := range rows {
		if row.Version > since[row.RecordID] {
			later[row.RecordID] = append(later[row.RecordID], row)
		}
	}

	return later, database.Translate(err)
}

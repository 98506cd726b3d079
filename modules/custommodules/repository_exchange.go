package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/exchange"
	"github.com/dispatchd/dispatchd/platform/database"
)

// foreignVersions returns of some records the latest version that came from elsewhere than a source.
func (r *repository) foreignVersions(ctx context.Context, source string, written []exchange.Written) (map[uuid.UUID]int64, error) {
	ids := make([]uuid.UUID, len(written))
	for i, w := range written {
		ids[i] = w.Record
	}
	var rows []struct {
		RecordID uuid.UUID
		Version  int64
	}
	err := r.db.Dynamic(ctx).Model(&historyRow{}).Select("record_id, max(version) AS version").
		Where("record_id IN ? AND source <> ?", ids, source).Group("record_id").Find(&rows).Error
	latest := make(map[uuid.UUID]int64, len(rows))
	for _, row := range rows {
		latest[row.RecordID] = row.Version
	}

	return latest, database.Translate(err)
}

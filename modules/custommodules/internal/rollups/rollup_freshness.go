package rollups

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
)

// ShowFreshness says of records, in the order of their rows, how old their rollups and lookups are.
func (s *Service) ShowFreshness(ctx context.Context, d *definition.Definition, rows []definition.RecordRow, shown []*records.Record) error {
	if len(rows) == 0 || !d.Derives() {
		return nil
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	now, err := s.repo.Freshness(ctx, ids, d.LookupIDs()...)
	if err != nil {
		return err
	}
	for i, row := range rows {
		shown[i].Rollups = &records.RollupsShown{
			ComputedAt: row.RolledAt, Stale: d.Rolling || row.RolledAt == nil || now[row.ID].Stale || now[row.ID].Rolled != row.Rolled,
		}
	}

	return nil
}

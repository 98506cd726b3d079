package custommodules

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
)

// rollupsShown says how old the rollups and lookups of a record are.
type rollupsShown struct {
	ComputedAt *time.Time `json:"computed_at" doc:"When they were computed last, null if they never were."`
	Stale      bool       `json:"stale" doc:"Whether they are about to be computed anew."`
}

// rollupState says whether a rollup or lookup has the values of all records.
func (f fieldRow) rollupState() indexState {
	switch {
	case !slices.Contains(derivedNames(), string(f.Type)):
		return noIndex
	case f.Rolling:
		return indexBuilding
	default:
		return indexReady
	}
}

// showFreshness says of records, in the order of their rows, how old their rollups and lookups are.
func (s *service) showFreshness(ctx context.Context, d *definition, rows []recordRow, shown []*record) error {
	if len(rows) == 0 || !d.derives() {
		return nil
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	now, err := s.repo.freshness(ctx, ids, d.lookupIDs()...)
	if err != nil {
		return err
	}
	for i, row := range rows {
		shown[i].Rollups = &rollupsShown{
			ComputedAt: row.RolledAt, Stale: d.rolling || row.RolledAt == nil || now[row.ID].Stale || now[row.ID].Rolled != row.Rolled,
		}
	}

	return nil
}

// checkRollup is settleRollups for one field that comes to others or changes among them.
func (s *service) checkRollup(ctx context.Context, row *fieldRow, others []fieldRow, found *problems) error {
	if s.definitions.types.derivedOf(*row) == nil {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(others), func(f fieldRow) bool { return f.ID == row.ID || f.Key == row.Key })
	all = append(all, *row)
	wrong, err := s.settleRollups(ctx, row.ModuleID, all, func(f fieldRow) bool { return f.ID == row.ID })
	row.Options = all[len(all)-1].Options
	for _, part := range wrong {
		for path, messages := range part.messages {
			found.add(path, messages[0])
		}
	}

	return err
}

// indexUnlessRolling is index for a field whose values are there: a rollup's index is made when they are.
func (s *service) indexUnlessRolling(ctx context.Context, module moduleRow, row fieldRow) error {
	if row.Rolling {
		return s.repo.setUsedSlots(ctx, module)
	}

	return s.index(ctx, module, row)
}

// without leaves out some fields of a module and the formulas that use them.
func without(fields []fieldRow, some func(fieldRow) bool) []fieldRow {
	gone := map[string]bool{}
	for range fields { // as often as a chain of formulas can be long
		for _, f := range fields {
			if some(f) || slices.ContainsFunc(f.readKeys(), func(key string) bool { return gone[key] }) {
				gone[f.Key] = true
			}
		}
	}

	return slices.DeleteFunc(slices.Clone(fields), func(f fieldRow) bool { return gone[f.Key] })
}

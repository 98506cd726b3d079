package store

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/database"
)

// modulesAtOnce is how many modules one statement searches.
const modulesAtOnce = 100

// SearchableModules returns modules that the caller may read and whose records are found by their words, by name; most at most.
func (r *Repository) SearchableModules(ctx context.Context, most int) ([]definition.ModuleRow, error) {
	var rows []definition.ModuleRow
	err := r.readable(ctx, r.DB.Dynamic(ctx)).Select("id", "name").
		Where(`deleted_at IS NULL AND EXISTS (SELECT 1 FROM custom_modules_fields AS f WHERE f.company_id = custom_modules_modules.company_id
			AND f.module_id = custom_modules_modules.id AND f.deleted_at IS NULL AND f.search_ready)`).
		Order("name_key, id").Limit(most).Find(&rows).Error

	return rows, database.Translate(err)
}

// MatchingInAll returns records of modules that have all words, the latest of some of each; most of a module at most.
func (r *Repository) MatchingInAll(ctx context.Context, modules []definition.ModuleRow, words []string, most int) (map[uuid.UUID][]uuid.UUID, error) {
	found := map[uuid.UUID][]uuid.UUID{}
	for some := range slices.Chunk(modules, modulesAtOnce) {
		arms, args := make([]string, len(some)), []any{}
		for i, m := range some {
			statement, values := r.matchingSQL(ctx, "module_id, record_id", m.ID, words)
			arms[i] = "SELECT * FROM (SELECT * FROM (" + statement + " LIMIT ?) AS matching ORDER BY record_id DESC LIMIT ?) AS latest"
			args = append(append(args, values...), FewMatches, most)
		}
		var rows []struct{ ModuleID, RecordID uuid.UUID }
		if err := r.DB.Raw(ctx, whySearch).Raw(strings.Join(arms, " UNION ALL "), args...).Scan(&rows).Error; err != nil {
			return nil, database.Translate(err)
		}
		for _, row := range rows {
			found[row.ModuleID] = append(found[row.ModuleID], row.RecordID)
		}
	}

	return found, nil
}

package resource

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
)

// readNothing reports what is wrong with a statement that finds no row.
func (e *Engine) readNothing(ctx context.Context, query string) error {
	var none []map[string]any

	return database.Translate(e.db.Raw(ctx, "which columns there are; no row is read").Raw(query).Scan(&none).Error)
}

// checkTables reports columns that the tables do not have. Some tables are asked for by one statement, and by one for each if
// that fails, to say which.
func (e *Engine) checkTables(ctx context.Context) error {
	const together = 100
	for names := range slices.Chunk(slices.Sorted(maps.Keys(e.resources)), together) {
		parts := make([]string, len(names))
		for i, name := range names {
			parts[i] = "EXISTS (" + e.resources[name].selection() + ")"
		}
		err := e.readNothing(ctx, "SELECT 1 AS one WHERE "+strings.Join(parts, " OR "))
		if err == nil {
			continue
		}
		for _, name := range names {
			if err := e.resources[name].checkTable(ctx); err != nil {
				return err
			}
		}

		return err
	}

	return nil
}

// checkTable reports columns that the table does not have.
func (r *table) checkTable(ctx context.Context) error {
	if err := r.engine.readNothing(ctx, r.selection()); err == nil || errs.KindOf(err) == errs.Unavailable {
		return err
	}
	for _, f := range r.plan.Stored {
		for _, column := range f.Columns {
			if err := r.engine.readNothing(ctx, "SELECT "+column+" FROM "+r.plan.Table+" WHERE 1 = 0"); err != nil {
				return fmt.Errorf("area %q: struct %s: field %s: the table %s has no column %s, or cannot be read: %w",
					r.area, r.plan.Name, f.Name, r.plan.Table, column, err)
			}
		}
	}

	return fmt.Errorf("area %q: struct %s: the table %s has no column company_id", r.area, r.plan.Name, r.plan.Table)
}

// selection selects all columns of the table, and no row.
func (r *table) selection() string {
	return "SELECT " + strings.Join(r.plan.Columns, ", ") + " FROM " + r.plan.Table + " WHERE 1 = 0"
}

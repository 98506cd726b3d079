package records

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/list"
)

// GroupRecords groups the records of a module that a query and a view (or uuid.Nil) ask for. Its errors are those of
// FindRecords, and list.ErrTooManyGroups.
func (s *Service) GroupRecords(ctx context.Context, module, view uuid.UUID, in *list.GroupInput) (groups list.Groups, err error) {
	err = s.definitions.Use(ctx, module, func(ctx context.Context, d *definition.Definition) error {
		from, err := s.viewed(ctx, d, view, in.List())
		if err != nil {
			return err
		}
		q, err := from.Conditions().Parse(ctx, d.Schema)
		if err != nil {
			return err
		}
		g, err := in.Of(ctx, d.Schema, q)
		if err != nil {
			return err
		}
		var warnings []list.Warning
		narrow, err := s.search(ctx, d, q)
		if err == nil && (narrow == nil || !narrow.Few) {
			warnings, err = s.checkGroups(ctx, d, g, narrow)
		}
		if err != nil {
			return err
		}
		if groups, err = s.repo.Groups(ctx, g, narrow); err != nil {
			return fmt.Errorf("module %s: %w", module, err)
		}
		groups.Meta.Warnings = warnings

		return s.ConfirmUnchanged(ctx, d, nil)
	})

	return groups, err
}

// checkGroups is checkScans for groups.
func (s *Service) checkGroups(ctx context.Context, d *definition.Definition, g list.Grouping, narrow *store.Narrowing) ([]list.Warning, error) {
	scans := d.Scans(g.Query())
	for path, keys := range map[string][]string{"group_by": g.Keys(), "sum": g.Sums()} {
		for _, key := range keys {
			one := definition.Scan{Path: path, Key: key}
			if d.Field(key) == nil {
				one.Why, one.Advice = "No index serves this by "+key, "There can be none. Group by a field with indexed: true."
			}
			if !d.Indexed(key) {
				scans = append(scans, one)
			}
		}
	}
	if narrow != nil {
		scans = append(scans, definition.Scan{Path: "q", Key: "q", Why: fmt.Sprintf("More than %d records have these words", store.FewMatches), Advice: "Search for more words."})
	}

	return s.checkScans(d, scans, func() (reach, error) { return s.reach(ctx, d) })
}

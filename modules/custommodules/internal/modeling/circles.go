package modeling

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
)

// DerivedUsing returns the fields that are made of a field: of its values, or of those to which it leads.
func (s *Service) DerivedUsing(ctx context.Context, row definition.FieldRow) ([]definition.FieldRow, error) {
	using, err := s.repo.DerivedOver(ctx, row.ModuleID)
	if err != nil {
		return nil, err
	}
	own, err := s.repo.FieldsOf(ctx, row.ModuleID)
	if err != nil {
		return nil, err
	}
	for _, other := range own {
		if !slices.ContainsFunc(using, func(f definition.FieldRow) bool { return f.ID == other.ID }) {
			using = append(using, other)
		}
	}

	return slices.DeleteFunc(using, func(other definition.FieldRow) bool {
		d := s.definitions.Types.DerivedOf(other)

		return d == nil || d.ReferenceID() != row.ID && !slices.Contains(d.Parts(), row.ID)
	}), nil
}

// mostCircleModules bounds how many modules are read to find a circle.
const mostCircleModules = 50

// findCircle finds a rollup, lookup or formula that is, over those of other modules, made of itself. What is wrong is said of path.
func (s *Service) findCircle(ctx context.Context, module uuid.UUID, start definition.FieldRow, own []definition.FieldRow, path string, found *definition.Problems) error {
	byModule := map[uuid.UUID][]definition.FieldRow{module: own}
	seen := map[madeOf]bool{}
	next := s.madeOf(module, start, own)
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		if at.field == start.ID {
			found.Add(path, "The "+string(start.Type)+" depends on itself.")

			return nil
		}
		rows, read := byModule[at.module]
		if !read {
			if len(byModule) >= mostCircleModules {
				found.Add(path, fmt.Sprintf("The %s depends on fields of more than %d modules.", start.Type, mostCircleModules))

				return nil
			}
			var err error
			if rows, err = s.repo.FieldsOf(ctx, at.module); err != nil {
				return err
			}
			byModule[at.module] = rows
		}
		if i := slices.IndexFunc(rows, func(row definition.FieldRow) bool { return row.ID == at.field }); i >= 0 {
			next = append(next, s.madeOf(at.module, rows[i], rows)...)
		}
	}

	return nil
}

// madeOf is a field of which others are made.
type madeOf struct{ module, field uuid.UUID }

// madeOf are the fields of which one is made, whose module has some rows.
func (s *Service) madeOf(module uuid.UUID, row definition.FieldRow, rows []definition.FieldRow) []madeOf {
	var all []madeOf
	if made := s.definitions.Types.DerivedOf(row); made != nil {
		for _, id := range made.Parts() {
			all = append(all, madeOf{made.ModuleID(), id})
		}
	}
	for _, key := range row.ReadKeys() {
		for _, other := range rows {
			if other.Key == key {
				all = append(all, madeOf{module, other.ID})
			}
		}
	}

	return all
}

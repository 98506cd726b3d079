package custommodules

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// groupRoutes are about what records come to together.
func groupRoutes(r *web.Router, s *service) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/groups", ID: "group_records", Access: web.Read,
		Summary: "Count and sum the records of a module by group",
		Description: "Keys are those of the module's fields, and `created_at`, `created_by`, `updated_at` and `updated_by`. Sums are exact; those of weights are " +
			"in kg, of lengths in m. Up to 1,000 groups come in one answer, ordered by their values; more are refused. In a large module, " +
			"only indexed fields will do.",
		Errors: viewErrors(append(list.GroupErrors(), errModuleNotFound, errFieldNotIndexed, errNotSearchable)...),
	}, s.groupRecordsRoute)
}

type groupRecordsInput struct {
	list.GroupInput

	UUID uuid.UUID `path:"uuid"`
	View uuid.UUID `query:"view" doc:"A view of the module: its filter holds where the query says nothing else."`
}

func (s *service) groupRecordsRoute(ctx context.Context, in *groupRecordsInput) (*list.GroupOutput, error) {
	groups, err := s.groupRecords(ctx, in.UUID, in.View, &in.GroupInput)

	return &list.GroupOutput{Body: groups}, err
}

// groupRecords groups the records of a module that a query and a view (or uuid.Nil) ask for. Its errors are those of
// findRecords, and list.ErrTooManyGroups.
func (s *service) groupRecords(ctx context.Context, module, view uuid.UUID, in *list.GroupInput) (groups list.Groups, err error) {
	err = s.definitions.use(ctx, module, func(ctx context.Context, d *definition) error {
		from, err := s.viewed(ctx, d, view, in.List())
		if err != nil {
			return err
		}
		q, err := from.Conditions().Parse(ctx, d.schema)
		if err != nil {
			return err
		}
		g, err := in.Of(ctx, d.schema, q)
		if err != nil {
			return err
		}
		var warnings []list.Warning
		narrow, err := s.search(ctx, d, q)
		if err == nil && (narrow == nil || !narrow.few) {
			warnings, err = s.checkGroups(ctx, d, g, narrow)
		}
		if err != nil {
			return err
		}
		if groups, err = s.repo.groups(ctx, g, narrow); err != nil {
			return fmt.Errorf("module %s: %w", module, err)
		}
		groups.Meta.Warnings = warnings

		return s.confirm(ctx, d, nil)
	})

	return groups, err
}

// checkGroups is checkScans for groups.
func (s *service) checkGroups(ctx context.Context, d *definition, g list.Grouping, narrow *narrowing) ([]list.Warning, error) {
	scans := d.scans(g.Query())
	for path, keys := range map[string][]string{"group_by": g.Keys(), "sum": g.Sums()} {
		for _, key := range keys {
			one := scan{path: path, key: key}
			if d.field(key) == nil {
				one.why, one.advice = "No index serves this by "+key, "There can be none. Group by a field with indexed: true."
			}
			if !d.indexed(key) {
				scans = append(scans, one)
			}
		}
	}
	if narrow != nil {
		scans = append(scans, scan{path: "q", key: "q", why: fmt.Sprintf("More than %d records have these words", fewMatches), advice: "Search for more words."})
	}

	return s.checkScans(d, scans, func() (reach, error) { return s.reach(ctx, d) })
}

// groups groups the records of a module that are asked for.
func (r *repository) groups(ctx context.Context, g list.Grouping, narrow *narrowing) (list.Groups, error) {
	tx := r.db.Dynamic(ctx)
	switch {
	case narrow != nil && narrow.few:
		tx = database.WithID(tx, "custom_modules_records.id", narrow.ids)
	case narrow != nil:
		tx = r.narrow(tx, g.Query(), narrow)
	}
	groups, err := list.FindGroups[recordRow](tx, g)

	return groups, database.Translate(err)
}

// scale is how many digits after the point the values of the field have.
func (f *moduleField) scale() int {
	if f.typ.Filter != list.Decimal {
		return 0
	}
	switch v := f.values.(type) {
	case *field.DecimalOptions:
		return v.Scale
	case *formula.Options:
		return v.Scale
	case *rollup:
		return v.Scale
	case *lookup:
		return v.Scale
	}

	return 0
}

// shownKey turns what the database has of the field to compare into what answers show.
func (f *moduleField) shownKey(text string) string {
	if f.typ.Index == field.NumericIndex {
		return field.ReadableNumber(text, f.scale())
	}

	return text
}

// sumParts are what SQLite adds up of a number that an expression has; nil where the database adds the values up as they are.
func (f *moduleField) sumParts(on database.Dialect, expression string) []list.SumPart {
	switch {
	case on != database.SQLite || f.typ.Index != field.NumericIndex:
		return nil
	case !f.indexed && f.typ.Filter == list.Integer:
		return nil
	}

	return field.SumParts("(" + expression + ")")
}

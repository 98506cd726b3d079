package exchange

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// find returns an import. Errors: ErrImportNotFound.
func (m *Importer) find(ctx context.Context, id uuid.UUID) (Import, error) {
	row, table, err := m.visible(ctx, id)
	if err != nil {
		return Import{}, err
	}

	return row.shown(table), nil
}

// change says anew where columns go, and what is done with a row. Errors: ErrImportNotFound, ErrImportBusy,
// ErrMapping, a stale If-Match.
func (m *Importer) change(ctx context.Context, id uuid.UUID, match web.IfMatch, patch MappingPatch) (Import, error) {
	_, table, err := m.visible(ctx, id)
	if err != nil {
		return Import{}, err
	}
	var row importRow
	err = m.db.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = m.repo.findForUpdate(ctx, id); err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if row.State != ready && row.State != cancelled && row.State != stopped {
			return ErrImportBusy.WithMessage("The import is %s: where its columns go cannot be changed.", row.State).
				WithDetail("current", row.State)
		}
		before := row
		before.Mapping, before.Rules = slices.Clone(row.Mapping), slices.Clone(row.Rules)
		if err := patch.apply(&row, table); err != nil {
			return err
		}
		row.Trial, row.TrialNext = nil, 0
		row.Version++
		row.UpdatedAt = m.clock.Now()
		if err := m.repo.save(ctx, &row); err != nil {
			return err
		}

		return m.record(ctx, actionMapped, row, mappingChanges(before, row))
	})
	if err != nil {
		return Import{}, err
	}

	return row.shown(table), nil
}

// remove removes an import with its file. Errors: ErrImportNotFound, ErrImportBusy, a stale If-Match.
func (m *Importer) remove(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	if _, _, err := m.visible(ctx, id); err != nil {
		return err
	}

	err := m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.repo.findForUpdate(ctx, id)
		if err != nil {
			return err
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if row.State.atWork() {
			return ErrImportBusy
		}
		row.Whole = false // from here on it is not there; what a crash leaves of it, clearOld removes
		if err := m.repo.save(ctx, &row); err != nil {
			return err
		}

		return m.record(ctx, actionRemoved, row, nil)
	})
	if err != nil {
		return err
	}

	return m.discard(ctx, id)
}

// importList is what the list of imports may be asked for; keys are those of an import as the operation shows it.
func importList(keys []string) list.Schema {
	return list.Schema{
		ID:          list.Field{Name: "uuid", Expr: "id", Kind: kind.UUID, Filterable: true, Sortable: true},
		Fields:      []list.Field{{Name: "state", Expr: "state", Kind: kind.Text, Filterable: true}},
		DefaultSort: []string{"-uuid"},
		Keys:        keys,
	}
}

// listOf returns a page of the imports into a collection, without samples, each as show makes it. Errors: those of
// a list and of a collection that is not there.
func listOf[B any](ctx context.Context, m *Importer, into collection.Name, in *list.Input, show func(Import) B) (*list.Output[B], error) {
	q, err := in.Parse(ctx, importList(list.KeysOf[B]()))
	if err != nil {
		return nil, err
	}
	table, err := m.describe(ctx, into)
	if err != nil {
		return nil, err
	}
	page, err := m.repo.imports(ctx, into, q)
	if err != nil {
		return nil, err
	}
	shown := page
	shown.Data = nil
	for _, row := range page.Data {
		if row.shows(table) {
			shown.Data = append(shown.Data, row)
		}
	}

	return list.Answer(q, list.Convert(shown, func(row importRow) B {
		row.Samples = nil // many of them are a lot

		return show(row.shown(table))
	})), nil
}

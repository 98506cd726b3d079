package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
)

// withFormer reads the fields that those of a module have replaced, however long ago.
func (d *Definitions) withFormer(ctx context.Context, rows []definition.FieldRow) (all []definition.FieldRow, err error) {
	next := rows
	for {
		var ids []uuid.UUID
		for _, row := range next {
			if row.Replaces != nil && !row.Incoming {
				ids = append(ids, *row.Replaces)
			}
		}
		if len(ids) == 0 {
			return all, nil
		}
		if next, err = d.Repo.replacedFields(ctx, ids); err != nil || len(next) == 0 {
			return all, err
		}
		all = append(all, next...)
	}
}

// findLookups takes the lookups of a definition, with the fields of other modules that they are of.
func (d *Definitions) findLookups(ctx context.Context, def *definition.Definition) error {
	of, modules, wanted := slices.Clone(def.Fields), []uuid.UUID(nil), []uuid.UUID(nil)
	for _, f := range def.Fields {
		if l, is := f.Values.(*definition.Lookup); is && l.Module != def.Module {
			modules, wanted = append(modules, l.Module), append(wanted, l.Field)
		}
	}
	if len(modules) == 0 {
		def.FindLookups(of)

		return nil
	}
	rows, err := d.Repo.FieldsOf(ctx, modules...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !slices.Contains(wanted, row.ID) {
			continue
		}
		f, err := d.Types.Compile(row)
		if err != nil {
			return fmt.Errorf("field %s: %w", row.ID, err)
		}
		of = append(of, f)
	}
	def.FindLookups(of)

	return nil
}

// watch lets a definition know what others make of its records, and what it makes of theirs.
func (d *Definitions) watch(ctx context.Context, def *definition.Definition, rows []definition.FieldRow) error {
	for _, row := range rows {
		def.Rolling = def.Rolling || row.Rolling
	}
	if def.Open != nil {
		def.Open.Rolling = def.Rolling
	}
	over, err := d.Repo.DerivedOver(ctx, def.Module)
	if err != nil {
		return err
	}
	var rollups []*definition.Rollup
	for _, row := range over {
		switch made := d.Types.DerivedOf(row).(type) {
		case *definition.Rollup:
			rollups = append(rollups, made)
		case *definition.Lookup:
			if of := def.FieldByID(made.Field); of != nil {
				def.LookedUp = append(def.LookedUp, definition.LookedUp{ID: row.ID, Reference: made.Reference, Of: of})
			}
		}
	}
	def.WatchFor(rollups)

	return d.findLookups(ctx, def)
}

// Mark says that the rollups and lookups of a record by a reference have to be computed anew; or, with the id of a lookup in the
// place of that of a reference, the lookups of those that refer to the record by the lookup's.
type Mark struct{ Company, Record, Reference uuid.UUID }

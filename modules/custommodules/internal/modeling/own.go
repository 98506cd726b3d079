package modeling

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// checkOwn says what a field of items cannot be that one of a module can.
func (s *Service) checkOwn(module definition.ModuleRow, row definition.FieldRow, found *definition.Problems) {
	if module.Permissions.Item() == "" {
		return
	}
	switch row.Type {
	case definition.RollupName:
		found.Add("type", "A field of an area's collection cannot be a rollup: only records of modules can be referred to.")
	case definition.LookupName:
		found.Add("type", "A field of an area's collection cannot be a lookup: only records of modules can be looked up.")
	}
	values, err := s.definitions.Types.Values(row.Type, row.Options)
	if r, is := values.(*definition.Reference); err == nil && is && r.OnDelete == definition.Cascade {
		found.Add("options.on_delete", "The on delete must be restrict or set_null: rows of an area are not deleted with a record.")
	}
}

// followRows brings the records of rows behind an id up to date with the definition, and returns the id of the last of the
// rows, uuid.Nil when there are no more: the copies of their values, the formulas, and what queries find them by. A row
// without a record gets one if a formula comes to something. It makes no version: nobody changed the rows.
func (s *Service) followRows(ctx context.Context, d *definition.Definition, job BuildIndex, after uuid.UUID) (uuid.UUID, error) {
	do := func(ctx context.Context, rows []resource.OwnRow) error {
		ids := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			ids[i] = row.ID
		}
		found, err := s.repo.HeldAll(ctx, d.Module, ids)
		if err != nil {
			return err
		}
		records := make(map[uuid.UUID]definition.RecordRow, len(found))
		for _, record := range found {
			records[record.ID] = record
		}
		for _, row := range rows {
			if row.Deleted { // it is computed when it is restored
				continue
			}
			if err := s.followRow(ctx, d, job, row, records[row.ID]); err != nil {
				return err
			}
		}

		return nil
	}

	return s.others.Resources.FollowOwn(ctx, d.Item(), resource.Following{After: after, Most: indexBatch, Do: do, Search: job.Words})
}

// followRow is followRows for one, whose record has no id if there is none.
func (s *Service) followRow(ctx context.Context, d *definition.Definition, job BuildIndex, row resource.OwnRow, record definition.RecordRow) error {
	none := record.ID == uuid.Nil
	if none {
		if len(d.Programs) == 0 {
			return nil
		}
		record.Data = []byte("{}")
	}
	document, err := d.Mirror(record.Data, row)
	if err != nil {
		return err
	}
	made := d.Recomputed(document)
	changed := len(d.Diff(record.Data, made.Document)) > 0
	switch {
	case none && changed:
		w := &store.Writing{Verb: definition.Created, Definition: d, Row: s.records.NewRow(ctx, d, row.ID), Made: made}
		w.Row.Data, w.Row.SchemaRevision = made.Document, d.Revision // without a number: the row was there before

		return s.records.InsertAfterHooks(ctx, w)
	case changed:
		if err := s.repo.SetDocument(ctx, record, made.Document); err != nil {
			return err
		}
	case none || record.SchemaRevision >= job.Since:
		return nil
	}

	return s.Fill(ctx, d, record, made)
}

// checkReads finds names in formulas of own fields that could mean two fields, as far as a change brings that about, and
// sensitive fields of the struct that the caller does not see.
func (s *Service) checkReads(ctx context.Context, itemType string, rows []definition.FieldRow, changed uuid.UUID, found *definition.Problems) {
	caller, _ := principal.From(ctx)
	for _, of := range s.definitions.StructFields(itemType) {
		at := slices.IndexFunc(rows, func(row definition.FieldRow) bool { return row.Key == of.Key })
		for _, row := range rows {
			path, begin := "options.formula", "The formula "
			if row.ID != changed {
				path, begin = "formulas."+row.Key, "The formula of "+row.Key+" "
			}
			switch {
			case !slices.Contains(formula.NamesIn(row.FormulaText()), of.Key):
			case at >= 0 && (row.ID == changed || rows[at].ID == changed):
				found.Add(path, begin+"uses "+of.Key+", which is a field of "+itemType+" and one that the company has added. "+
					"The latter is "+formula.Own+of.Key+"; to use the former, give the latter another key.")
			case row.ID == changed && of.Sensitive && !caller.Allows(of.Scope):
				found.Add(path, begin+"uses the sensitive field "+of.Key+": that takes the scope "+of.Scope+".")
			}
		}
	}
}

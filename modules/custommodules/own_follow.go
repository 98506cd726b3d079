package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/resource"
)

// followRows brings the records of rows behind an id up to date with the definition, and returns the id of the last of the
// rows, uuid.Nil when there are no more: the copies of their values, the formulas, and what queries find them by. A row
// without a record gets one if a formula comes to something. It makes no version: nobody changed the rows.
func (s *service) followRows(ctx context.Context, d *definition, job buildIndex, after uuid.UUID) (uuid.UUID, error) {
	do := func(ctx context.Context, rows []resource.OwnRow) error {
		ids := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			ids[i] = row.ID
		}
		found, err := s.repo.heldAll(ctx, d.module, ids)
		if err != nil {
			return err
		}
		records := make(map[uuid.UUID]recordRow, len(found))
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

	return s.others.resources.FollowOwn(ctx, d.item(), resource.Following{After: after, Most: indexBatch, Do: do, Search: job.Words})
}

// followRow is followRows for one, whose record has no id if there is none.
func (s *service) followRow(ctx context.Context, d *definition, job buildIndex, row resource.OwnRow, record recordRow) error {
	none := record.ID == uuid.Nil
	if none {
		if len(d.programs) == 0 {
			return nil
		}
		record.Data = []byte("{}")
	}
	document, err := d.mirror(record.Data, row)
	if err != nil {
		return err
	}
	made := d.recomputed(document)
	changed := len(d.diff(record.Data, made.document)) > 0
	switch {
	case none && changed:
		w := &writing{verb: created, definition: d, row: s.newRow(ctx, d, row.ID), made: made}
		w.row.Data, w.row.SchemaRevision = made.document, d.revision // without a number: the row was there before

		return s.insertSettled(ctx, w)
	case changed:
		if err := s.repo.setDocument(ctx, record, made.document); err != nil {
			return err
		}
	case none || record.SchemaRevision >= job.Since:
		return nil
	}

	return s.fill(ctx, d, record, made)
}

package custommodules

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// stored is a record with the definition that its document is read by.
type stored struct {
	recordRow

	definition *definition
	// warnings are the doubts about values that were taken, by path.
	warnings map[string][]string
}

// createRecord stores a record of a module. The payload is a valid JSON object. Its errors are
// errModuleNotFound, errModuleArchived, errPayloadTooLarge, errValueTaken and errInvalidPayload, with a
// message for everything that is wrong.
func (s *service) createRecord(ctx context.Context, id, module uuid.UUID, payload []byte) (stored, error) {
	if err := s.checkSize(payload); err != nil {
		return stored{}, err
	}
	var made stored
	err := s.definitions.follow(ctx, module, mayWrite, func(ctx context.Context, d *definition) error {
		var err error
		made, err = s.createWith(ctx, d, id, payload)

		return err
	})

	return made, err
}

func (s *service) createWith(ctx context.Context, d *definition, id uuid.UUID, payload []byte) (stored, error) {
	w, err := s.newRecord(ctx, d, id, payload)
	if err != nil {
		return stored{}, err
	}
	made := w.made
	// In a transaction of somebody else's, a failure must leave it as it was: it may be tried again.
	err = s.db.Savepoint(ctx, func(ctx context.Context) error {
		if err := s.roomForRecord(ctx); err != nil {
			return err
		}
		w.made = made // the function may run again

		return s.insertRecord(ctx, w)
	})
	if errors.Is(err, errReferenceMissing) {
		err = s.missing(ctx, w.made.links)
	}
	if err != nil {
		return stored{}, fmt.Errorf("record %s: %w", id, err)
	}

	return recordOf(ctx, w), nil
}

// insertRecord stores a new record.
func (s *service) insertRecord(ctx context.Context, w *writing) error {
	if err := s.settle(ctx, w); err != nil {
		return err
	}

	return s.insertSettled(ctx, w)
}

// insertSettled is insertRecord for one that is as it will be stored.
func (s *service) insertSettled(ctx context.Context, w *writing) error {
	if err := s.repo.insert(ctx, w.row, w.made.keys, w.made.links); err != nil {
		return err
	}
	if err := s.claim(ctx, w.row, w.made.uniques); err != nil {
		return err
	}
	if err := s.keepIndexed(ctx, w); err != nil {
		return err
	}

	return s.stored(ctx, w)
}

// record is what was stored, as the caller sees it.
func recordOf(ctx context.Context, w *writing) stored {
	return stored{recordRow: w.row, definition: w.definition.seenBy(ctx), warnings: w.made.warnings}
}

// newRecord makes a record of a payload, ready to be stored as far as it goes by itself. The writing is there
// with an error about values too.
func (s *service) newRecord(ctx context.Context, d *definition, id uuid.UUID, payload []byte) (*writing, error) {
	if d.archived {
		return nil, errModuleArchived
	}
	if err := d.checkSensitive(ctx, payload); err != nil {
		return nil, err
	}
	by, err := s.presets(ctx, d)
	if err != nil {
		return nil, err
	}
	made, found := d.decode(payload, by)
	s.checkDepth(payload, &found)
	if err := s.checkNamed(ctx, made, &found); err != nil {
		return nil, err
	}
	w := &writing{verb: created, definition: d, row: s.newRow(ctx, d, id), made: made}
	if !found.none() {
		return w, s.refuse(ctx, made.links, found)
	}

	return w, nil
}

// checkNamed finds users, and items of other areas, that are not there.
func (s *service) checkNamed(ctx context.Context, made draft, found *problems) error {
	if err := s.checkUsers(ctx, made.users, found); err != nil {
		return err
	}

	return s.checkItems(ctx, made.items, found)
}

// checkUsers finds people who are no users of the company.
func (s *service) checkUsers(ctx context.Context, named []link, found *problems) error {
	for _, n := range named {
		_, err := s.others.users.User(ctx, principal.CompanyOf(ctx), n.record)
		switch {
		case errs.KindOf(err) == errs.NotFound:
			found.add(n.path(), "The "+n.field.spoken+" does not exist.")
		case err != nil:
			return err
		}
	}

	return nil
}

// checkSize refuses a payload that is larger than allowed.
func (s *service) checkSize(payload []byte) error {
	if len(payload) <= int(s.settings.MaxPayload) {
		return nil
	}

	return errPayloadTooLarge.
		WithMessage("The payload has %d bytes; %d are allowed.", len(payload), s.settings.MaxPayload).
		WithDetail("limit_bytes", int64(s.settings.MaxPayload))
}

// checkDepth finds a payload that is nested deeper than allowed.
func (s *service) checkDepth(payload []byte, found *problems) {
	if rawjson.Depth(payload) > s.settings.MaxDepth {
		found.add("payload", fmt.Sprintf("The payload must not be nested deeper than %d levels.", s.settings.MaxDepth))
	}
}

// refuse adds to what was found wrong the references to records that are not there.
func (s *service) refuse(ctx context.Context, links []link, found problems) error {
	missing, err := s.repo.missingRecords(ctx, links)
	if err != nil {
		return err
	}
	for _, l := range missing {
		found.add(l.path(), "The "+l.field.spoken+" does not exist.")
	}

	return found.as(errInvalidPayload, "payload")
}

func (s *service) newRow(ctx context.Context, d *definition, id uuid.UUID) recordRow {
	change := s.change(ctx)
	row := recordRow{
		ID: id, ModuleID: d.module, Version: 1,
		CreatedAt: change.at, CreatedBy: change.by, UpdatedAt: change.at, UpdatedBy: change.by,
	}
	row.CompanyID = principal.CompanyOf(ctx)
	if d.derives() { // nothing refers to it yet, and what it refers to is read
		row.RolledAt = &change.at
	}

	return row
}

// readRecord returns a record of the company, or errRecordNotFound.
func (s *service) readRecord(ctx context.Context, id uuid.UUID) (stored, error) {
	row, err := s.repo.record(ctx, id)
	if err != nil {
		return stored{}, err
	}
	if row.Revision == 0 { // the module is gone
		return stored{}, errRecordNotFound
	}
	read := stored{recordRow: row}
	err = s.definitions.use(ctx, row.ModuleID, func(_ context.Context, d *definition) error {
		read.definition = d
		if d.revision < row.Revision {
			return errMovedOn
		}

		return nil
	})
	if errors.Is(err, errModuleNotFound) {
		return stored{}, errRecordNotFound
	}

	return read, err
}

// page is a page of a module's records, and the definition to read them by.
type page struct {
	list.Page[recordRow]

	query      list.Query
	definition *definition
	embedded   *expansions
}

// findRecords returns the records of a module that a query and a view (or uuid.Nil) ask for. Its errors are
// errModuleNotFound, errFieldNotIndexed and those of the query and of viewed.
func (s *service) findRecords(ctx context.Context, module, view uuid.UUID, given *list.Input) (page, error) {
	var found page
	err := s.definitions.use(ctx, module, func(ctx context.Context, d *definition) error {
		in, err := s.viewed(ctx, d, view, given)
		if err != nil {
			return err
		}
		q, embedded, err := s.asked(ctx, d, in)
		if err != nil {
			return err
		}
		narrow, err := s.search(ctx, d, q)
		if err != nil {
			return err
		}
		var warnings []list.Warning
		if narrow == nil || !narrow.few {
			if warnings, err = s.checkScans(d, d.scans(q), func() (reach, error) { return s.reach(ctx, d) }); err != nil {
				return err
			}
		}
		if (narrow == nil || !narrow.few) && !d.narrowed(q) {
			q = q.WalkTail(s.stretch(ctx, d))
		}
		q, total, err := s.countWords(ctx, d, q, narrow)
		if err != nil {
			return err
		}
		rows, err := s.repo.records(ctx, d, q, narrow)
		if err != nil {
			return fmt.Errorf("module %s: %w", module, err)
		}
		if total != nil {
			rows.Meta.Total, rows.Meta.TotalKind = total, list.TotalExact
		}
		rows.Meta.Warnings = warnings
		found = page{Page: rows, query: q, definition: d, embedded: embedded}
		if err := s.confirm(ctx, d, rows.Data); err != nil {
			return err
		}

		return s.fetch(ctx, d, rows.Data, embedded)
	})

	return found, err
}

// confirm returns errMovedOn if rows were looked for by a definition that is out of date. Rows say
// so themselves; where there are none, the module is asked.
func (s *service) confirm(ctx context.Context, d *definition, rows []recordRow) error {
	var revision int64
	if len(rows) > 0 {
		revision = rows[0].Revision
	} else {
		var err error
		if revision, err = s.repo.revision(ctx, d.module); err != nil {
			return err
		}
	}
	if revision != d.revision {
		return errMovedOn
	}

	return nil
}

// stretch bounds what one page of a list goes through for the records that have no value to sort by: no index holds
// them, so that they are looked for among all of the module.
func (s *service) stretch(ctx context.Context, d *definition) list.Stretch {
	if s.settings.MaxScan == 0 {
		return nil
	}

	return func(from any, descending bool) (any, error) {
		return s.repo.recordFurtherOn(ctx, d.module, from, descending, s.settings.MaxScan)
	}
}

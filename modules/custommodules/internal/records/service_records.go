package records

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Stored is a record with the definition that its document is read by.
type Stored struct {
	definition.RecordRow

	Definition *definition.Definition
	// warnings are the doubts about values that were taken, by path.
	Warnings map[string][]string
}

// CreateRecord stores a record of a module. The payload is a valid JSON object. Its errors are
// ErrModuleNotFound, ErrModuleArchived, ErrPayloadTooLarge, ErrValueTaken and ErrInvalidPayload, with a
// message for everything that is wrong.
func (s *Service) CreateRecord(ctx context.Context, id, module uuid.UUID, payload []byte) (Stored, error) {
	if err := s.CheckSize(payload); err != nil {
		return Stored{}, err
	}
	var made Stored
	err := s.definitions.Follow(ctx, module, definition.MayWrite, func(ctx context.Context, d *definition.Definition) error {
		var err error
		made, err = s.createWith(ctx, d, id, payload)

		return err
	})

	return made, err
}

func (s *Service) createWith(ctx context.Context, d *definition.Definition, id uuid.UUID, payload []byte) (Stored, error) {
	w, err := s.NewRecord(ctx, d, id, payload)
	if err != nil {
		return Stored{}, err
	}
	made := w.Made
	// In a transaction of somebody else's, a failure must leave it as it was: it may be tried again.
	err = s.db.Savepoint(ctx, func(ctx context.Context) error {
		if err := s.roomForRecord(ctx); err != nil {
			return err
		}
		w.Made = made // the function may run again

		return s.InsertRecord(ctx, w)
	})
	if errors.Is(err, store.ErrReferenceMissing) {
		err = s.missing(ctx, w.Made.Links)
	}
	if err != nil {
		return Stored{}, fmt.Errorf("record %s: %w", id, err)
	}

	return recordOf(ctx, w), nil
}

// InsertRecord stores a new record.
func (s *Service) InsertRecord(ctx context.Context, w *store.Writing) error {
	if err := s.runSavingHooks(ctx, w); err != nil {
		return err
	}

	return s.InsertAfterHooks(ctx, w)
}

// InsertAfterHooks is InsertRecord for one that is as it will be stored.
func (s *Service) InsertAfterHooks(ctx context.Context, w *store.Writing) error {
	if err := s.repo.Insert(ctx, w.Row, w.Made.Keys, w.Made.Links); err != nil {
		return err
	}
	if err := s.ClaimUnique(ctx, w.Row, w.Made.Uniques); err != nil {
		return err
	}
	if err := s.KeepIndexed(ctx, w); err != nil {
		return err
	}

	return s.stored(ctx, w)
}

// record is what was stored, as the caller sees it.
func recordOf(ctx context.Context, w *store.Writing) Stored {
	return Stored{RecordRow: w.Row, Definition: w.Definition.SeenBy(ctx), Warnings: w.Made.Warnings}
}

// NewRecord makes a record of a payload, ready to be stored as far as it goes by itself. The writing is there
// with an error about values too.
func (s *Service) NewRecord(ctx context.Context, d *definition.Definition, id uuid.UUID, payload []byte) (*store.Writing, error) {
	if d.Archived {
		return nil, definition.ErrModuleArchived
	}
	if err := d.CheckSensitive(ctx, payload); err != nil {
		return nil, err
	}
	by, err := s.presets(ctx, d)
	if err != nil {
		return nil, err
	}
	made, found := d.Decode(payload, by)
	s.checkDepth(payload, &found)
	if err := s.checkNamed(ctx, made, &found); err != nil {
		return nil, err
	}
	w := &store.Writing{Verb: definition.Created, Definition: d, Row: s.NewRow(ctx, d, id), Made: made}
	if !found.None() {
		return w, s.CheckReferences(ctx, made.Links, found)
	}

	return w, nil
}

// checkNamed finds users, and items of other areas, that are not there.
func (s *Service) checkNamed(ctx context.Context, made definition.Draft, found *definition.Problems) error {
	if err := s.checkUsers(ctx, made.Users, found); err != nil {
		return err
	}

	return s.checkItems(ctx, made.Items, found)
}

// checkUsers finds people who are no users of the company.
func (s *Service) checkUsers(ctx context.Context, named []definition.Link, found *definition.Problems) error {
	for _, n := range named {
		_, err := s.others.Users.User(ctx, principal.CompanyOf(ctx), n.Record)
		switch {
		case errs.KindOf(err) == errs.NotFound:
			found.Add(n.Path(), "The "+n.Field.Spoken+" does not exist.")
		case err != nil:
			return err
		}
	}

	return nil
}

// CheckSize refuses a payload that is larger than allowed.
func (s *Service) CheckSize(payload []byte) error {
	if len(payload) <= int(s.settings.MaxPayload) {
		return nil
	}

	return definition.ErrPayloadTooLarge.
		WithMessage("The payload has %d bytes; %d are allowed.", len(payload), s.settings.MaxPayload).
		WithDetail("limit_bytes", int64(s.settings.MaxPayload))
}

// checkDepth finds a payload that is nested deeper than allowed.
func (s *Service) checkDepth(payload []byte, found *definition.Problems) {
	if rawjson.Depth(payload) > s.settings.MaxDepth {
		found.Add("payload", fmt.Sprintf("The payload must not be nested deeper than %d levels.", s.settings.MaxDepth))
	}
}

// CheckReferences adds to what was found wrong the references to records that are not there.
func (s *Service) CheckReferences(ctx context.Context, links []definition.Link, found definition.Problems) error {
	missing, err := s.repo.MissingRecords(ctx, links)
	if err != nil {
		return err
	}
	for _, l := range missing {
		found.Add(l.Path(), "The "+l.Field.Spoken+" does not exist.")
	}

	return found.ErrorAs(definition.ErrInvalidPayload, "payload")
}

// NewRow is the row of a new record, without its document.
func (s *Service) NewRow(ctx context.Context, d *definition.Definition, id uuid.UUID) definition.RecordRow {
	change := s.Change(ctx)
	row := definition.RecordRow{
		ID: id, ModuleID: d.Module, Version: 1,
		CreatedAt: change.At, CreatedBy: change.By, UpdatedAt: change.At, UpdatedBy: change.By,
	}
	row.CompanyID = principal.CompanyOf(ctx)
	if d.Derives() { // nothing refers to it yet, and what it refers to is read
		row.RolledAt = &change.At
	}

	return row
}

// ReadRecord returns a record of the company, or ErrRecordNotFound.
func (s *Service) ReadRecord(ctx context.Context, id uuid.UUID) (Stored, error) {
	row, err := s.repo.Record(ctx, id)
	if err != nil {
		return Stored{}, err
	}
	if row.Revision == 0 { // the module is gone
		return Stored{}, definition.ErrRecordNotFound
	}
	read := Stored{RecordRow: row}
	err = s.definitions.Use(ctx, row.ModuleID, func(_ context.Context, d *definition.Definition) error {
		read.Definition = d
		if d.Revision < row.Revision {
			return store.ErrMovedOn
		}

		return nil
	})
	if errors.Is(err, definition.ErrModuleNotFound) {
		return Stored{}, definition.ErrRecordNotFound
	}

	return read, err
}

// Page is a page of a module's records, and the definition to read them by.
type Page struct {
	list.Page[definition.RecordRow]

	Query      list.Query
	Definition *definition.Definition
	Embedded   *expansions
}

// FindRecords returns the records of a module that a query and a view (or uuid.Nil) ask for. Its errors are
// ErrModuleNotFound, ErrFieldNotIndexed and those of the query and of viewed.
func (s *Service) FindRecords(ctx context.Context, module, view uuid.UUID, given *list.Input) (Page, error) {
	var found Page
	err := s.definitions.Use(ctx, module, func(ctx context.Context, d *definition.Definition) error {
		in, err := s.viewed(ctx, d, view, given)
		if err != nil {
			return err
		}
		q, embedded, err := s.parseListQuery(ctx, d, in)
		if err != nil {
			return err
		}
		narrow, err := s.search(ctx, d, q)
		if err != nil {
			return err
		}
		var warnings []list.Warning
		if narrow == nil || !narrow.Few {
			if warnings, err = s.checkScans(d, d.Scans(q), func() (reach, error) { return s.reach(ctx, d) }); err != nil {
				return err
			}
		}
		if (narrow == nil || !narrow.Few) && !d.Narrowed(q) {
			q = q.WalkTail(s.walkBound(ctx, d))
		}
		q, total, err := s.countWords(ctx, d, q, narrow)
		if err != nil {
			return err
		}
		rows, err := s.repo.Records(ctx, d, q, narrow)
		if err != nil {
			return fmt.Errorf("module %s: %w", module, err)
		}
		if total != nil {
			rows.Meta.Total, rows.Meta.TotalKind = total, list.TotalExact
		}
		rows.Meta.Warnings = warnings
		found = Page{Page: rows, Query: q, Definition: d, Embedded: embedded}
		if err := s.ConfirmUnchanged(ctx, d, rows.Data); err != nil {
			return err
		}

		return s.fetch(ctx, d, rows.Data, embedded)
	})

	return found, err
}

// ConfirmUnchanged returns ErrMovedOn if rows were looked for by a definition that is out of date. Rows say
// so themselves; where there are none, the module is asked.
func (s *Service) ConfirmUnchanged(ctx context.Context, d *definition.Definition, rows []definition.RecordRow) error {
	var revision int64
	if len(rows) > 0 {
		revision = rows[0].Revision
	} else {
		var err error
		if revision, err = s.repo.Revision(ctx, d.Module); err != nil {
			return err
		}
	}
	if revision != d.Revision {
		return store.ErrMovedOn
	}

	return nil
}

// walkBound bounds what one page of a list goes through for the records that have no value to sort by: no index holds
// them, so that they are looked for among all of the module.
func (s *Service) walkBound(ctx context.Context, d *definition.Definition) list.Stretch {
	if s.settings.MaxScan == 0 {
		return nil
	}

	return func(from any, descending bool) (any, error) {
		return s.repo.RecordFurtherOn(ctx, d.Module, from, descending, s.settings.MaxScan)
	}
}

// presets returns what the defaults of a definition are worked out of.
func (s *Service) presets(ctx context.Context, d *definition.Definition) (definition.Presets, error) {
	by := definition.Presets{User: principal.UserOf(ctx)}
	var err error
	if d.PresetsByDate {
		by.Now, err = s.others.Calendar.Now(ctx)
	}

	return by, err
}

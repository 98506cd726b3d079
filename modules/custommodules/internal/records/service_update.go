package records

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Condition is what a caller asks of the version that is about to be changed.
type Condition interface{ Check(current int64) error }

// UpdateRecord applies a merge patch to a record. Its errors are ErrRecordNotFound, ErrPayloadTooLarge,
// ErrInvalidPayload with a message for everything that is wrong, ErrModuleArchived, and those of the
// condition.
func (s *Service) UpdateRecord(ctx context.Context, id uuid.UUID, patch []byte, c Condition) (Stored, error) {
	if err := s.CheckSize(patch); err != nil {
		return Stored{}, err
	}

	return s.rewrite(ctx, id, c, s.Patched(ctx, patch))
}

// Patched makes a draft by a merge patch, which may set read-only and sensitive fields if it is not the caller's (WithDefined).
func (s *Service) Patched(ctx context.Context, patch []byte) draftOf {
	return func(d *definition.Definition, row definition.RecordRow) (definition.Draft, error) {
		trusted := definition.AsDefined(ctx)
		if !trusted {
			if err := d.CheckSensitive(ctx, patch); err != nil {
				return definition.Draft{}, err
			}
		}
		made, found := d.Amend(row.Data, patch, trusted)
		s.checkDepth(patch, &found)
		if err := s.checkNamed(ctx, made, &found); err != nil {
			return definition.Draft{}, err
		}

		return made, found.ErrorAs(definition.ErrInvalidPayload, "payload")
	}
}

// draftOf makes the draft of a record's next version.
type draftOf func(*definition.Definition, definition.RecordRow) (definition.Draft, error)

// rewrite makes the next version of a record: make gives the draft of it. A version in which nothing
// would change is not made. Where a statement is a trip to the server, an update does not hold what it
// replaces, as long as nobody else changes it: it is written if it is still as it was read.
func (s *Service) rewrite(ctx context.Context, id uuid.UUID, c Condition, makeDraft draftOf) (Stored, error) {
	var w *store.Writing
	err := store.ErrOvertaken
	if s.db.Dialect() == database.Postgres && !database.InTransaction(ctx) {
		for i := 0; i < store.Attempts && errors.Is(err, store.ErrOvertaken); i++ {
			w, err = s.rewriteSeen(ctx, id, c, makeDraft)
		}
	}
	if errors.Is(err, store.ErrOvertaken) {
		w, err = s.rewriteHeld(ctx, id, c, makeDraft)
	}
	if err != nil {
		return Stored{}, fmt.Errorf("record %s: %w", id, err)
	}

	return recordOf(ctx, w), nil
}

// rewriteSeen updates a record as it is read, or fails with ErrOvertaken.
func (s *Service) rewriteSeen(ctx context.Context, id uuid.UUID, c Condition, makeDraft draftOf) (w *store.Writing, err error) {
	before, err := s.repo.Record(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.next(ctx, definition.Updated, before, c, makeDraft, func(ctx context.Context, next *store.Writing) error {
		w = next
		w.Seen = true
		made := w.Made

		return s.db.InTx(ctx, func(ctx context.Context) error {
			w.Made = made // the function may run again

			return s.Store(ctx, w)
		})
	})

	return w, err
}

// rewriteHeld is rewrite that holds what it replaces until the transaction ends.
func (s *Service) rewriteHeld(ctx context.Context, id uuid.UUID, c Condition, makeDraft draftOf) (w *store.Writing, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		before, err := s.repo.LockRecord(ctx, id, false)
		if err != nil {
			return err
		}

		return s.next(ctx, definition.Updated, before, c, makeDraft, func(ctx context.Context, next *store.Writing) error {
			w = next
			if len(w.Made.Uniques) == 0 {
				return s.Store(ctx, w)
			}

			return s.db.Savepoint(ctx, func(ctx context.Context) error { return s.Store(ctx, w) }) // it may be tried again
		})
	})

	return w, err
}

// next has store write the next version of a record, which it may do again.
func (s *Service) next(
	ctx context.Context, what definition.Verb, before definition.RecordRow, c Condition, makeDraft draftOf, store func(context.Context, *store.Writing) error,
) error {
	if err := s.mayTouch(ctx, before, what.Permission()); err != nil {
		return err
	}
	if err := s.checkCondition(ctx, before, c); err != nil {
		return err
	}
	err := s.definitions.Follow(ctx, before.ModuleID, what.Permission(), func(ctx context.Context, d *definition.Definition) error {
		if err := s.current(ctx, d, &before); err != nil {
			return err
		}
		made, err := makeDraft(d, before)
		if err != nil {
			return err
		}

		return store(ctx, s.NextVersion(ctx, what, d, before, made))
	})
	if errors.Is(err, definition.ErrModuleNotFound) {
		return definition.ErrRecordNotFound
	}

	return err
}

// mayTouch returns ErrRecordNotFound to a caller who may not know of a record, and ErrNotPermitted to one
// who may not change it so.
func (s *Service) mayTouch(ctx context.Context, row definition.RecordRow, a definition.Action) error {
	err := s.definitions.Follow(ctx, row.ModuleID, a, func(context.Context, *definition.Definition) error { return nil })
	if errors.Is(err, definition.ErrModuleNotFound) {
		return definition.ErrRecordNotFound
	}

	return err
}

// current makes sure that a definition is that of the module of a record which is held.
func (s *Service) current(ctx context.Context, d *definition.Definition, row *definition.RecordRow) (err error) {
	if d.Revision != row.Revision {
		if row.Revision, err = s.repo.Revision(ctx, row.ModuleID); err != nil {
			return err
		}
	}
	switch {
	case d.Revision != row.Revision:
		return store.ErrMovedOn
	case d.Archived:
		return definition.ErrModuleArchived
	default:
		return nil
	}
}

// NextVersion is a record on the way to its next version.
func (s *Service) NextVersion(ctx context.Context, what definition.Verb, d *definition.Definition, before definition.RecordRow, made definition.Draft) *store.Writing {
	change := s.Change(ctx)
	w := &store.Writing{Verb: what, Definition: d, Before: before, Row: before, Made: made}
	w.Row.Version, w.Row.UpdatedAt, w.Row.UpdatedBy = before.Version+1, change.At, change.By
	w.Row.CompanyID = principal.CompanyOf(ctx)
	if !w.Row.UpdatedAt.After(before.UpdatedAt) {
		w.Row.UpdatedAt = before.UpdatedAt // a clock that was put back
	}

	return w
}

// Store writes versions of records that were there before. A version that changes nothing is not written.
func (s *Service) Store(ctx context.Context, versions ...*store.Writing) error {
	written := make([]*store.Writing, 0, len(versions))
	for _, w := range versions {
		if w.Verb == definition.Restored && w.Definition.Item() == "" {
			if err := s.roomForRecord(ctx); err != nil {
				return err
			}
		}
		if err := s.runSavingHooks(ctx, w); err != nil {
			return err
		}
		if w.Verb == definition.Updated && len(w.Changes) == 0 {
			w.Row = w.Before

			continue
		}
		update := s.repo.Update
		if w.Seen {
			update = s.repo.UpdateSeen
		}
		if err := update(ctx, w.Row, w.Made.Keys); err != nil {
			return err
		}
		if err := s.ReplaceParts(ctx, w); err != nil {
			return err
		}
		if err := s.KeepIndexed(ctx, w); err != nil {
			return err
		}
		written = append(written, w)
	}
	if len(written) == 0 {
		return nil
	}

	return s.stored(ctx, written...)
}

// ReplaceParts brings the unique values and the references of a record up to the draft: those of the
// fields that changed, of all fields when the record comes back.
func (s *Service) ReplaceParts(ctx context.Context, w *store.Writing) error {
	fresh := map[uuid.UUID]bool{}
	for _, c := range w.Changes {
		fresh[c.Field.ID] = true
	}
	var uniques, refers []uuid.UUID
	for _, f := range w.Definition.Fields {
		if w.Verb == definition.Restored {
			fresh[f.ID] = true
		}
		if f.Unique && fresh[f.ID] {
			uniques = append(uniques, f.ID)
		}
		if f.Refers() && fresh[f.ID] {
			refers = append(refers, f.ID)
		}
	}
	if err := s.repo.ReleaseUnique(ctx, w.Row.ID, uniques); err != nil {
		return err
	}
	claims := slices.DeleteFunc(slices.Clone(w.Made.Uniques), func(u definition.Unique) bool { return !fresh[u.Field.ID] })
	if err := s.ClaimUnique(ctx, w.Row, claims); err != nil || len(refers) == 0 || w.Unlinked {
		return err
	}

	return s.relink(ctx, w, refers)
}

// relink replaces the references that some fields are.
func (s *Service) relink(ctx context.Context, w *store.Writing, fields []uuid.UUID) error {
	if err := s.repo.Unlink(ctx, w.Row.ID, fields); err != nil {
		return err
	}
	links := slices.DeleteFunc(w.Definition.Reread(w.Row.Data).Links, func(l definition.Link) bool {
		return !slices.Contains(fields, l.Field.ID)
	})
	err := s.db.Savepoint(ctx, func(ctx context.Context) error { return s.repo.InsertLinks(ctx, w.Row, links) })
	if errors.Is(err, store.ErrReferenceMissing) {
		return s.missing(ctx, links)
	}

	return err
}

// missing says which references point at nothing.
func (s *Service) missing(ctx context.Context, links []definition.Link) error {
	err := s.CheckReferences(ctx, links, definition.Problems{})
	if err == nil { // it has come in the meantime
		err = store.ErrMovedOn
	}

	return err
}

// ClaimUnique takes the unique values of a record, or says which are taken.
func (s *Service) ClaimUnique(ctx context.Context, row definition.RecordRow, values []definition.Unique) error {
	taken, err := s.repo.ClaimUnique(ctx, row, values)
	if err != nil || len(taken) == 0 {
		return err
	}
	var found definition.Problems
	by := map[string]uuid.UUID{}
	for _, u := range values {
		for _, t := range taken {
			if t.FieldID == u.Field.ID {
				found.Add(u.Path(), "The "+u.Field.Spoken+" has already been taken.")
				by[u.Path()] = t.RecordID
			}
		}
	}

	return found.ErrorAs(definition.ErrValueTaken.WithDetail("taken_by", by), "payload")
}

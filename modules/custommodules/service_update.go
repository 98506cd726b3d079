package custommodules

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// condition is what a caller asks of the version that is about to be changed.
type condition interface{ Check(current int64) error }

// updateRecord applies a merge patch to a record. Its errors are errRecordNotFound, errPayloadTooLarge,
// errInvalidPayload with a message for everything that is wrong, errModuleArchived, and those of the
// condition.
func (s *service) updateRecord(ctx context.Context, id uuid.UUID, patch []byte, c condition) (stored, error) {
	if err := s.checkSize(patch); err != nil {
		return stored{}, err
	}

	return s.rewrite(ctx, id, c, s.patched(ctx, patch))
}

// patched makes a draft by a merge patch.
func (s *service) patched(ctx context.Context, patch []byte) draftOf {
	return func(d *definition, row recordRow) (draft, error) {
		if err := d.checkSensitive(ctx, patch); err != nil {
			return draft{}, err
		}
		made, found := d.amend(row.Data, patch, false)
		s.checkDepth(patch, &found)
		if err := s.checkNamed(ctx, made, &found); err != nil {
			return draft{}, err
		}

		return made, found.as(errInvalidPayload, "payload")
	}
}

// draftOf makes the draft of a record's next version.
type draftOf func(*definition, recordRow) (draft, error)

// rewrite makes the next version of a record: make gives the draft of it. A version in which nothing
// would change is not made. Where a statement is a trip to the server, an update does not hold what it
// replaces, as long as nobody else changes it: it is written if it is still as it was read.
func (s *service) rewrite(ctx context.Context, id uuid.UUID, c condition, make draftOf) (stored, error) {
	var w *writing
	var err error = errOvertaken
	if s.db.Dialect() == database.Postgres && !database.InTransaction(ctx) {
		for i := 0; i < attempts && errors.Is(err, errOvertaken); i++ {
			w, err = s.rewriteSeen(ctx, id, c, make)
		}
	}
	if errors.Is(err, errOvertaken) {
		w, err = s.rewriteHeld(ctx, id, c, make)
	}
	if err != nil {
		return stored{}, fmt.Errorf("record %s: %w", id, err)
	}

	return recordOf(ctx, w), nil
}

// rewriteSeen updates a record as it is read, or fails with errOvertaken.
func (s *service) rewriteSeen(ctx context.Context, id uuid.UUID, c condition, make draftOf) (w *writing, err error) {
	before, err := s.repo.record(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.next(ctx, updated, before, c, make, func(ctx context.Context, next *writing) error {
		w = next
		w.seen = true
		made := w.made

		return s.db.InTx(ctx, func(ctx context.Context) error {
			w.made = made // the function may run again

			return s.store(ctx, w)
		})
	})

	return w, err
}

// rewriteHeld is rewrite that holds what it replaces until the transaction ends.
func (s *service) rewriteHeld(ctx context.Context, id uuid.UUID, c condition, make draftOf) (w *writing, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		before, err := s.repo.held(ctx, id, false)
		if err != nil {
			return err
		}

		return s.next(ctx, updated, before, c, make, func(ctx context.Context, next *writing) error {
			w = next
			if len(w.made.uniques) == 0 {
				return s.store(ctx, w)
			}

			return s.db.Savepoint(ctx, func(ctx context.Context) error { return s.store(ctx, w) }) // it may be tried again
		})
	})

	return w, err
}

// next has store write the next version of a record, which it may do again.
func (s *service) next(
	ctx context.Context, what verb, before recordRow, c condition, make draftOf, store func(context.Context, *writing) error,
) error {
	if err := s.mayTouch(ctx, before, what.permission()); err != nil {
		return err
	}
	if err := s.meets(ctx, before, c); err != nil {
		return err
	}
	err := s.definitions.follow(ctx, before.ModuleID, what.permission(), func(ctx context.Context, d *definition) error {
		if err := s.current(ctx, d, &before); err != nil {
			return err
		}
		made, err := make(d, before)
		if err != nil {
			return err
		}

		return store(ctx, s.nextVersion(ctx, what, d, before, made))
	})
	if errors.Is(err, errModuleNotFound) {
		return errRecordNotFound
	}

	return err
}

// permission is what making such a version of a record takes.
func (v verb) permission() action {
	if v == deleted || v == restored {
		return mayDelete
	}

	return mayWrite
}

// mayTouch returns errRecordNotFound to a caller who may not know of a record, and errNotPermitted to one
// who may not change it so.
func (s *service) mayTouch(ctx context.Context, row recordRow, a action) error {
	err := s.definitions.follow(ctx, row.ModuleID, a, func(context.Context, *definition) error { return nil })
	if errors.Is(err, errModuleNotFound) {
		return errRecordNotFound
	}

	return err
}

// current makes sure that a definition is that of the module of a record which is held.
func (s *service) current(ctx context.Context, d *definition, row *recordRow) (err error) {
	if d.revision != row.Revision {
		if row.Revision, err = s.repo.revision(ctx, row.ModuleID); err != nil {
			return err
		}
	}
	switch {
	case d.revision != row.Revision:
		return errMovedOn
	case d.archived:
		return errModuleArchived
	default:
		return nil
	}
}

func (s *service) nextVersion(ctx context.Context, what verb, d *definition, before recordRow, made draft) *writing {
	change := s.change(ctx)
	w := &writing{verb: what, definition: d, before: before, row: before, made: made}
	w.row.Version, w.row.UpdatedAt, w.row.UpdatedBy = before.Version+1, change.at, change.by
	w.row.CompanyID = principal.CompanyOf(ctx)
	if !w.row.UpdatedAt.After(before.UpdatedAt) {
		w.row.UpdatedAt = before.UpdatedAt // a clock that was put back
	}

	return w
}

// store writes a version of a record that was there before.
func (s *service) store(ctx context.Context, w *writing) error {
	if w.verb == restored && w.definition.item() == "" {
		if err := s.roomForRecord(ctx); err != nil {
			return err
		}
	}
	if err := s.settle(ctx, w); err != nil {
		return err
	}
	if w.verb == updated && len(w.changes) == 0 {
		w.row = w.before

		return nil
	}
	update := s.repo.update
	if w.seen {
		update = s.repo.updateSeen
	}
	if err := update(ctx, w.row, w.made.keys); err != nil {
		return err
	}
	if err := s.replaceParts(ctx, w); err != nil {
		return err
	}
	if err := s.keepIndexed(ctx, w); err != nil {
		return err
	}

	return s.stored(ctx, w)
}

// replaceParts brings the unique values and the references of a record up to the draft: those of the
// fields that changed, of all fields when the record comes back.
func (s *service) replaceParts(ctx context.Context, w *writing) error {
	fresh := map[uuid.UUID]bool{}
	for _, c := range w.changes {
		fresh[c.field.id] = true
	}
	var uniques, refers []uuid.UUID
	for _, f := range w.definition.fields {
		if w.verb == restored {
			fresh[f.id] = true
		}
		if f.unique && fresh[f.id] {
			uniques = append(uniques, f.id)
		}
		if f.refers() && fresh[f.id] {
			refers = append(refers, f.id)
		}
	}
	if err := s.repo.disclaim(ctx, w.row.ID, uniques); err != nil {
		return err
	}
	claims := slices.DeleteFunc(slices.Clone(w.made.uniques), func(u unique) bool { return !fresh[u.field.id] })
	if err := s.claim(ctx, w.row, claims); err != nil || len(refers) == 0 || w.unlinked {
		return err
	}

	return s.relink(ctx, w, refers)
}

// relink replaces the references that some fields are.
func (s *service) relink(ctx context.Context, w *writing, fields []uuid.UUID) error {
	if err := s.repo.unlink(ctx, w.row.ID, fields); err != nil {
		return err
	}
	links := slices.DeleteFunc(w.definition.reread(w.row.Data).links, func(l link) bool {
		return !slices.Contains(fields, l.field.id)
	})
	err := s.db.Savepoint(ctx, func(ctx context.Context) error { return s.repo.insertLinks(ctx, w.row, links) })
	if errors.Is(err, errReferenceMissing) {
		return s.missing(ctx, links)
	}

	return err
}

// missing says which references point at nothing.
func (s *service) missing(ctx context.Context, links []link) error {
	err := s.refuse(ctx, links, problems{})
	if err == nil { // it has come in the meantime
		err = errMovedOn
	}

	return err
}

// claim takes the unique values of a record, or says which are taken.
func (s *service) claim(ctx context.Context, row recordRow, values []unique) error {
	taken, err := s.repo.claim(ctx, row, values)
	if err != nil || len(taken) == 0 {
		return err
	}
	var found problems
	by := map[string]uuid.UUID{}
	for _, u := range values {
		for _, t := range taken {
			if t.FieldID == u.field.id {
				found.add(u.path(), "The "+u.field.spoken+" has already been taken.")
				by[u.path()] = t.RecordID
			}
		}
	}

	return found.as(errValueTaken.WithDetail("taken_by", by), "payload")
}

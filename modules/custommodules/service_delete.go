package custommodules

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// onDelete says what becomes of a reference when the record that it points at is deleted.
type onDelete string

// The ways; restrict is the default.
const (
	restrict onDelete = "restrict"
	setNull  onDelete = "set_null"
	cascade  onDelete = "cascade"
)

// deletion is the work of deleting a record with what depends on it.
type deletion struct {
	*service

	// root is the record that somebody deletes.
	root uuid.UUID
	// seen are the records that are deleted by it, or about to be.
	seen map[uuid.UUID]bool
	// touched counts the records that it has changed or deleted.
	touched int
}

// deleteRecord deletes a record, so that it can be restored. Its errors are errRecordNotFound,
// errRecordInUse, errCascadeTooLarge, errModuleArchived, and those of the condition.
func (s *service) deleteRecord(ctx context.Context, id uuid.UUID, c condition) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		d := deletion{service: s, root: id, seen: map[uuid.UUID]bool{}}

		return d.remove(ctx, id, c)
	})
	if err != nil {
		return fmt.Errorf("record %s: %w", id, err)
	}

	return nil
}

func (d *deletion) remove(ctx context.Context, id uuid.UUID, c condition) error {
	d.seen[id] = true
	row, err := d.repo.heldAlone(ctx, id)
	if err != nil {
		return err
	}
	if err := d.mayTouch(ctx, row, mayDelete); err != nil {
		return err
	}
	if err := d.meets(ctx, row, c); err != nil {
		return err
	}
	err = d.definitions.follow(ctx, row.ModuleID, mayDelete, func(ctx context.Context, def *definition) error {
		if err := d.current(ctx, def, &row); err != nil {
			return err
		}

		return d.removeHeld(ctx, def, row)
	})
	if errors.Is(err, errModuleNotFound) {
		return errRecordNotFound
	}

	return err
}

func (d *deletion) removeHeld(ctx context.Context, def *definition, row recordRow) error {
	if hook.Heard[custommodulesapi.RecordDeleting](d.hooks) {
		err := hook.Run(ctx, d.hooks, &custommodulesapi.RecordDeleting{
			Module: row.ModuleID.String(), Record: row.ID.String(), Payload: def.appendPayload(nil, row.Data),
		})
		if err != nil {
			return err
		}
	}
	if err := d.storeDeleted(ctx, d.nextVersion(ctx, deleted, def, row, draft{})); err != nil {
		return err
	}

	return d.release(ctx, row.ID)
}

// storeDeleted marks a record that is held as deleted.
func (s *service) storeDeleted(ctx context.Context, w *writing) error {
	if err := s.repo.remove(ctx, w.row); err != nil {
		return err
	}
	if err := s.keepIndexed(ctx, w); err != nil {
		return err
	}

	return s.stored(ctx, w)
}

// release deals with everybody who points at a record that has been deleted.
func (d *deletion) release(ctx context.Context, id uuid.UUID) error {
	most := d.settings.MaxCascade - d.touched
	all, err := d.repo.referrers(ctx, id, most+1)
	if err != nil {
		return err
	}
	if len(all) > most {
		return errCascadeTooLarge.WithMessage("Deleting the record would change more than %d others at once.", d.settings.MaxCascade).
			WithDetail("limit_records", d.settings.MaxCascade)
	}
	d.touched += len(all)
	for _, from := range all {
		if d.seen[from.RecordID] {
			continue
		}
		if err := d.releaseOne(ctx, id, from, len(all)); err != nil {
			return err
		}
	}

	return nil
}

func (d *deletion) releaseOne(ctx context.Context, id uuid.UUID, from linked, count int) error {
	if from.Revision == 0 {
		return nil // of a module that is gone: nobody sees it any more
	}
	def, _, err := d.definitions.get(ctx, from.ModuleID)
	if err == nil && def.revision != from.Revision {
		def, err = d.definitions.load(ctx, from.ModuleID)
	}
	if err != nil {
		return err
	}
	f := def.fieldByID(from.FieldID)
	if f == nil {
		return nil // a field that is gone
	}
	if f.onDelete() != restrict {
		if still, err := d.stillRefers(ctx, f, from.RecordID, id); err != nil || !still {
			return err
		}
	}
	switch f.onDelete() {
	case cascade:
		return d.remove(d.along(ctx), from.RecordID, always{})
	case setNull:
		if itemType := def.item(); itemType != "" {
			return d.others.resources.ChangeOwn(ctx, itemType, from.RecordID, []byte("{"+string(rawjson.Quote(f.key))+":null}"))
		}
		_, err := d.rewrite(withDefined(ctx), from.RecordID, always{}, func(def *definition, row recordRow) (draft, error) {
			made, found := def.amend(row.Data, []byte("{"+string(rawjson.Quote(f.key))+":null}"), true)

			return made, found.as(errRecordInUse, "payload")
		})

		return err
	case restrict:
	}
	if !def.permissions.allow(ctx, mayRead) {
		return errRecordInUse
	}

	refer := "refer to the record, one of them"
	if count == 1 {
		refer = "refers to the record,"
	}

	return errRecordInUse.WithMessage("%s %s by its field %s.", quantity(int64(count), "record"), refer, f.spoken).
		WithDetail("record_uuid", from.RecordID).WithDetail("module_uuid", from.ModuleID).WithDetail("field", f.key)
}

// along is the context in which others are deleted with the record: their histories say so, unless they say already
// that it is an import which is undone.
func (d *deletion) along(ctx context.Context) context.Context {
	if history.SourceOf(ctx) == "" {
		ctx = history.WithSource(ctx, cascadeOf(d.root))
	}

	return withDefined(ctx)
}

// stillRefers holds a record and reports whether it is there and points at another: it may have changed
// or gone while it was waited for.
func (d *deletion) stillRefers(ctx context.Context, f *moduleField, record, target uuid.UUID) (bool, error) {
	row, err := d.repo.heldAlone(ctx, record)
	if errors.Is(err, errRecordNotFound) {
		return false, nil
	}
	text, there := f.comparand(row.Data)

	return there && text == target.String(), err
}

// always is the condition of no condition.
type always struct{}

// Check implements condition.
func (always) Check(int64) error { return nil }

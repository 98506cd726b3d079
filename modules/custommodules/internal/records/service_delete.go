package records

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// deletion is the work of deleting a record with what depends on it.
type deletion struct {
	service *Service

	// root is the record that somebody deletes.
	root uuid.UUID
	// seen are the records that are deleted by it, or about to be.
	seen map[uuid.UUID]bool
	// touched counts the records that it has changed or deleted.
	touched int
}

// DeleteRecord deletes a record, so that it can be restored. Its errors are ErrRecordNotFound,
// ErrRecordInUse, ErrCascadeTooLarge, ErrModuleArchived, and those of the condition.
func (s *Service) DeleteRecord(ctx context.Context, id uuid.UUID, c Condition) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		d := deletion{service: s, root: id, seen: map[uuid.UUID]bool{}}

		return d.remove(ctx, id, c)
	})
	if err != nil {
		return fmt.Errorf("record %s: %w", id, err)
	}

	return nil
}

func (d *deletion) remove(ctx context.Context, id uuid.UUID, c Condition) error {
	d.seen[id] = true
	row, err := d.service.repo.HeldAlone(ctx, id)
	if err != nil {
		return err
	}
	if err := d.service.mayTouch(ctx, row, definition.MayDelete); err != nil {
		return err
	}
	if err := d.service.checkCondition(ctx, row, c); err != nil {
		return err
	}
	err = d.service.definitions.Follow(ctx, row.ModuleID, definition.MayDelete, func(ctx context.Context, def *definition.Definition) error {
		if err := d.service.current(ctx, def, &row); err != nil {
			return err
		}

		return d.removeHeld(ctx, def, row)
	})
	if errors.Is(err, definition.ErrModuleNotFound) {
		return definition.ErrRecordNotFound
	}

	return err
}

func (d *deletion) removeHeld(ctx context.Context, def *definition.Definition, row definition.RecordRow) error {
	if hook.HasListeners[custommodulesapi.RecordDeleting](d.service.hooks) {
		err := hook.Run(ctx, d.service.hooks, &custommodulesapi.RecordDeleting{
			Module: row.ModuleID.String(), Record: row.ID.String(), Payload: def.AppendPayload(nil, row.Data),
		})
		if err != nil {
			return err
		}
	}
	if err := d.service.StoreDeleted(ctx, d.service.NextVersion(ctx, definition.Deleted, def, row, definition.Draft{})); err != nil {
		return err
	}

	return d.release(ctx, row.ID)
}

// StoreDeleted marks a record that is held as deleted.
func (s *Service) StoreDeleted(ctx context.Context, w *store.Writing) error {
	if err := s.repo.Remove(ctx, w.Row); err != nil {
		return err
	}
	if err := s.KeepIndexed(ctx, w); err != nil {
		return err
	}

	return s.stored(ctx, w)
}

// release deals with everybody who points at a record that has been deleted.
func (d *deletion) release(ctx context.Context, id uuid.UUID) error {
	most := d.service.settings.MaxCascade - d.touched
	all, err := d.service.repo.Referrers(ctx, id, most+1)
	if err != nil {
		return err
	}
	if len(all) > most {
		return definition.ErrCascadeTooLarge.WithMessage("Deleting the record would change more than %d others at once.", d.service.settings.MaxCascade).
			WithDetail("limit_records", d.service.settings.MaxCascade)
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

func (d *deletion) releaseOne(ctx context.Context, id uuid.UUID, from store.Linked, count int) error {
	if from.Revision == 0 {
		return nil // of a module that is gone: nobody sees it any more
	}
	def, _, err := d.service.definitions.Get(ctx, from.ModuleID)
	if err == nil && def.Revision != from.Revision {
		def, err = d.service.definitions.Load(ctx, from.ModuleID)
	}
	if err != nil {
		return err
	}
	f := def.FieldByID(from.FieldID)
	if f == nil {
		return nil // a field that is gone
	}
	if f.OnDelete() != definition.Restrict {
		if still, err := d.stillRefers(ctx, f, from.RecordID, id); err != nil || !still {
			return err
		}
	}
	switch f.OnDelete() {
	case definition.Cascade:
		return d.remove(d.cascadeContext(ctx), from.RecordID, Always{})
	case definition.SetNull:
		if itemType := def.Item(); itemType != "" {
			return d.service.others.Resources.ChangeOwn(definition.WithDefined(ctx), itemType, resource.Update, from.RecordID, []byte("{"+string(rawjson.Quote(f.Key))+":null}"))
		}
		_, err := d.service.rewrite(definition.WithDefined(ctx), from.RecordID, Always{}, func(def *definition.Definition, row definition.RecordRow) (definition.Draft, error) {
			made, found := def.Amend(row.Data, []byte("{"+string(rawjson.Quote(f.Key))+":null}"), true)

			return made, found.ErrorAs(definition.ErrRecordInUse, "payload")
		})

		return err
	case definition.Restrict:
	}
	if !def.Permissions.Allow(ctx, definition.MayRead) {
		return definition.ErrRecordInUse
	}

	refer := "refer to the record, one of them"
	if count == 1 {
		refer = "refers to the record,"
	}

	return definition.ErrRecordInUse.WithMessage("%s %s by its field %s.", definition.Quantity(int64(count), "record"), refer, f.Spoken).
		WithDetail("record_uuid", from.RecordID).WithDetail("module_uuid", from.ModuleID).WithDetail("field", f.Key)
}

// cascadeContext is the context in which others are deleted with the record: their histories say so, unless they say already
// that it is an import which is undone.
func (d *deletion) cascadeContext(ctx context.Context) context.Context {
	if history.SourceOf(ctx) == "" {
		ctx = history.WithSource(ctx, cascadeOf(d.root))
	}

	return definition.WithDefined(ctx)
}

// stillRefers holds a record and reports whether it is there and points at another: it may have changed
// or gone while it was waited for.
func (d *deletion) stillRefers(ctx context.Context, f *definition.ModuleField, record, target uuid.UUID) (bool, error) {
	row, err := d.service.repo.HeldAlone(ctx, record)
	if errors.Is(err, definition.ErrRecordNotFound) {
		return false, nil
	}
	text, there := f.Comparand(row.Data)

	return there && text == target.String(), err
}

// Always is the condition of no condition.
type Always struct{}

// Check implements condition.
func (Always) Check(int64) error { return nil }

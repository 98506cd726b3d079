package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/web"
)

// restoration is the work of bringing a record back with those that were deleted with it.
type restoration struct {
	service *Service
	// source is that of the versions by which others were deleted with it.
	source string
	// done are the records that are back, without their references: these are stored last, since they may be to each
	// other.
	done []*store.Writing
}

// RestoreRecord brings a deleted record back, as a new version, and with it the records that its deletion took along,
// all or none. Its errors are ErrRecordNotFound, ErrRecordNotDeleted, ErrModuleArchived, ErrInvalidPayload for references that
// point at nothing any more, ErrValueTaken, ErrCascadeTooLarge, and those of the condition.
func (s *Service) RestoreRecord(ctx context.Context, id uuid.UUID, c Condition) (Stored, error) {
	var first *store.Writing
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		r := restoration{service: s}
		if err := r.restore(ctx, id, c); err != nil {
			return err
		}
		first = r.done[0]
		for _, w := range r.done {
			if err := r.service.relink(ctx, w, w.Definition.Referring()); err != nil {
				return addRecordID(w, id, err)
			}
		}

		return nil
	})
	if errors.Is(err, definition.ErrRecordNotFound) {
		if _, live := s.ReadRecord(ctx, id); live == nil {
			return Stored{}, definition.ErrRecordNotDeleted
		}
	}
	if err != nil {
		return Stored{}, fmt.Errorf("record %s: %w", id, err)
	}

	return recordOf(ctx, first), nil
}

// addRecordID says of a refusal which record it is about, where that is not the one that was asked for.
func addRecordID(w *store.Writing, asked uuid.UUID, err error) error {
	refused, ok := errors.AsType[*errs.Error](err)
	if !ok || w.Row.ID == asked {
		return err
	}

	return refused.WithDetail("record_uuid", w.Row.ID).WithDetail("module_uuid", w.Row.ModuleID)
}

// restore brings a record back, and then those that refer to it and were deleted with it.
func (r *restoration) restore(ctx context.Context, id uuid.UUID, c Condition) error {
	before, err := r.service.repo.LockRecord(ctx, id, true)
	if err != nil {
		return err
	}
	if r.source == "" {
		if r.source, err = r.deletedBy(ctx, before); err != nil {
			return err
		}
	}
	var w *store.Writing
	err = r.service.next(ctx, definition.Restored, before, c, RestoredDraft, func(ctx context.Context, next *store.Writing) error {
		w = next
		w.Unlinked = true

		return r.service.db.Savepoint(ctx, func(ctx context.Context) error { return r.service.Store(ctx, w) }) // it may be tried again
	})
	if err != nil {
		return err
	}
	r.done = append(r.done, w)
	most := r.service.settings.MaxCascade - len(r.done) + 1
	along, err := r.service.repo.DeletedWith(ctx, id, r.source, most+1)
	if err != nil {
		return err
	}
	if len(along) > most {
		return definition.ErrCascadeTooLarge.WithMessage("Restoring the record would restore more than %d others at once.", r.service.settings.MaxCascade).
			WithDetail("limit_records", r.service.settings.MaxCascade)
	}
	for _, other := range along {
		if slices.ContainsFunc(r.done, func(w *store.Writing) bool { return w.Row.ID == other }) {
			continue
		}
		if err := r.restore(history.WithSource(definition.WithDefined(ctx), r.source), other, Always{}); err != nil {
			return err
		}
	}

	return nil
}

// deletedBy returns the source of the versions by which others were deleted with a record.
func (r *restoration) deletedBy(ctx context.Context, row definition.RecordRow) (string, error) {
	last, err := r.service.repo.HistoryOf(ctx, row.ID, row.Version)
	if err != nil && !errors.Is(err, definition.ErrVersionNotFound) {
		return "", err
	}
	if isCascade(last.Source) {
		return last.Source, nil
	}

	return cascadeOf(row.ID), nil
}

// cascadeOf is the source of what happens to other records because one is deleted or restored.
func cascadeOf(id uuid.UUID) string { return cascadeSource + id.String() }

const cascadeSource = "cascade:"

func isCascade(source string) bool { return strings.HasPrefix(source, cascadeSource) }

// RestoredDraft is the document that a deleted record has when it comes back.
func RestoredDraft(d *definition.Definition, row definition.RecordRow) (definition.Draft, error) {
	document, lost := d.Modern(row.Data)
	if err := d.RefuseUndecided(document); err != nil {
		return definition.Draft{}, err
	}
	made := d.Refreshed(document)
	for path, messages := range lost.Messages {
		made.WarnFrom(path, messages)
	}

	return made, nil
}

// RevertRecord gives fields the values back that they had in an earlier version, as a new version; all
// fields if none is named. Its errors are ErrRecordNotFound, ErrVersionNotFound, ErrModuleArchived,
// ErrInvalidPayload, ErrInvalidRecord for fields that there are not, ErrValueTaken, and those of the
// condition.
func (s *Service) RevertRecord(ctx context.Context, id uuid.UUID, version int64, keys []string, c Condition) (Stored, error) {
	then, err := s.AsOf(ctx, id, version)
	if err != nil {
		return Stored{}, err
	}

	return s.rewrite(ctx, id, c, func(d *definition.Definition, row definition.RecordRow) (definition.Draft, error) {
		var found definition.Problems
		seen := d.SeenBy(ctx) // what the caller does not see stays unchanged
		for i, key := range keys {
			if seen.Field(key) == nil {
				found.Add("fields."+strconv.Itoa(i), naming.UnknownKey(key, " in this module", seen.Keys))
			}
		}
		if err := found.ErrorAs(definition.ErrInvalidRecord, "fields"); err != nil {
			return definition.Draft{}, err
		}
		document, lost := seen.Modern(then.Data)
		back := slices.DeleteFunc(seen.Diff(row.Data, document), func(c definition.FieldChange) bool {
			return c.Field.Computes() || len(keys) > 0 && !slices.Contains(keys, c.Field.Key)
		})
		made, wrong := d.Amend(row.Data, patchOf(back), true)
		for path, messages := range lost.Messages {
			if key := strings.TrimPrefix(path, "payload."); len(keys) == 0 || slices.Contains(keys, key) {
				wrong.Add(path, messages[0])
			}
		}

		return made, wrong.ErrorAs(definition.ErrInvalidPayload, "payload")
	})
}

// patchOf is the merge patch that makes changes.
func patchOf(changes []definition.FieldChange) []byte {
	patch := []byte{'{'}
	for i, change := range changes {
		if i > 0 {
			patch = append(patch, ',')
		}
		patch = append(patch, change.Field.Shown...)
		patch = append(patch, OrNull(change.After)...)
	}

	return append(patch, '}')
}

// OrNull is JSON, null for none.
func OrNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}

	return raw
}

// checkCondition checks the condition of a caller. The refusal of a stale If-Match names the fields that have
// changed since the version it was meant for.
func (s *Service) checkCondition(ctx context.Context, row definition.RecordRow, c Condition) error {
	err := c.Check(row.Version)
	stale, ok := errors.AsType[*errs.Error](err)
	match, tagged := c.(web.IfMatch)
	if !ok || !tagged || stale.Kind != errs.Stale {
		return err
	}
	since, unread := strconv.ParseInt(strings.Trim(match.IfMatch, `"`), 10, 64)
	if unread != nil || since < 1 || since >= row.Version {
		return err
	}
	then, err := s.AsOf(ctx, row.ID, since)
	if err != nil {
		return stale
	}
	changed := []string{}
	for _, change := range then.Definition.Diff(then.Data, row.Data) {
		changed = append(changed, change.Field.Key)
	}

	return stale.WithDetail("changed", changed)
}

package custommodules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/web"
)

// restoration is the work of bringing a record back with those that were deleted with it.
type restoration struct {
	*service
	// source is that of the versions by which others were deleted with it.
	source string
	// done are the records that are back, without their references: these are stored last, since they may be to each
	// other.
	done []*writing
}

// restoreRecord brings a deleted record back, as a new version, and with it the records that its deletion took along,
// all or none. Its errors are errRecordNotFound, errRecordNotDeleted, errModuleArchived, errInvalidPayload for references that
// point at nothing any more, errValueTaken, errCascadeTooLarge, and those of the condition.
func (s *service) restoreRecord(ctx context.Context, id uuid.UUID, c condition) (stored, error) {
	var first *writing
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		r := restoration{service: s}
		if err := r.restore(ctx, id, c); err != nil {
			return err
		}
		first = r.done[0]
		for _, w := range r.done {
			if err := r.relink(ctx, w, w.definition.referring()); err != nil {
				return w.concerning(id, err)
			}
		}

		return nil
	})
	if errors.Is(err, errRecordNotFound) {
		if _, live := s.readRecord(ctx, id); live == nil {
			return stored{}, errRecordNotDeleted
		}
	}
	if err != nil {
		return stored{}, fmt.Errorf("record %s: %w", id, err)
	}

	return recordOf(ctx, first), nil
}

// referring are the fields of a definition that refer to records.
func (d *definition) referring() []uuid.UUID {
	var ids []uuid.UUID
	for _, f := range d.fields {
		if f.refers() {
			ids = append(ids, f.id)
		}
	}

	return ids
}

// concerning says of a refusal which record it is about, where that is not the one that was asked for.
func (w *writing) concerning(asked uuid.UUID, err error) error {
	refused, ok := errors.AsType[*errs.Error](err)
	if !ok || w.row.ID == asked {
		return err
	}

	return refused.WithDetail("record_uuid", w.row.ID).WithDetail("module_uuid", w.row.ModuleID)
}

// restore brings a record back, and then those that refer to it and were deleted with it.
func (r *restoration) restore(ctx context.Context, id uuid.UUID, c condition) error {
	before, err := r.repo.held(ctx, id, true)
	if err != nil {
		return err
	}
	if r.source == "" {
		if r.source, err = r.deletedBy(ctx, before); err != nil {
			return err
		}
	}
	var w *writing
	err = r.next(ctx, restored, before, c, restoredDraft, func(ctx context.Context, next *writing) error {
		w = next
		w.unlinked = true

		return r.db.Savepoint(ctx, func(ctx context.Context) error { return r.store(ctx, w) }) // it may be tried again
	})
	if err != nil {
		return err
	}
	r.done = append(r.done, w)
	most := r.settings.MaxCascade - len(r.done) + 1
	along, err := r.repo.deletedWith(ctx, id, r.source, most+1)
	if err != nil {
		return err
	}
	if len(along) > most {
		return errCascadeTooLarge.WithMessage("Restoring the record would restore more than %d others at once.", r.settings.MaxCascade).
			WithDetail("limit_records", r.settings.MaxCascade)
	}
	for _, other := range along {
		if slices.ContainsFunc(r.done, func(w *writing) bool { return w.row.ID == other }) {
			continue
		}
		if err := r.restore(history.WithSource(withDefined(ctx), r.source), other, always{}); err != nil {
			return err
		}
	}

	return nil
}

// deletedBy returns the source of the versions by which others were deleted with a record.
func (r *restoration) deletedBy(ctx context.Context, row recordRow) (string, error) {
	last, err := r.repo.historyOf(ctx, row.ID, row.Version)
	if err != nil && !errors.Is(err, errVersionNotFound) {
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

func restoredDraft(d *definition, row recordRow) (draft, error) {
	document, lost := d.modern(row.Data)
	if err := d.refuseUndecided(document); err != nil {
		return draft{}, err
	}
	made := d.refreshed(document)
	for path, messages := range lost.messages {
		made.warnFrom(path, messages)
	}

	return made, nil
}

// revertRecord gives fields the values back that they had in an earlier version, as a new version; all
// fields if none is named. Its errors are errRecordNotFound, errVersionNotFound, errModuleArchived,
// errInvalidPayload, errInvalidRecord for fields that there are not, errValueTaken, and those of the
// condition.
func (s *service) revertRecord(ctx context.Context, id uuid.UUID, version int64, keys []string, c condition) (stored, error) {
	then, err := s.asOf(ctx, id, version)
	if err != nil {
		return stored{}, err
	}

	return s.rewrite(ctx, id, c, func(d *definition, row recordRow) (draft, error) {
		var found problems
		seen := d.seenBy(ctx) // what the caller does not see stays as it is
		for i, key := range keys {
			if seen.field(key) == nil {
				found.add("fields."+strconv.Itoa(i), naming.Unknown(key, " in this module", seen.keys))
			}
		}
		if err := found.as(errInvalidRecord, "fields"); err != nil {
			return draft{}, err
		}
		document, lost := seen.modern(then.Data)
		back := slices.DeleteFunc(seen.diff(row.Data, document), func(c fieldChange) bool {
			return c.field.computes() || len(keys) > 0 && !slices.Contains(keys, c.field.key)
		})
		made, wrong := d.amend(row.Data, patchOf(back), true)
		for path, messages := range lost.messages {
			if key := strings.TrimPrefix(path, "payload."); len(keys) == 0 || slices.Contains(keys, key) {
				wrong.add(path, messages[0])
			}
		}

		return made, wrong.as(errInvalidPayload, "payload")
	})
}

// patchOf is the merge patch that makes changes.
func patchOf(changes []fieldChange) []byte {
	patch := []byte{'{'}
	for i, change := range changes {
		if i > 0 {
			patch = append(patch, ',')
		}
		patch = append(patch, change.field.shown...)
		patch = append(patch, orNull(change.after)...)
	}

	return append(patch, '}')
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}

	return raw
}

// meets checks the condition of a caller. The refusal of a stale If-Match names the fields that have
// changed since the version it was meant for.
func (s *service) meets(ctx context.Context, row recordRow, c condition) error {
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
	then, err := s.asOf(ctx, row.ID, since)
	if err != nil {
		return stale
	}
	changed := []string{}
	for _, change := range then.definition.diff(then.Data, row.Data) {
		changed = append(changed, change.field.key)
	}

	return stale.WithDetail("changed", changed)
}

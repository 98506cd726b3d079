package custommodules

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
)

// restoreRecord brings a deleted record back, as a new version. Its errors are errRecordNotFound,
// errModuleArchived, errInvalidPayload for references that point at nothing any more, errValueTaken, and
// those of the condition.
func (s *service) restoreRecord(ctx context.Context, id uuid.UUID, c condition) (stored, error) {
	return s.rewrite(ctx, id, restored, c, func(d *definition, row recordRow) (draft, error) {
		document, lost := d.modern(row.Data)
		if err := d.refuseUndecided(document); err != nil {
			return draft{}, err
		}
		made := d.refreshed(document)
		for path, messages := range lost.messages {
			made.warnFrom(path, messages)
		}

		return made, nil
	})
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

	return s.rewrite(ctx, id, updated, c, func(d *definition, row recordRow) (draft, error) {
		var found problems
		seen := d.seenBy(ctx) // what the caller does not see stays as it is
		for i, key := range keys {
			if seen.field(key) == nil {
				found.add("fields."+strconv.Itoa(i), unknownKey(key, " in this module", seen.keys))
			}
		}
		if err := found.as(errInvalidRecord, "fields"); err != nil {
			return draft{}, err
		}
		document, lost := seen.modern(then.Data)
		patch := []byte{'{'}
		for _, change := range seen.diff(row.Data, document) {
			if change.field.computes() || len(keys) > 0 && !slices.Contains(keys, change.field.key) {
				continue
			}
			if len(patch) > 1 {
				patch = append(patch, ',')
			}
			patch = append(patch, change.field.shown...)
			patch = append(patch, orNull(change.after)...)
		}
		made, wrong := d.amend(row.Data, append(patch, '}'), true)
		for path, messages := range lost.messages {
			if key := strings.TrimPrefix(path, "payload."); len(keys) == 0 || slices.Contains(keys, key) {
				wrong.add(path, messages[0])
			}
		}

		return made, wrong.as(errInvalidPayload, "payload")
	})
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

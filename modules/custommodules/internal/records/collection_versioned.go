package records

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Versions implements history.Versioned.
func (c RecordCollection) Versions(ctx context.Context, row uuid.UUID, deleted bool, q list.Query) (list.Page[history.Version], error) {
	read, err := c.Service.ReadEither(ctx, row, deleted)
	if err == nil && read.ModuleID != c.Module {
		err = definition.ErrRecordNotFound
	}
	if err != nil {
		return list.Page[history.Version]{}, err
	}

	return c.Service.Versions(ctx, read, q)
}

// At implements history.Versioned.
func (c RecordCollection) At(ctx context.Context, row uuid.UUID, version int64) (history.Snapshot, error) {
	if err := c.Service.belongs(ctx, row, c.Module); err != nil {
		return history.Snapshot{}, err
	}

	return snapshot(c.Service.AsOf(ctx, row, version))
}

// GoBack implements history.Versioned.
func (c RecordCollection) GoBack(ctx context.Context, row uuid.UUID, to history.Revert, match web.IfMatch) (history.Snapshot, error) {
	if err := c.Service.belongs(ctx, row, c.Module); err != nil {
		return history.Snapshot{}, err
	}

	return snapshot(c.Service.RevertRecord(ctx, row, to.Version, to.Fields, match))
}

// snapshot is a record as answers show it.
func snapshot(r Stored, err error) (history.Snapshot, error) {
	if err != nil {
		return history.Snapshot{}, err
	}
	answer := r.Resource()
	raw, err := json.Marshal(answer.Body)

	return history.Snapshot{Version: r.Version, Path: answer.Location, JSON: raw}, err
}

// Versions returns a page of the versions of a record as the caller sees it.
func (s *Service) Versions(ctx context.Context, read Stored, q list.Query) (list.Page[history.Version], error) {
	page, err := s.repo.History(ctx, read.ID, q)
	if err != nil {
		return list.Page[history.Version]{}, err
	}
	gone, err := s.goneFields(ctx, read.ModuleID)
	if err != nil {
		return list.Page[history.Version]{}, err
	}
	for i, row := range page.Data {
		if row.Version == 1 {
			if page.Data[i].Changes, err = s.createdWith(ctx, read, gone); err != nil {
				return list.Page[history.Version]{}, err
			}
		}
	}

	return list.Convert(page, func(row definition.HistoryRow) history.Version {
		v := read.Definition.VersionOf(row)
		gone.addTo(&v, row.Changes)

		return v
	}), nil
}

// createdWith are the values of the first version of a record, as changes from nothing. Of a later version, only what
// it changed is kept: so all of them are undone.
func (s *Service) createdWith(ctx context.Context, now Stored, gone goneFields) (rawjson.Object, error) {
	later, err := s.repo.HistoryAfter(ctx, now.ID, 1)
	if err != nil {
		return nil, err
	}
	values := map[string][]byte{} // of fields that are gone, which undone leaves out
	for number, raw := range rawjson.Members(now.Data) {
		if _, is := gone[string(number)]; is {
			values[string(number)] = raw
		}
	}
	for _, row := range later {
		if now.Data, err = now.Definition.Undone(now.Data, row.Changes); err != nil {
			return nil, fmt.Errorf("version %d of record %s: %w", row.Version, now.ID, err)
		}
		for number, raw := range rawjson.Members(row.Changes) {
			if _, is := gone[string(number)]; is {
				values[string(number)] = rawjson.Member(raw, "before")
			}
		}
	}
	for number, raw := range rawjson.Members(now.Data) {
		if _, is := gone[string(number)]; !is {
			values[string(number)] = raw
		}
	}
	changes := map[string]definition.ChangeText{}
	for number, raw := range values {
		if raw != nil {
			changes[number] = definition.ChangeText{After: raw}
		}
	}

	return json.Marshal(changes)
}

// goneFields are deleted fields by their numbers.
type goneFields map[string]definition.FieldRow

// goneFields returns the deleted fields of a module whose values the caller may see.
func (s *Service) goneFields(ctx context.Context, module uuid.UUID) (goneFields, error) {
	rows, err := s.repo.DeletedFields(ctx, module)
	gone := goneFields{}
	for _, row := range rows {
		if !row.Sensitive || definition.SeesSensitive(ctx) {
			gone[strconv.Itoa(row.Number)] = row
		}
	}

	return gone, err
}

// addTo adds the changes of deleted fields to a version.
func (g goneFields) addTo(v *history.Version, changes []byte) {
	for number, raw := range rawjson.Members(changes) {
		if row, gone := g[string(number)]; gone {
			v.AddGone(history.GoneChange{
				FieldUUID: row.ID, Key: row.Key, Label: row.Label, Before: rawjson.Member(raw, "before"), After: rawjson.Member(raw, "after"),
			})
		}
	}
}

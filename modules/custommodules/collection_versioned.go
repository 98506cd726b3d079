package custommodules

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection/history"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Versions implements history.Versioned.
func (c recordCollection) Versions(ctx context.Context, row uuid.UUID, deleted bool, q list.Query) (list.Page[history.Version], error) {
	read, err := c.service.readEither(ctx, row, deleted)
	if err == nil && read.ModuleID != c.module {
		err = errRecordNotFound
	}
	if err != nil {
		return list.Page[history.Version]{}, err
	}

	return c.service.versions(ctx, read, q)
}

// At implements history.Versioned.
func (c recordCollection) At(ctx context.Context, row uuid.UUID, version int64) (history.Snapshot, error) {
	if err := c.service.belongs(ctx, row, c.module); err != nil {
		return history.Snapshot{}, err
	}

	return snapshot(c.service.asOf(ctx, row, version))
}

// GoBack implements history.Versioned.
func (c recordCollection) GoBack(ctx context.Context, row uuid.UUID, to history.Revert, match web.IfMatch) (history.Snapshot, error) {
	if err := c.service.belongs(ctx, row, c.module); err != nil {
		return history.Snapshot{}, err
	}

	return snapshot(c.service.revertRecord(ctx, row, to.Version, to.Fields, match))
}

// snapshot is a record as answers show it.
func snapshot(r stored, err error) (history.Snapshot, error) {
	if err != nil {
		return history.Snapshot{}, err
	}
	answer := r.resource()
	raw, err := json.Marshal(answer.Body)

	return history.Snapshot{Version: r.Version, Path: answer.Location, JSON: raw}, err
}

// versions returns a page of the versions of a record as the caller sees it.
func (s *service) versions(ctx context.Context, read stored, q list.Query) (list.Page[history.Version], error) {
	page, err := s.repo.history(ctx, read.ID, q)
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

	return list.Convert(page, func(row historyRow) history.Version {
		v := read.definition.versionOf(row)
		gone.addTo(&v, row.Changes)

		return v
	}), nil
}

// createdWith are the values of the first version of a record, as changes from nothing. Of a later version, only what
// it changed is kept: so all of them are undone.
func (s *service) createdWith(ctx context.Context, now stored, gone goneFields) (rawjson.Object, error) {
	later, err := s.repo.historyAfter(ctx, now.ID, 1)
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
		if now.Data, err = now.definition.undone(now.Data, row.Changes); err != nil {
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
	changes := map[string]changeText{}
	for number, raw := range values {
		if raw != nil {
			changes[number] = changeText{After: raw}
		}
	}

	return json.Marshal(changes)
}

// goneFields are deleted fields by their numbers.
type goneFields map[string]fieldRow

// goneFields returns the deleted fields of a module whose values the caller may see.
func (s *service) goneFields(ctx context.Context, module uuid.UUID) (goneFields, error) {
	rows, err := s.repo.deletedFields(ctx, module)
	gone := goneFields{}
	for _, row := range rows {
		if !row.Sensitive || seesSensitive(ctx) {
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

// versionOf is a version with its changes under the keys of the definition. Fields that are gone by now stay out.
func (d *definition) versionOf(row historyRow) history.Version {
	v := history.Version{Stamp: row.Stamp, Changes: map[string]history.ValueChange{}}
	for number, raw := range rawjson.Members(row.Changes) {
		if i, ok := d.byNumber[string(number)]; ok {
			v.Add(d.fields[i].key, rawjson.Member(raw, "before"), rawjson.Member(raw, "after"))
		}
	}
	if d.replacing {
		d.addFormer(&v, row.Changes)
	}

	return v
}

// addFormer adds the changes of fields that others have replaced. In the version in which a value was
// converted, the one field has what was before and the other one what came of it.
func (d *definition) addFormer(to *history.Version, changes []byte) {
	for number, raw := range rawjson.Members(changes) {
		i, _, ok := d.formerOf(string(number))
		if !ok {
			continue
		}
		before, after := rawjson.Member(raw, "before"), rawjson.Member(raw, "after")
		if now := rawjson.Member(changes, d.fields[i].number); now != nil {
			after = rawjson.Member(now, "after")
			if had := rawjson.Member(now, "before"); had != nil {
				before = had
			}
		}
		to.Add(d.fields[i].key, before, after)
	}
}

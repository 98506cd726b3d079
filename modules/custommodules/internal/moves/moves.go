// Package moves moves the item fields of records and own fields from an item to the one that it was merged into.
package moves

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/records"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/resource/moving"
)

// Service moves item fields.
type Service struct {
	records     *records.Service
	repo        *store.Repository
	definitions *store.Definitions
	resources   *resource.Engine
}

// New returns the service.
func New(r *records.Service, repo *store.Repository, d *store.Definitions, e *resource.Engine) *Service {
	return &Service{records: r, repo: repo, definitions: d, resources: e}
}

// MoveItems changes item fields that name one item to name another one (resource.MovesReferences): those of records, with a new version
// each, and own fields of other areas' rows, as changes of these rows. The permissions of modules do not limit it, and neither
// does their archival: the item that the records name has been replaced.
func (s *Service) MoveItems(ctx context.Context, m resource.Moving) (all []resource.Moved, err error) {
	fields, err := store.ItemFields(ctx, s.repo)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		only, every := m.Among(definition.RecordItem, f.ID.String())
		if !every && len(only) == 0 {
			continue
		}
		if every {
			only = nil
		}
		moved, err := s.moveField(definition.WithDefined(ctx), f, m, only)
		if taken, ok := errors.AsType[*errs.Error](err); ok && taken.Code == definition.ErrValueTaken.Code {
			err = moving.ErrTaken.WithDetail("type", definition.RecordItem).WithDetail("field_uuid", f.ID).WithCause(err)
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.ID, err)
		}
		if len(moved) > 0 {
			all = append(all, resource.Moved{Of: definition.RecordItem, By: f.ID.String(), Rows: moved})
		}
	}

	return all, nil
}

// moveField moves the values of one field, of some records or, with nil, of all.
func (s *Service) moveField(ctx context.Context, of definition.FieldRow, m resource.Moving, only []uuid.UUID) (moved []uuid.UUID, err error) {
	if err := s.repo.Hold(ctx, of.ModuleID); err != nil {
		return nil, err
	}
	d, err := s.definitions.Current(ctx, of.ModuleID)
	if err != nil {
		return nil, err
	}
	f := d.FieldByID(of.ID)
	if f == nil {
		return nil, nil
	}
	if allowed, ok := f.Values.(*field.ItemOptions); !ok || (len(allowed.Types) > 0 && !slices.Contains(allowed.Types, m.Type)) {
		return nil, nil
	}
	ids, err := store.RecordsNaming(ctx, s.repo, d, f, m.From, only, moving.Most+1)
	if err != nil {
		return nil, err
	}
	if len(ids) > moving.Most {
		return nil, moving.ErrTooMany.WithDetail("type", definition.RecordItem).WithDetail("field_uuid", f.ID)
	}
	patch, err := json.Marshal(map[string]item.Ref{f.Key: {Type: m.Type, UUID: m.To}})
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(ids, moving.Together) {
		done, err := s.moveSome(ctx, d, f, some, m, patch)
		if err != nil {
			return nil, err
		}
		moved = append(moved, done...)
	}

	return moved, nil
}

func (s *Service) moveSome(
	ctx context.Context, d *definition.Definition, f *definition.ModuleField, ids []uuid.UUID, m resource.Moving, patch []byte,
) ([]uuid.UUID, error) {
	if d.Item() != "" {
		for _, id := range ids {
			if err := s.resources.ChangeOwn(ctx, d.Item(), resource.Move, id, patch); err != nil {
				return nil, err
			}
		}

		return ids, nil
	}
	rows, err := s.repo.HeldAll(ctx, d.Module, ids)
	if err != nil {
		return nil, err
	}
	var written []*store.Writing
	for _, row := range rows {
		named, err := field.ParseItem(orNull(rawjson.Member(row.Data, f.Number)))
		if err != nil || row.DeletedAt != nil || named != (item.Ref{Type: m.Type, UUID: m.From}) {
			continue // changed since it was found
		}
		made, found := d.Amend(row.Data, patch, true)
		if err := found.ErrorAs(definition.ErrInvalidPayload, "payload"); err != nil {
			return nil, fmt.Errorf("record %s: %w", row.ID, err)
		}
		w := s.records.NextVersion(ctx, definition.Updated, d, row, made)
		w.Seen = s.repo.DB.Dialect() == database.Postgres // is sent with what follows
		written = append(written, w)
	}
	if err := s.records.Store(ctx, written...); err != nil {
		return nil, err
	}
	var moved []uuid.UUID
	for _, w := range written {
		if len(w.Changes) > 0 {
			moved = append(moved, w.Row.ID)
		}
	}

	return moved, nil
}

func orNull(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}

	return raw
}

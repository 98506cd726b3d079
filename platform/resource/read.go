package resource

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// schema is Resource.Schema.
func (r *table) schema(ctx context.Context) (list.Schema, error) {
	sees := r.sees(ctx)
	s, err := columns.WithDetails(ctx, &r.plan, r.engine.details, sees, r.plan.Schema(r.engine.db.Dialect(), sees))
	if err == nil {
		s, err = r.withLinks(ctx, s)
	}
	if err != nil {
		return s, err
	}
	own, err := r.ownFields(ctx)
	if own == nil || err != nil {
		return s, err
	}

	return r.listedOwn(ctx, s, own), nil
}

// show is Resource.Show.
func (r *table) show(ctx context.Context, expand func(name string) bool, rows ...any) error {
	sees := r.sees(ctx)
	for _, row := range rows {
		r.plan.Mask(columns.ValueOf(row), sees)
	}
	if err := r.showOwn(ctx, rows); err != nil {
		return err
	}

	return r.expand(ctx, expand, rows)
}

// sees returns which guarded fields the caller may read and write.
func (r *table) sees(ctx context.Context) columns.Sight {
	who, _ := principal.From(ctx)

	return r.plan.SightOf(who.Allows)
}

// describe implements the items of the resource.
func (r *table) describe(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	rows, err := r.findSome(ctx, ids)
	found := make(map[uuid.UUID]item.Description, len(rows))
	for _, row := range rows {
		found[columns.MetaOf(row).ID] = item.Description{Title: r.titleOf(row), Part: r.partOf(row)}
	}

	return found, err
}

func (r *table) itemFields(ctx context.Context, parts []string) (map[string][]item.Field, error) {
	fields, all := r.plan.ItemFields(), map[string][]item.Field{}
	own, err := r.ownFields(ctx)
	if err != nil {
		return nil, err
	}
	if own != nil {
		for _, f := range own.Items() {
			f.Key = ownPrefix + f.Key
			fields = append(fields, f)
		}
	}
	for _, part := range append(parts, "") {
		all[part] = fields
	}

	return all, nil
}

func (r *table) itemValues(ctx context.Context, ids []uuid.UUID, keys []string) (map[uuid.UUID]item.Values, error) {
	rows, err := r.findSome(ctx, ids)
	if err != nil {
		return nil, err
	}
	own, err := r.collectOwn(ctx, collected{})
	if err != nil {
		return nil, err
	}
	documents, seesOwn, err := r.documentsOf(ctx, own, rows)
	if err != nil {
		return nil, err
	}
	sees, found := r.sees(ctx), make(map[uuid.UUID]item.Values, len(rows))
	for i, row := range rows {
		r.plan.Mask(columns.ValueOf(row), sees)
		values := map[string]any{}
		if own.own != nil {
			if len(keys) == 0 { // as texts say it: item.custom.gate_code
				values[columns.OwnKey] = json.RawMessage(own.own.Shown(documents[i], seesOwn))
			}
			for n, value := range own.ownValues(documents[i], seesOwn) {
				if key := own.fields[n].Key; value != nil && (len(keys) == 0 || slices.Contains(keys, key)) {
					values[key] = json.RawMessage(value)
				}
			}
		}
		for _, f := range r.plan.Fields {
			if f.SeenBy(sees) && (len(keys) == 0 || slices.Contains(keys, f.Key)) && f.Key != "version" {
				values[f.Key] = f.Shown(columns.ValueOf(row))
			}
		}
		if found[columns.MetaOf(row).ID], err = item.ValuesOf(values, nil); err != nil {
			return nil, err
		}
	}

	return found, nil
}

package resource

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// links are the names of the items that other areas keep for rows.
func (r *table) links(ctx context.Context) ([]string, error) {
	if r.engine.details == nil {
		return nil, nil
	}

	return r.engine.details.Links(ctx, r.Item)
}

// withLinks is the schema of lists with what links embed.
func (r *table) withLinks(ctx context.Context, s list.Schema) (list.Schema, error) {
	names, err := r.links(ctx)
	if err != nil || len(names) == 0 {
		return s, err
	}
	s.Expand, s.Keys = slices.Clip(s.Expand), slices.Clip(s.Keys)
	for _, name := range names {
		s.Expand = append(s.Expand, name)
		for _, key := range []string{"expanded", "expanded." + name} {
			if !slices.Contains(s.Keys, key) {
				s.Keys = append(s.Keys, key)
			}
		}
	}

	return s, nil
}

// embedLinks embeds in rows the items that other areas keep for them: a few statements for each link.
func (r *table) embedLinks(ctx context.Context, asked func(name string) bool, rows []any) error {
	if asked == nil || len(rows) == 0 {
		return nil
	}
	names, err := r.links(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !asked(name) {
			continue
		}
		ids := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			ids[i] = columns.MetaOf(row).ID
		}
		found, err := r.engine.details.Linked(ctx, r.Item, name, ids)
		if err != nil {
			return err
		}
		refs := make([]item.Ref, 0, len(found))
		for _, ref := range found {
			refs = append(refs, ref)
		}
		embedded, err := r.engine.expanded(ctx, refs)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if ref, has := found[columns.MetaOf(row).ID]; has {
				columns.EmbedItem(row, name, embedded[ref])
			}
		}
	}

	return nil
}

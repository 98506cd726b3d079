package columns

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/dispatchd/dispatchd/platform/detail"
	"github.com/dispatchd/dispatchd/platform/list"
)

// detailed is a detail that areas add to the values of a field.
type detailed struct {
	field *Field
	asked *detail.Asked
}

// path is its name in expand=.
func (d detailed) path() string { return detail.Path(d.field.Key, d.asked.Name) }

// detailsOf returns the details of the fields of a plan that the caller may request, none without a registry.
func detailsOf(ctx context.Context, p *Plan, r *detail.Registry, sees Sight) ([]detailed, error) {
	if r == nil {
		return nil, nil
	}
	var all []detailed
	for _, f := range p.Fields {
		if f.Type == "" || !f.SeenBy(sees) {
			continue
		}
		names, err := r.Names(ctx, f.Type)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			all = append(all, detailed{f, &detail.Asked{Type: f.Type, Name: name}})
		}
	}

	return all, nil
}

// WithDetails returns the schema of lists with details, and with the filters that areas add to all lists.
func WithDetails(ctx context.Context, p *Plan, r *detail.Registry, sees Sight, s list.Schema) (list.Schema, error) {
	all, err := detailsOf(ctx, p, r, sees)
	if r != nil && err == nil {
		var filters []list.Field
		if filters, err = r.Filters(ctx, p.Table+".id"); len(filters) > 0 {
			s = s.Extended(filters, nil)
		}
	}
	s.Expand, s.Keys = slices.Clip(s.Expand), slices.Clip(s.Keys)
	for _, d := range all {
		s.Expand = append(s.Expand, d.path())
		for _, key := range detail.Keys("", d.field.Key, d.asked.Name) {
			if !slices.Contains(s.Keys, key) {
				s.Keys = append(s.Keys, key)
			}
		}
	}

	return s, err
}

// EmbedDetails embeds the requested details in rows: each is read once for all rows. A nil asked requests none.
func EmbedDetails(ctx context.Context, p *Plan, r *detail.Registry, sees Sight, asked func(name string) bool, rows []any) error {
	if asked == nil {
		return nil
	}
	all, err := detailsOf(ctx, p, r, sees)
	if err != nil {
		return err
	}
	for _, d := range all {
		if !asked(d.path()) {
			continue
		}
		for _, row := range rows {
			d.asked.Add(d.text(ValueOf(row)))
		}
		if err := r.Read(ctx, d.asked); err != nil {
			return err
		}
		for _, row := range rows {
			text, there := d.asked.Of(d.text(ValueOf(row)))
			if !there {
				continue
			}
			details := maps.Clone(MetaOf(row).Expanded[d.field.Key].Details)
			if details == nil {
				details = map[string]json.RawMessage{}
			}
			details[d.asked.Name] = text
			embed(MetaOf(row), d.field.Key, Embedded{Details: details})
		}
	}

	return nil
}

func (d detailed) text(row reflect.Value) string {
	text, _ := d.field.Plain(row).(string)

	return text
}

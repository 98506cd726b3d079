package templates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// MappingRules returns what is particular to mappings as a resource.
func MappingRules() resource.Rules[store.Mapping] {
	return resource.Rules[store.Mapping]{
		Item: "esign.mapping", Sort: []string{"name"},
		About:       "It says which values of an item fill which tabs of a template, and stands on the template as that is when it is changed.",
		Failures:    resource.Failures{NotFound: store.ErrMapping, Invalid: store.ErrInvalid, Taken: store.ErrTaken},
		Errors:      append(item.Errors, store.ErrTemplate),
		KeepDeleted: true, // envelopes name their mappings
	}
}

// Mappings decides about mappings, and fills templates by them.
type Mappings struct {
	store    *store.Repository
	Rows     *resource.Resource[store.Mapping]
	items    *item.Registry
	identity *identity.Service
}

// NewMappings returns a Mappings.
func NewMappings(r *store.Repository, rows *resource.Resource[store.Mapping], items *item.Registry, i *identity.Service) *Mappings {
	return &Mappings{store: r, Rows: rows, items: items, identity: i}
}

// CheckChanges refuses mappings that could not be used.
func (s *Mappings) CheckChanges(ctx context.Context, all []*resource.Change[store.Mapping]) error {
	var ids []uuid.UUID
	for _, c := range all {
		ids = append(ids, c.After.TemplateID)
	}
	templates, err := s.store.TemplatesByID(ctx, ids)
	if err != nil {
		return err
	}
	known := map[item.Class][]item.Field{}
	for _, c := range all {
		if c.Verb == resource.Delete {
			continue
		}
		t, there := templates[c.After.TemplateID]
		switch {
		case !there:
			c.Refuse(store.ErrTemplate)
		case c.Verb != resource.Restore:
			c.Refuse(s.CheckMapping(ctx, c.After, t, known))
		}
	}

	return nil
}

// CheckMapping refuses a mapping that could not be used, and has it stand on the template as it is. Known are fields that were asked
// for before.
func (s *Mappings) CheckMapping(ctx context.Context, row *store.Mapping, t store.Template, known map[item.Class][]item.Field) (err error) {
	class := row.Class()
	row.ItemPart = web.Optional(class.Part)
	if known[class] == nil {
		if known[class], err = s.fieldsOf(ctx, class); err != nil {
			return err
		}
	}
	wrong := store.ErrInvalid
	for _, w := range fill.Check(t.Roles, row.Rules.V, known[class]) {
		wrong = wrong.WithField(fmt.Sprintf("rules.%d.%s", w.Rule, w.Key), w.Message)
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	row.Roles.V, row.Fingerprint = t.Roles, t.Fingerprint

	return nil
}

// fieldsOf returns the fields of a class of items.
func (s *Mappings) fieldsOf(ctx context.Context, class item.Class) ([]item.Field, error) {
	found, err := s.items.Fields(ctx, class)
	if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind == errs.Invalid {
		return nil, refusal.WithField("item_type", refusal.Message)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case found[0] == nil && class.Part == "":
		return nil, store.ErrInvalid.WithField("item_part", "The items of "+class.Type+" differ in their fields: say which, such as the module of a record.")
	case found[0] == nil:
		return nil, store.ErrInvalid.WithField("item_part", "There are no items of "+class.Type+" of this part.")
	}

	return found[0], nil
}

// filled is what came of filling a template.
type filled struct {
	Tabs     []fill.Filled
	Problems []fill.Problem
}

// FillTemplate fills a template, by a mapping from an item, and by hand. It reads the item once, in the name of the caller.
func (s *Mappings) FillTemplate(ctx context.Context, t store.Template, m *store.Mapping, about item.Ref, given map[string]map[string]string) (filled, error) {
	in := fill.Input{Roles: t.Roles, Given: given, Zone: s.zone(ctx)}
	if m != nil {
		in.Rules = m.Rules.V
		var err error
		if in.Fields, err = s.fieldsOf(ctx, m.Class()); err != nil {
			return filled{}, err
		}
		if in.Values, err = s.valuesFor(ctx, *m, about); err != nil {
			return filled{}, err
		}
	}
	tabs, problems := fill.Tabs(ctx, in)

	return filled{Tabs: tabs, Problems: problems}, nil
}

// valuesFor reads what a mapping needs of an item.
func (s *Mappings) valuesFor(ctx context.Context, m store.Mapping, about item.Ref) (fill.Values, error) {
	if part := m.Class().Part; part != "" {
		titles, err := s.items.Titles(ctx, []item.Ref{about})
		if err != nil {
			return nil, err
		}
		if titles[0].Exists && titles[0].Class != (item.Class{}) && titles[0].Class.Part != part {
			return nil, store.ErrInvalid.WithField("item_uuid", "The mapping is for other items of "+m.ItemType+".")
		}
	}
	keys := make([]string, 0, len(m.Rules.V))
	for _, rule := range m.Rules.V {
		if rule.Text != "" {
			keys = nil // a text may show any

			break
		}
		keys = append(keys, rule.Field)
	}
	found, err := s.items.Values(ctx, []item.Ref{about}, keys...)
	if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind == errs.Invalid {
		return nil, refusal.WithField("item_type", refusal.Message)
	}
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, store.ErrInvalid.WithField("item_uuid", "There is no such "+m.ItemType+".")
	}

	return map[string]json.RawMessage(found[0]), nil
}

// zone is the company's.
func (s *Mappings) zone(ctx context.Context) *time.Location {
	who, _ := principal.From(ctx)
	company, err := s.identity.Company(ctx, who.Company)
	if err != nil && !errors.Is(err, identity.ErrCompanyNotFound) {
		return time.UTC
	}

	return company.Zone()
}

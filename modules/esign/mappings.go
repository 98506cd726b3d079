package esign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mapping is a row of esign_mappings.
type mapping struct {
	resource.Row

	Name        string                         `json:"name" field:"required,min=1,max=100,unique,sort,search,title"`
	TemplateID  uuid.UUID                      `json:"template_uuid" field:"required"`
	ItemType    string                         `json:"item_type" field:"required,min=1,max=100" doc:"The type of the items that fill the template, such as custom_modules.record."`
	ItemPart    *string                        `json:"item_part" field:"max=100,part" doc:"Which items of the type, where they differ in their fields: the id of the module of a record. Null where they do not."`
	Rules       resource.JSON[[]fill.Rule]     `json:"rules" field:"required,max=500"`
	Roles       resource.JSON[[]provider.Role] `json:"-" field:"hidden"` // the template's when the mapping was made, or looked over
	Fingerprint string                         `json:"fingerprint" field:"readonly,nofilter" doc:"The template's when the mapping was made or changed: with another one, the template has changed since."`
}

// TableName implements GORM's naming.
func (mapping) TableName() string { return "esign_mappings" }

// SchemaName is the name of the body in the OpenAPI document.
func (mapping) SchemaName() string { return "EsignMapping" }

func mappingRules() resource.Rules[mapping] {
	return resource.Rules[mapping]{
		Item: "esign.mapping", Sort: []string{"name"},
		About:       "It says which values of an item fill which tabs of a template, and stands on the template as that is when it is changed.",
		Failures:    resource.Failures{NotFound: errMapping, Invalid: errInvalid, Taken: errTaken},
		Errors:      append(item.Errors(), errTemplate),
		KeepDeleted: true, // envelopes name their mappings
	}
}

// class is the class of the items that fill the template.
func (row mapping) class() item.Class {
	class := item.Class{Type: row.ItemType}
	if row.ItemPart != nil {
		class.Part = *row.ItemPart
	}

	return class
}

// decide refuses mappings that could not be used.
func (s *core) decide(ctx context.Context, all []*resource.Change[mapping]) error {
	var ids []uuid.UUID
	for _, c := range all {
		ids = append(ids, c.After.TemplateID)
	}
	templates, err := s.templatesByID(ctx, ids)
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
			c.Refuse(errTemplate)
		case c.Verb != resource.Restore:
			c.Refuse(s.accept(ctx, c.After, t, known))
		}
	}

	return nil
}

// accept refuses a mapping that could not be used, and has it stand on the template as it is. Known are fields that were asked
// for before.
func (s *core) accept(ctx context.Context, row *mapping, t template, known map[item.Class][]item.Field) (err error) {
	class := row.class()
	row.ItemPart = web.Optional(class.Part)
	if known[class] == nil {
		if known[class], err = s.fieldsOf(ctx, class); err != nil {
			return err
		}
	}
	wrong := errInvalid
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
func (s *core) fieldsOf(ctx context.Context, class item.Class) ([]item.Field, error) {
	found, err := s.items.Fields(ctx, class)
	if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind == errs.Invalid {
		return nil, refusal.WithField("item_type", refusal.Message)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case found[0] == nil && class.Part == "":
		return nil, errInvalid.WithField("item_part", "The items of "+class.Type+" differ in their fields: say which, such as the module of a record.")
	case found[0] == nil:
		return nil, errInvalid.WithField("item_part", "There are no items of "+class.Type+" of this part.")
	}

	return found[0], nil
}

// filled is what came of filling a template.
type filled struct {
	Tabs     []fill.Filled
	Problems []fill.Problem
}

// fillIn fills a template, by a mapping from an item, and by hand. It reads the item once, in the name of the caller.
func (s *core) fillIn(ctx context.Context, t template, m *mapping, about item.Ref, given map[string]map[string]string) (filled, error) {
	in := fill.Input{Roles: t.Roles, Given: given, Zone: s.zone(ctx)}
	if m != nil {
		in.Rules = m.Rules.V
		var err error
		if in.Fields, err = s.fieldsOf(ctx, m.class()); err != nil {
			return filled{}, err
		}
		if in.Values, err = s.valuesFor(ctx, *m, about); err != nil {
			return filled{}, err
		}
	}
	tabs, problems := fill.Do(ctx, in)

	return filled{Tabs: tabs, Problems: problems}, nil
}

// valuesFor reads what a mapping needs of an item.
func (s *core) valuesFor(ctx context.Context, m mapping, about item.Ref) (fill.Values, error) {
	if part := m.class().Part; part != "" {
		titles, err := s.items.Titles(ctx, []item.Ref{about})
		if err != nil {
			return nil, err
		}
		if titles[0].Exists && titles[0].Class != (item.Class{}) && titles[0].Class.Part != part {
			return nil, errInvalid.WithField("item_uuid", "The mapping is for other items of "+m.ItemType+".")
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
		return nil, errInvalid.WithField("item_uuid", "There is no such "+m.ItemType+".")
	}

	return map[string]json.RawMessage(found[0]), nil
}

// zone is the company's.
func (s *core) zone(ctx context.Context) *time.Location {
	who, _ := principal.From(ctx)
	company, err := s.identity.Company(ctx, who.Company)
	if err != nil && !errors.Is(err, identity.ErrCompanyNotFound) {
		return time.UTC
	}
	zone, err := time.LoadLocation(company.TimeZone)
	if err != nil {
		return time.UTC
	}

	return zone
}

package esign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mappings decides about mappings.
type mappings struct{ *core }

func newMappings(c *core) *mappings { return &mappings{core: c} }

// accept refuses a mapping that could not be used, and has it stand on the template as it is.
func (s *core) accept(ctx context.Context, row *mapping) error {
	row.Name = strings.TrimSpace(row.Name)
	if row.Name == "" {
		return errInvalid.WithField("name", "The name is required.")
	}
	t, err := s.template(ctx, row.TemplateID)
	if err != nil {
		return err
	}
	fields, err := s.fieldsOf(ctx, item.Class{Type: row.ItemType, Part: row.ItemPart})
	if err != nil {
		return err
	}
	wrong := errInvalid
	for _, w := range fill.Check(t.Roles, row.Rules, fields) {
		wrong = wrong.WithField(fmt.Sprintf("rules.%d.%s", w.Rule, w.Key), w.Message)
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	row.Roles, row.Fingerprint = t.Roles, t.Fingerprint

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

func (s *mappings) create(ctx context.Context, row mapping) (mapping, error) {
	now := s.clock.Now()
	row.ID, row.Version, row.CreatedAt, row.UpdatedAt = database.NewID(), 1, now, now

	return row, s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.accept(ctx, &row); err != nil {
			return err
		}

		return database.Taken(s.insert(ctx, &row), errTaken)
	})
}

// change holds a mapping that is deleted, or is not, lets do change it, and stores it.
func (s *mappings) change(
	ctx context.Context, id uuid.UUID, match web.IfMatch, deleted bool, do func(context.Context, *mapping) error,
) (row mapping, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.heldMapping(ctx, id); err != nil {
			return err
		}
		if (row.DeletedAt != nil) != deleted {
			return errMapping
		}
		if err := match.Check(row.Version); err != nil {
			return err
		}
		if err := do(ctx, &row); err != nil {
			return err
		}
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.saveMapping(ctx, &row)
	})

	return row, err
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
		in.Rules = m.Rules
		var err error
		if in.Fields, err = s.fieldsOf(ctx, item.Class{Type: m.ItemType, Part: m.ItemPart}); err != nil {
			return filled{}, err
		}
		if in.Values, err = s.valuesFor(ctx, *m, about); err != nil {
			return filled{}, err
		}
	}
	tabs, problems := fill.Do(in)

	return filled{Tabs: tabs, Problems: problems}, nil
}

// valuesFor reads what a mapping needs of an item.
func (s *core) valuesFor(ctx context.Context, m mapping, about item.Ref) (fill.Values, error) {
	if m.ItemPart != "" {
		titles, err := s.items.Titles(ctx, []item.Ref{about})
		if err != nil {
			return nil, err
		}
		if titles[0].Exists && titles[0].Class != (item.Class{}) && titles[0].Class.Part != m.ItemPart {
			return nil, errInvalid.WithField("item_uuid", "The mapping is for other items of "+m.ItemType+".")
		}
	}
	keys := make([]string, 0, len(m.Rules))
	for _, rule := range m.Rules {
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

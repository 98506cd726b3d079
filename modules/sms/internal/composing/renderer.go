package composing

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/template"
)

// Renderer fills in texts of messages, also with the values of the item that they are about.
type Renderer struct {
	store *store.Repository
	items *item.Registry
}

// NewRenderer returns a Renderer.
func NewRenderer(r *store.Repository, items *item.Registry) *Renderer {
	return &Renderer{store: r, items: items}
}

// checkOwner makes sure that the item is there which a message is about.
func (s *Renderer) checkOwner(ctx context.Context, owner item.Ref) error {
	if owner.Type == "" && owner.UUID == uuid.Nil {
		return nil
	}
	if owner.Type == "" || owner.UUID == uuid.Nil {
		return store.ErrInvalid.WithField("owner_uuid", "Send owner_type and owner_uuid together.")
	}
	missing, err := s.items.Exists(ctx, owner)
	if err != nil {
		return store.OnField(err, "owner_type")
	}
	if len(missing) > 0 {
		return store.ErrInvalid.WithField("owner_uuid", "There is no such "+owner.Type+".")
	}

	return nil
}

// renderBody returns the body, or the template filled in: with the draft's variables, and with the values of its owner
// as "item".
func (s *Renderer) renderBody(ctx context.Context, d Draft) (string, error) {
	if d.TemplateUUID == uuid.Nil {
		if len(d.Variables) > 0 {
			return "", store.ErrInvalid.WithField("variables", "The variables are only for a template. Remove them.")
		}

		return d.Body, nil
	}
	if d.Body != "" {
		return "", store.ErrInvalid.WithField("body", "The body must not be given together with a template.")
	}
	row, err := s.store.LiveTemplate(ctx, d.TemplateUUID)
	if err != nil {
		return "", err
	}

	return s.renderTemplate(ctx, row.Body, d.Variables, d.Owner)
}

// renderTemplate renders a template.
func (s *Renderer) renderTemplate(ctx context.Context, source string, variables map[string]any, owner item.Ref) (string, error) {
	values := make(map[string]any, len(variables)+1)
	maps.Copy(values, variables)
	if _, said := values["item"]; !said && owner.Type != "" && strings.Contains(source, "item") {
		of, err := s.itemValues(ctx, owner)
		if err != nil {
			return "", err
		}
		values["item"] = of
	}
	text, err := template.Render(ctx, source, values)
	if missing, ok := errors.AsType[*template.MissingError](err); ok {
		refusal := store.ErrVariables.WithDetail("missing", missing.Names)
		for _, name := range missing.Names {
			refusal = refusal.WithField("variables."+name, "The template shows "+name+", which has no value.")
		}

		return "", refusal
	}
	if wrong, ok := errors.AsType[*template.Error](err); ok {
		return "", store.ErrInvalid.WithField("template_uuid", wrong.Problem)
	}

	return strings.TrimSpace(text), err
}

// itemValues returns the values of an item, as a template sees them.
func (s *Renderer) itemValues(ctx context.Context, owner item.Ref) (map[string]any, error) {
	found, err := s.items.Values(ctx, []item.Ref{owner})
	if refusal, ok := errors.AsType[*errs.Error](err); ok {
		return nil, refusal.WithField("owner_type", refusal.Message)
	}
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for name, text := range found[0] {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		if value != nil {
			values[name] = value
		}
	}

	return values, nil
}

package templates

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Picker sets papers for previews, by drafts too.
type Picker struct {
	rows   *resource.Resource[store.Template]
	setter *Setter
}

// NewPicker returns a Picker.
func NewPicker(rows *resource.Resource[store.Template], s *Setter) *Picker { return &Picker{rows, s} }

// Set returns a model as a template has it, nil for the default of the kind. Errors: documents.template_not_found, store.ErrOtherKind, blocks.ErrUnprintable.
func (p *Picker) Set(ctx context.Context, kind string, id *uuid.UUID, m document.Model) (document.Model, error) {
	if id == nil {
		return p.setter.Choose(ctx, kind, m)
	}
	t, err := p.rows.Find(ctx, *id)
	if err == nil && t.Kind != kind {
		err = store.ErrOtherKind.WithDetail("kind", t.Kind)
	}
	if err != nil {
		return m, err
	}

	return p.setter.Set(ctx, t, m)
}

// Try returns a model as a template would have it that is not stored. Errors: store.ErrInvalidTemplate, store.ErrUnknownVariable, blocks.ErrUnprintable.
func (p *Picker) Try(ctx context.Context, t store.Template, example, m document.Model) (document.Model, error) {
	if err := store.CheckTemplate(ctx, &t); err != nil {
		return m, err
	}
	if err := known(t, example); err != nil {
		return m, err
	}

	return p.setter.Set(ctx, t, m)
}

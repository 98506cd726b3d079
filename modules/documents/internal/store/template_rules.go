package store

import (
	"context"
	"slices"

	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/template"
	"github.com/dispatchd/dispatchd/platform/web"
)

// TemplateRules are the rules of templates.
func TemplateRules() resource.Rules[Template] {
	return resource.Rules[Template]{
		Item: documentsapi.Template, Sort: []string{"kind", "name"}, KeepDeleted: true,
		About: "How papers of a kind are set: which parts of them, in which order, and with which texts. A draft can be changed; once it is published, it never is.",
		Check: CheckTemplate,
		Decide: func(_ context.Context, _ *resource.Resource[Template], c resource.Change[Template]) error {
			return decideTemplate(c)
		},
		Revert:      func(now Template, _ *Template) error { return now.editable() },
		Life:        resource.LifeOf(TemplateLife, func(t *Template) *TemplateState { return &t.State }),
		WriteAccess: web.Scope("templates"),
		Own:         []resource.Verb{VerbPublish},
		Failures:    resource.Failures{Invalid: ErrInvalidTemplate},
		Errors:      []*errs.Error{ErrPublished, ErrDefault, ErrUnknownVariable, ErrBlockMissing, document.ErrUnknownKind},
	}
}

// CheckTemplate brings a template into its normal form, and says what is wrong with its blocks by themselves.
func CheckTemplate(_ context.Context, t *Template) error {
	wrong := ErrInvalidTemplate
	for _, p := range blocks.Shape(t.Blocks.V) {
		wrong = wrong.WithField(p.Field, p.Text)
	}
	if err := template.Check(t.Heading); err != nil {
		wrong = wrong.WithField("heading", err.Error())
	}
	if len(t.Blocks.V) > blocks.MaxBlocks {
		wrong = wrong.WithField("blocks", "A template has at most 300 blocks.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	t.Edition = max(t.Edition, 1)
	t.Variables.V = append(blocks.Variables(t.Blocks.V), template.Variables(t.Heading)...)
	slices.Sort(t.Variables.V)
	t.Variables.V = slices.Compact(t.Variables.V)

	return nil
}

// decideTemplate refuses changes of published templates, and the end of defaults.
func decideTemplate(c resource.Change[Template]) error {
	switch c.Verb {
	case resource.Update, resource.Delete, resource.Restore:
		return c.Before.editable()
	case VerbArchive:
		if c.Before.IsDefault {
			return ErrDefault
		}

		return nil
	default:
		return nil
	}
}

// editable refuses a template that was published.
func (t Template) editable() error {
	if t.State != Draft {
		return ErrPublished.WithDetail("state", t.State)
	}

	return nil
}

package templates

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/documentsapi"
	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/settings"
)

// Chooser chooses templates.
type Chooser struct {
	rows     *resource.Resource[store.Template]
	settings *settings.Settings[store.Preferences]
	hooks    *hook.Bus
	db       *database.DB
}

// NewChooser returns a Chooser.
func NewChooser(rows *resource.Resource[store.Template], s *settings.Settings[store.Preferences], h *hook.Bus, db *database.DB) *Chooser {
	return &Chooser{rows, s, h, db}
}

// Default is the template of a kind in a language, "" for that of the company; nil for none.
func (c *Chooser) Default(ctx context.Context, kind, locale string) (*store.Template, error) {
	now, err := c.settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	locale = cmp.Or(locale, now.Now.Locale)
	found, err := c.rows.Where(ctx, "kind = ? AND locale = ? AND is_default", kind, locale)
	if err != nil {
		return nil, err
	}
	asked := documentsapi.ChoosingTemplate{Kind: kind, Locale: locale}
	if len(found) > 0 {
		asked.Template = found[0].ID.String()
	}
	before := asked.Template
	if err := c.db.InTx(ctx, func(ctx context.Context) error { return hook.Run(ctx, c.hooks, &asked) }); err != nil {
		return nil, err
	}
	switch asked.Template {
	case "":
		return nil, nil //nolint:nilnil // papers without a template are printed as their area has them
	case before:
		return &found[0], nil
	}

	return c.Named(ctx, item.ID(asked.Template), kind)
}

// Named is a template that was published, for papers of a kind. Errors: documents.template_not_found, store.ErrNotPublished, store.ErrOtherKind.
func (c *Chooser) Named(ctx context.Context, id uuid.UUID, kind string) (*store.Template, error) {
	t, err := c.rows.Find(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case t.Kind != kind:
		return nil, store.ErrOtherKind.WithDetail("kind", t.Kind)
	case t.State == store.Draft:
		return nil, store.ErrNotPublished.WithDetail("state", t.State)
	}

	return &t, nil
}

// Setter sets papers by templates.
type Setter struct {
	chooser *Chooser
	filler  *blocks.Filler
	printer *document.Printer
}

// NewSetter returns a Setter.
func NewSetter(c *Chooser, f *blocks.Filler, p *document.Printer) *Setter { return &Setter{c, f, p} }

// Choose implements document.Templates: papers that areas print are set by the default of their kind.
func (s *Setter) Choose(ctx context.Context, kind string, m document.Model) (document.Model, error) {
	t, err := s.chooser.Default(ctx, kind, "")
	if err != nil || t == nil {
		return m, err
	}

	return s.Set(ctx, *t, m)
}

// Set returns a model as a template has it. Error: blocks.ErrUnprintable.
func (s *Setter) Set(ctx context.Context, t store.Template, m document.Model) (document.Model, error) {
	set, err := s.filler.Fill(ctx, t.Blocks.V, m)
	if err != nil {
		return m, err
	}
	if t.Heading != "" {
		if set.Title, err = s.filler.Text(ctx, t.Heading, m); err != nil {
			return m, err
		}
	}
	if t.Size != store.SizeOfCompany {
		set.Size = paper.Size(t.Size)
	}

	return set, nil
}

// SetBy is Set by a template that a document was made with. Error: blocks.ErrUnprintable.
func (s *Setter) SetBy(ctx context.Context, id uuid.UUID, kind string, m document.Model) (document.Model, error) {
	t, err := s.chooser.Named(ctx, id, kind)
	if err != nil {
		return m, err
	}

	return s.Set(ctx, *t, m)
}

// Try prints a model by a template. Error: blocks.ErrUnprintable.
func (s *Setter) Try(ctx context.Context, t store.Template, m document.Model) ([]paper.Warning, error) {
	set, err := s.Set(ctx, t, m)
	if err != nil {
		return nil, err
	}
	_, warnings, err := s.printer.PDF(ctx, t.Kind, set)

	return warnings, err
}

// Package templates keeps templates: what is checked before one is published, what becomes of its editions, and which one is chosen for a paper.
package templates

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/modules/documents/internal/kinds"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Keeper decides on templates.
type Keeper struct {
	rows  *resource.Resource[store.Template]
	kinds *kinds.Kinds
	users *identity.Service
	clock clock.Clock
}

// NewKeeper returns a Keeper.
func NewKeeper(rows *resource.Resource[store.Template], k *kinds.Kinds, u *identity.Service, c clock.Clock) *Keeper {
	return &Keeper{rows, k, u, c}
}

// find returns a template. Error: documents.template_not_found.
func (k *Keeper) find(ctx context.Context, id uuid.UUID) (store.Template, error) {
	return k.rows.Find(ctx, id)
}

// notFound is the refusal of a template that there is not.
func (k *Keeper) notFound() *errs.Error { return k.rows.NotFound() }

// answer shows a template that was written, or says why it was not.
func (k *Keeper) answer(ctx context.Context, t store.Template, err error) (*web.Resource[store.Template], error) {
	return k.rows.Answer(ctx, t, err)
}

// Decide refuses templates of kinds that there are not, and whatever may not be published.
func (k *Keeper) Decide(ctx context.Context, all []*resource.Change[store.Template]) error {
	for _, c := range all {
		if c.Verb != resource.Create && c.Verb != store.VerbPublish {
			continue
		}
		of, err := k.kinds.Find(ctx, c.After.Kind)
		if err != nil {
			c.Refuse(err)

			continue
		}
		if c.Verb == store.VerbPublish {
			c.Refuse(complete(*c.After, of.Example))
		}
	}

	return nil
}

// complete refuses a template that reads values that its kind does not have, or leaves out what the law or the trade asks for. Errors: store.ErrUnknownVariable,
// store.ErrBlockMissing.
func complete(t store.Template, example document.Model) error {
	if err := known(t, example); err != nil {
		return err
	}
	if missing := blocks.MissingParts(t.Blocks.V, example); len(missing) > 0 {
		return store.ErrBlockMissing.WithDetail("blocks", missing)
	}

	return nil
}

// known refuses a template that names values or parts that its kind does not have. Errors: store.ErrUnknownVariable, store.ErrInvalidTemplate.
func known(t store.Template, example document.Model) error {
	heading := []blocks.Block{{Leaf: blocks.Leaf{Type: "heading", Text: t.Heading}}}
	unknown := blocks.UnknownVariables(t.Blocks.V, example)
	for _, one := range blocks.UnknownVariables(heading, example) {
		one.Field = "heading"
		unknown = append(unknown, one)
	}
	if len(unknown) > 0 {
		return refusalOf(unknown, "variables", "there is no such value")
	}
	if unknown = blocks.UnknownParts(t.Blocks.V, example); len(unknown) > 0 {
		return refusalOf(unknown, "parts", "there is no such part, or it stands there twice")
	}

	return nil
}

// refusalOf says of each name where it is and which one may be meant.
func refusalOf(unknown []blocks.Unknown, detail, text string) error {
	refusal := store.ErrUnknownVariable.WithDetail(detail, unknown)
	if detail == "parts" {
		refusal = store.ErrInvalidTemplate.WithDetail(detail, unknown)
	}
	for _, one := range unknown {
		message := "`" + one.Name + "`: " + text + "."
		if one.Nearest != "" && one.Nearest != one.Name {
			message += " Did you mean `" + one.Nearest + "`?"
		}
		refusal = refusal.WithField(one.Field, message)
	}

	return refusal
}

// publish publishes a draft as it was when it was checked. The edition that it revises is archived, and is no default any more.
func (k *Keeper) publish(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Template, error) {
	if err := k.users.Hold(ctx, principal.CompanyOf(ctx)); err != nil { // a kind has one default
		return store.Template{}, err
	}
	now := k.clock.Now()
	t, err := k.rows.Change(ctx, id, match, store.VerbPublish, func(ctx context.Context, t *store.Template) error {
		t.PublishedAt = &now

		return k.rows.Step(ctx, t, state.Move{Verb: string(store.VerbPublish)})
	})
	if err != nil || t.Replaces == nil {
		return t, err
	}
	wasDefault := false
	_, err = k.rows.ChangeSome(ctx, []uuid.UUID{*t.Replaces}, store.VerbReplace, func(ctx context.Context, old *store.Template) error {
		if old.State != store.Published {
			return nil
		}
		wasDefault, old.IsDefault = old.IsDefault, false

		return k.rows.Step(ctx, old, state.Move{Verb: string(store.VerbArchive), Reason: "A revision was published."})
	})
	if err != nil || !wasDefault {
		return t, err
	}

	return k.mark(ctx, id, web.IfMatch{})
}

// makeDefault has papers of the kind be printed by a template, and no longer by another one.
func (k *Keeper) makeDefault(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Template, error) {
	if err := k.users.Hold(ctx, principal.CompanyOf(ctx)); err != nil { // a kind has one default
		return store.Template{}, err
	}
	t, err := k.rows.Find(ctx, id)
	if err != nil {
		return t, err
	}
	others, err := k.rows.Where(ctx, "kind = ? AND locale = ? AND is_default AND id <> ?", t.Kind, t.Locale, id)
	if err != nil {
		return t, err
	}
	ids := make([]uuid.UUID, len(others))
	for i, one := range others {
		ids[i] = one.ID
	}
	if _, err = k.rows.ChangeSome(ctx, ids, store.VerbMakeDefault, func(_ context.Context, t *store.Template) error {
		t.IsDefault = false

		return nil
	}); err != nil {
		return t, err
	}

	return k.mark(ctx, id, match)
}

func (k *Keeper) mark(ctx context.Context, id uuid.UUID, match web.IfMatch) (store.Template, error) {
	return k.rows.Change(ctx, id, match, store.VerbMakeDefault, func(_ context.Context, t *store.Template) error {
		if t.State != store.Published {
			return store.ErrNotPublished.WithDetail("state", t.State)
		}
		t.IsDefault = true

		return nil
	})
}

// copied makes a draft of a template: its revision, or another template with the same blocks.
func (k *Keeper) copied(ctx context.Context, id uuid.UUID, revision bool, name string) (store.Template, error) {
	t, err := k.rows.Find(ctx, id)
	if err != nil {
		return t, err
	}
	made := store.Template{Kind: t.Kind, Name: t.Name, Locale: t.Locale, Size: t.Size, Heading: t.Heading, Blocks: t.Blocks, Edition: 1}
	switch {
	case name != "":
		made.Name = name
	case !revision:
		made.Name = t.Name + " (copy)"
	}
	if revision {
		if t.State == store.Draft {
			return t, store.ErrNotPublished.WithMessage("The template is a draft. Change it instead.").WithDetail("state", t.State)
		}
		made.Edition, made.Replaces = t.Edition+1, &t.ID
	}

	return k.rows.Create(ctx, made)
}

package templates

import (
	"context"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/documents/internal/blocks"
	"github.com/dispatchd/dispatchd/modules/documents/internal/kinds"
	"github.com/dispatchd/dispatchd/modules/documents/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/state"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Desk serves the operations of templates that no resource has.
type Desk struct {
	keeper *Keeper
	kinds  *kinds.Kinds
	setter *Setter
	db     *database.DB
}

// NewDesk returns a Desk.
func NewDesk(k *Keeper, all *kinds.Kinds, s *Setter, db *database.DB) *Desk {
	return &Desk{k, all, s, db}
}

type oneInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type duplicateInput struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Name string `json:"name,omitempty" maxLength:"200" doc:"Of the copy."`
	}
}

// Routes registers the operations.
func Routes(r *web.Router, d *Desk) {
	refusals := func(more ...*errs.Error) []*errs.Error {
		return append([]*errs.Error{d.keeper.notFound(), store.ErrInvalidTemplate}, more...)
	}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/templates/{uuid}/publish", ID: "publish_template", Access: web.Scope("templates"), Summary: "Publish a template",
		Description: "It never changes afterwards. Its values and parts are checked, and an invented paper is printed by it. The edition that it revises is archived; if that was the default, the new one is.",
		Errors:      refusals(store.ErrUnknownVariable, store.ErrBlockMissing, blocks.ErrUnprintable, document.ErrUnknownKind, state.ErrNotAllowed, state.ErrMoved, state.ErrNotYours),
	}, d.publish)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/templates/{uuid}/revise", ID: "revise_template", Access: web.Scope("templates"), Summary: "Make a draft of the next edition of a template",
		Errors: refusals(store.ErrNotPublished, document.ErrUnknownKind), Status: http.StatusCreated,
	}, func(ctx context.Context, in *oneInput) (*web.Resource[store.Template], error) {
		row, err := d.keeper.copied(ctx, in.UUID, true, "")

		return d.keeper.answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/templates/{uuid}/duplicate", ID: "duplicate_template", Access: web.Scope("templates"), Summary: "Make another template with the same blocks",
		Errors: refusals(document.ErrUnknownKind), Status: http.StatusCreated,
	}, func(ctx context.Context, in *duplicateInput) (*web.Resource[store.Template], error) {
		row, err := d.keeper.copied(ctx, in.UUID, false, in.Body.Name)

		return d.keeper.answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/templates/{uuid}/make_default", ID: "make_template_default", Access: web.Scope("templates"), Summary: "Make a template the default of its kind and language",
		Description: "All papers of the kind are printed by it from then on, also those that other areas print. Documents keep the template that they were printed by.",
		Errors:      refusals(store.ErrNotPublished),
	}, d.makeDefault)
}

// publish prints a sample before it begins to write, and publishes what was printed: a draft that somebody has changed meanwhile is refused.
func (d *Desk) publish(ctx context.Context, in *oneInput) (*web.Resource[store.Template], error) {
	t, err := d.keeper.find(ctx, in.UUID)
	if err != nil {
		return nil, err
	}
	of, err := d.kinds.Find(ctx, t.Kind)
	if err == nil && t.State == store.Draft {
		if err = complete(t, of.Example); err == nil {
			_, err = d.setter.Try(ctx, t, of.Example)
		}
	}
	if err != nil {
		return nil, err
	}
	match := in.IfMatch
	if match.IfMatch == "" || match.IfMatch == "*" {
		match.IfMatch = `"` + strconv.FormatInt(t.Version, 10) + `"`
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		t, err = d.keeper.publish(ctx, in.UUID, match)

		return err
	})

	return d.keeper.answer(ctx, t, err)
}

func (d *Desk) makeDefault(ctx context.Context, in *oneInput) (*web.Resource[store.Template], error) {
	var t store.Template
	err := d.db.InTx(ctx, func(ctx context.Context) (err error) {
		t, err = d.keeper.makeDefault(ctx, in.UUID, in.IfMatch)

		return err
	})

	return d.keeper.answer(ctx, t, err)
}

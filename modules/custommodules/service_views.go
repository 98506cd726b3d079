package custommodules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/views"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// mostViews bounds the views of a module, mostViewParts the conditions, sort keys and columns of one.
const (
	mostViews     = 1_000
	mostViewParts = mostFields
)

// newView is the body of a view.
type newView struct {
	Name    string            `json:"name"`
	Shared  bool              `json:"shared,omitempty" doc:"Whether it is everybody's who may read the module; that takes the permission to define. Else it is yours."`
	Filter  []views.Condition `json:"filter,omitempty" maxItems:"200"`
	Sort    []views.Order     `json:"sort,omitempty" maxItems:"10"`
	Columns []string          `json:"columns,omitempty" maxItems:"1000" doc:"Keys of fields, and uuid, created_at, updated_at, version; none is all."`
}

// viewer is the user who is calling, nil for a token of nobody.
func viewer(ctx context.Context) *uuid.UUID {
	caller, _ := principal.From(ctx)
	if caller.User == uuid.Nil {
		return nil
	}

	return &caller.User
}

// createView stores a view. Its errors are errModuleNotFound, errNotPermitted, errInvalidView and
// errTooManyViews.
func (s *service) createView(ctx context.Context, module uuid.UUID, n newView) (row viewRow, err error) {
	made := s.change(ctx)
	row = viewRow{
		ID: database.NewID(), ModuleID: module, Version: 1,
		CreatedAt: made.at, CreatedBy: made.by, UpdatedAt: made.at, UpdatedBy: made.by,
	}
	err = s.definitions.usePresent(ctx, module, func(ctx context.Context, d *definition) error {
		if err := s.fillView(ctx, d, &row, n); err != nil {
			return err
		}

		return s.db.InTx(ctx, func(ctx context.Context) error {
			if err := s.roomForView(ctx, module); err != nil {
				return err
			}
			if err := s.repo.insertView(ctx, row); err != nil {
				return err
			}

			return s.recordView(ctx, d, viewRow{}, row)
		})
	})

	return row, err
}

// roomForView returns errTooManyViews if the module may have no more views. Nobody else adds one until the
// transaction ends.
func (s *service) roomForView(ctx context.Context, module uuid.UUID) error {
	if err := s.repo.lockViews(ctx, module); err != nil {
		return err
	}
	count, err := s.repo.countViews(ctx, module)
	if err == nil && count >= mostViews {
		err = errTooManyViews.WithMessage("The module has %d views; more are not allowed.", count).WithDetail("limit", mostViews)
	}

	return err
}

// replaceView stores a view anew. Its errors are those of createView, errViewNotFound and a stale If-Match.
func (s *service) replaceView(ctx context.Context, module, id uuid.UUID, c condition, n newView) (row viewRow, err error) {
	err = s.definitions.usePresent(ctx, module, func(ctx context.Context, d *definition) error {
		if row, err = s.ownView(ctx, d, id, c); err != nil {
			return err
		}
		before, made := row, s.change(ctx)
		row.Version, row.UpdatedAt, row.UpdatedBy = row.Version+1, made.at, made.by
		if err := s.fillView(ctx, d, &row, n); err != nil {
			return err
		}

		return s.db.InTx(ctx, func(ctx context.Context) error {
			if err := s.repo.updateView(ctx, row); err != nil {
				return err
			}

			return s.recordView(ctx, d, before, row)
		})
	})

	return row, err
}

// deleteView removes a view.
func (s *service) deleteView(ctx context.Context, module, id uuid.UUID, c condition) error {
	return s.definitions.usePresent(ctx, module, func(ctx context.Context, d *definition) error {
		row, err := s.ownView(ctx, d, id, c)
		if err != nil {
			return err
		}

		return s.db.InTx(ctx, func(ctx context.Context) error {
			if err := s.repo.deleteView(ctx, row); err != nil {
				return err
			}

			return s.recordView(ctx, d, row, viewRow{})
		})
	})
}

// ownView returns a view that the caller may change.
func (s *service) ownView(ctx context.Context, d *definition, id uuid.UUID, c condition) (viewRow, error) {
	row, err := s.repo.view(ctx, d.module, id, viewer(ctx))
	if err == nil && row.OwnerID == nil {
		err = d.mayShare(ctx)
	}
	if err == nil {
		err = c.Check(row.Version)
	}

	return row, err
}

// mayShare returns errNotPermitted for who may not define the module: shared views are a part of it.
func (d *definition) mayShare(ctx context.Context) error {
	caller, _ := principal.From(ctx)
	if !caller.Allows("custom_modules:define") {
		return errNotPermitted.WithMessage("A shared view takes the scope custom_modules:define.").WithDetail("permission", mayDefine)
	}

	return d.permissions.permit(ctx, mayDefine)
}

// fillView takes what a view says, or says everything that is wrong with it.
func (s *service) fillView(ctx context.Context, d *definition, row *viewRow, n newView) error {
	var found problems
	row.Name, row.OwnerID = normalName(n.Name), viewer(ctx)
	if problem := checkName("name", row.Name, s.settings.MaxNameLength); problem != "" {
		found.add("name", problem)
	}
	if n.Shared {
		row.OwnerID = nil
		if err := d.mayShare(ctx); err != nil {
			return err
		}
	} else if row.OwnerID == nil {
		found.add("shared", "A token of no user has no views of its own: shared must be true.")
	}
	content := views.Content{Filter: n.Filter, Sort: n.Sort, Columns: n.Columns}
	kept, lost := content.Renamed(d.viewID)
	for _, part := range lost {
		found.add(part.Path, unknownKey(part.Field, " in this module", append(slices.Clone(d.keys), views.Own()...)))
	}
	if err := found.as(errInvalidView, "name"); err != nil {
		return err
	}
	in := list.FromQuery("", content.Query(url.Values{}))
	if _, _, err := s.asked(ctx, d, &in); err != nil {
		return invalidView(err)
	}
	text, err := json.Marshal(kept)
	row.Content = text

	return err
}

// invalidView is the refusal of a query as that of a view.
func invalidView(err error) error {
	if refused, ok := errors.AsType[*errs.Error](err); ok && refused.Kind == errs.Invalid {
		with := *errInvalidView
		with.Fields = refused.Fields

		return &with
	}

	return err
}

// viewID returns the id by which a view keeps a field, or the name of what every record has.
func (d *definition) viewID(key string) (string, bool) {
	if slices.Contains(views.Own(), key) {
		return key, true
	}
	if f := d.field(normalKey(key)); f != nil {
		return f.id.String(), true
	}

	return "", false
}

// viewKey is the reverse of viewID: the present key.
func (d *definition) viewKey(id string) (string, bool) {
	if slices.Contains(views.Own(), id) {
		return id, true
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return "", false
	}
	if f := d.fieldByID(parsed); f != nil {
		return f.key, true
	}

	return "", false
}

// content returns what a view says by the present keys of fields, and the parts whose fields the caller does not
// see, or nobody any more.
func (v viewRow) content(d *definition) (views.Content, []views.Part, error) {
	var kept views.Content
	if err := json.Unmarshal(v.Content, &kept); err != nil {
		return kept, nil, fmt.Errorf("view %s: %w", v.ID, err)
	}
	shown, lost := kept.Renamed(d.viewKey)

	return shown, lost, nil
}

// viewed returns the query of a list by a view, uuid.Nil for none: what the query says itself goes before what the
// view says. Its errors are errViewNotFound and errViewBroken. Columns of fields that are gone are left out; a filter
// that is gone would show other records.
func (s *service) viewed(ctx context.Context, d *definition, view uuid.UUID, in *list.Input) (*list.Input, error) {
	if view == uuid.Nil {
		return in, nil
	}
	row, err := s.repo.view(ctx, d.module, view, viewer(ctx))
	if err != nil {
		return nil, err
	}
	content, lost, err := row.content(d)
	if err != nil {
		return nil, err
	}
	var found problems
	for _, part := range lost {
		if part.Path[0] != 'c' { // columns
			found.add("view."+part.Path, "The field "+part.Field+" is gone.")
		}
	}
	if err := found.as(errViewBroken, "view"); err != nil {
		return nil, err
	}

	return in.Over(content.Query), nil
}
